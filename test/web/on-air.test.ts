// An operator's view of faults and changes while a stream is on air, in a real browser at a real local run.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { calmSeconds } from '../../lambda/domain/notices/incidents.ts';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { chromiumPath } from '../support/chromium.ts';
import { startFaultyIngest } from '../support/faulty-ingest.ts';
import type { FaultyIngest } from '../support/faulty-ingest.ts';
import { journeyBrowser } from '../support/journey-browser.ts';
import { createLoop, until, untilActive, uploadFile } from '../support/local-run.ts';
import { mediaSample } from '../support/media-samples.ts';
import { makeSyncClip } from '../support/sync-clip.ts';
import { testLocalRun } from '../support/test-local-run.ts';

describe.skipIf(!chromiumPath)('an operator of a live stream (skipped where Chromium is not installed)', () => {
  const run = testLocalRun('--no-demo');
  const browser = journeyBrowser();
  const folder = mkdtempSync(join(tmpdir(), 'on-air-'));
  /** A film long enough that a publication waits for its end. */
  const film = join(folder, 'film.mp4');
  let page: Page;
  let ingest: FaultyIngest;
  let backupIngest: FaultyIngest;
  let upload: string;
  let streamID: string;
  beforeAll(async () => {
    ({ page } = browser);
    [ingest, backupIngest] = await Promise.all([startFaultyIngest(), startFaultyIngest()]);
    const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac'];
    const clip = { path: film, size: '640x360', framesPerSecond: 30, seconds: 30, sampleRate: 44_100, codecs };
    await makeSyncClip(await findMediaTools(process.env), clip);
    upload = await uploadFile(run.api, film, 'video/mp4');
    const target = { rtmpURL: ingest.rtmpURL, backupRtmpURL: backupIngest.rtmpURL, streamKey: 'key' };
    const withBackup = { runBackupStream: true, agentModeEnabled: true };
    const settings = { name: 'Main', quality: 'q_720p', framerate: 'f_30', streamBackend: 'manifest' };
    streamID = await createLoop(run.api, [upload], target, { ...settings, ...withBackup });
    await run.api('POST', `/streams/${streamID}/start`);
    await untilActive(run.api, streamID);
  });
  afterAll(async () => {
    await Promise.all([ingest[Symbol.asyncDispose](), backupIngest[Symbol.asyncDispose]()]);
    rmSync(folder, { recursive: true });
  });

  /** The time until a fault counts as over: the next attempt comes within half a minute, and calm follows it. */
  const calmMs = 30_000 + 2000 * calmSeconds(1);
  const badge = (text: string) => page.locator('.badge', { hasText: text }).first();
  const history = () => page.locator('section', { has: page.getByRole('heading', { name: 'History' }) });

  test('is alerted by a badge, follows the advice until the fault is over, and reads of it in the past', async () => {
    await browser.signIn(run, `/streams/${streamID}`);
    await badge('Live').waitFor();
    await Promise.all([ingest.set('refuse'), backupIngest.set('refuse')]);
    const alerts = page.getByRole('link', { name: /^Alerts/ });
    await alerts.locator('.count').waitFor();
    await alerts.click();
    const incident = page.locator('li.tall', { hasText: /^Stream off the air/ }).first();
    await incident.getByText('The stream “Main” is off the air', { exact: false }).waitFor();
    expect(await browser.look('alerts-open')).toEqual([]);
    const { data: open } = await run.api('GET', '/incidents?open=true');
    const { advice } = open.find(({ detail }: { detail: string }) => detail.includes('“Main” is off the air'));
    expect(advice).toMatch(/^Check the .*destination/);
    await incident.getByText(advice).waitFor();
    await incident.getByRole('link', { name: 'To the stream' }).click();
    await badge('Failing').waitFor();
    await page.getByText(advice).waitFor();
    expect(await browser.look('stream-failing')).toEqual([]);

    await page.getByRole('link', { name: 'Destinations' }).click();
    const check = page.getByRole('button', { name: 'Check the connection to ingest' });
    await check.click();
    await page.getByText('No server accepts connections', { exact: false }).first().waitFor();
    await Promise.all([ingest.set('none'), backupIngest.set('none')]);
    await alerts.locator('.count').waitFor({ state: 'detached', timeout: calmMs });
    await alerts.click();
    await incident.getByText('The stream “Main” was off the air', { exact: false }).waitFor();
    expect(await incident.getByText(advice).count()).toBe(0);
    await incident.getByRole('link', { name: 'To the stream' }).click();
    await badge('Live').waitFor();
  });

  test('reads that it is live on the backup while the first ingest is away', async () => {
    const livingReplicas = async () =>
      (await run.api('GET', `/streams/${streamID}`)).replicas.filter(
        ({ state }: { state: string }) => state === 'live',
      );
    await until(async () => (await livingReplicas()).length === 2);
    await badge('Live').waitFor();
    await ingest.set('refuse');
    await page.getByText('Live on the backup', { exact: false }).waitFor();
    expect(await browser.look('stream-on-backup')).toEqual([]);
    await badge('Live').waitFor();
    await ingest.set('none');
    await page.getByText('Live on the backup', { exact: false }).waitFor({ state: 'detached' });
  });

  test('sees it failing while both ingests are away, then live again, and both in its history', async () => {
    await Promise.all([ingest.set('refuse'), backupIngest.set('refuse')]);
    await badge('Failing').waitFor();
    await Promise.all([ingest.set('none'), backupIngest.set('none')]);
    await badge('Live').waitFor();
    await page.getByRole('link', { name: 'Log', exact: true }).click();
    await expect.poll(() => history().innerText()).toMatch(/Live[\s\S]*Failing[\s\S]*Live/);
  });

  test('reads the log of today from the hour before, and from another hour', async () => {
    const rows = page.locator('.as-run').getByText('Sent', { exact: true });
    await rows.first().waitFor();
    const csv = await page.getByRole('link', { name: 'CSV', exact: true }).getAttribute('href');
    const startOf = (hour: number) => new Date(new Date().setHours(hour, 0, 0, 0)).toISOString();
    expect(csv).toContain(`from=${startOf(0)}`);
    // Until two o'clock the log begins at midnight by itself.
    const other = new Date().getHours() < 2 ? 23 : 0;
    await page.getByRole('button', { name: 'Show from' }).click();
    const asked = page.waitForResponse((answer) => answer.url().includes(`from=${startOf(other)}`));
    await page.getByRole('option').nth(other).click();
    expect((await asked).status()).toBe(200);
    await page.getByRole('button', { name: 'The day before' }).click();
    await page.getByText('Nothing was sent after this time', { exact: false }).waitFor();
  });

  test('is told from when what was published plays, and it plays then', async () => {
    const other = await uploadFile(run.api, await mediaSample('plain.mp4'), 'video/mp4');
    const {
      playlistIDs: [playlistID],
    } = await run.api('GET', `/streams/${streamID}`);
    await page.goto(`${run.connection.siteURL}/playlists/${playlistID}`);
    const { name } = await run.api('GET', `/uploads/${other}`);
    await page.getByRole('button', { name: `Add ${name}` }).click();
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByText('The published version is on air from', { exact: false }).waitFor();
    const { takesOverAt } = await run.api('GET', `/playlists/${playlistID}`);
    const { data } = await run.api('GET', `/streams/${streamID}/timeline?from=${takesOverAt}`);
    expect(data[0]).toMatchObject({ startAt: takesOverAt });
    const played = data.slice(0, 2).map(({ uploadID }: { uploadID: string }) => uploadID);
    expect(played).toContain(other);
    await page.goto(`${run.connection.siteURL}/streams/${streamID}`);
    await page
      .getByText(name.replace(/\.mp4$/, ''))
      .first()
      .waitFor();
  });

  test('the browser has complained of nothing, and blocked nothing', () => {
    expect(browser.complaints).toEqual([]);
  });
});
