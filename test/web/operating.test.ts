// Operators' other tasks in a real browser at a real local run: schedules, outputs, channels, notifications.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { chromiumPath } from '../support/chromium.ts';
import { startFaultyIngest } from '../support/faulty-ingest.ts';
import { choose, journeyBrowser } from '../support/journey-browser.ts';
import { until } from '../support/local-run.ts';
import { makeSyncClip } from '../support/sync-clip.ts';
import { testLocalRun } from '../support/test-local-run.ts';

describe.skipIf(!chromiumPath)('an operator with a browser (skipped where Chromium is not installed)', () => {
  const run = testLocalRun('--no-demo');
  const browser = journeyBrowser();
  const folder = mkdtempSync(join(tmpdir(), 'operating-'));
  const film = join(folder, 'film.mp4');
  let page: Page;
  let streamID: string;
  beforeAll(async () => {
    ({ page } = browser);
    const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac'];
    const clip = { path: film, size: '640x360', framesPerSecond: 30, seconds: 10, sampleRate: 44_100, codecs };
    await makeSyncClip(await findMediaTools(process.env), clip);
    streamID = (await run.api('POST', '/streams', { name: 'Evening show', destinationID: 'dst_local' })).id;
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const alertSaid = (words: string) => page.getByText(words, { exact: false }).first().waitFor();

  test('plans a stream for some days of the week, sees the starts before, and leaves one out', async () => {
    await browser.signIn(run, '/schedule');
    await page.getByText('No stream is scheduled.').waitFor();
    expect(await browser.look('schedule-empty')).toEqual([]);
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Plan a stream' }).click();
    await page.getByLabel('Start', { exact: true }).fill('2030-03-25T20:00');
    await page.getByLabel('End (empty', { exact: false }).fill('2030-03-25T22:00');
    await choose(page, 'Time zone', 'Europe/Berlin');
    await choose(page, 'Repeat', 'Every day');
    await alertSaid('It would start');
    expect(await browser.look('schedule-plan')).toEqual([]);
    await dialog.getByRole('button', { name: 'Plan it' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Every day, 8:00 PM–10:00 PM, Europe/Berlin (7:00 PM here)').waitFor();
    await page.goto(`${run.connection.siteURL}/schedule?week=2030-03-27`);
    const runs = page.locator('.times').getByRole('button', { name: 'Evening show' });
    await expect.poll(() => runs.count()).toBe(7);
    await runs.nth(2).click();
    await dialog.getByRole('button', { name: 'Skip this one' }).click();
    await runs.filter({ hasText: 'Skipped' }).waitFor();
    expect(await browser.look('schedule')).toEqual([]);
    const from = '2030-03-25T00:00:00Z';
    const startsOfWeek = async () => {
      const { data } = await run.api('GET', `/schedule/occurrences?from=${from}&to=2030-04-01T00:00:00Z`);
      return data.map(({ startAt, isSkipped }: { startAt: string; isSkipped: boolean }) => [startAt, isSkipped]);
    };
    // 8 in the evening in Berlin, before and after its clocks go forward on the 31st.
    expect(await startsOfWeek()).toEqual([
      ['2030-03-25T19:00:00.000Z', false],
      ['2030-03-26T19:00:00.000Z', false],
      ['2030-03-27T19:00:00.000Z', true],
      ['2030-03-28T19:00:00.000Z', false],
      ['2030-03-29T19:00:00.000Z', false],
      ['2030-03-30T19:00:00.000Z', false],
      ['2030-03-31T18:00:00.000Z', false],
    ]);
    await runs.nth(2).click();
    await dialog.getByRole('button', { name: 'Do not skip it' }).click();
    await expect.poll(async () => (await startsOfWeek()).flat().includes(true)).toBe(false);
    // Three hours up, by the pointer: the dialog proposes the new times, and nothing changes before it is saved.
    const box = (await runs.nth(0).boundingBox())!;
    const column = (await page.locator('.times').first().boundingBox())!;
    await page.mouse.move(box.x + 10, box.y + 8);
    await page.mouse.down();
    await page.mouse.move(box.x + 10, box.y + 8 - column.height / 8, { steps: 6 });
    await page.mouse.up();
    await expect.poll(() => page.getByLabel('Start', { exact: true }).inputValue()).toBe('2030-03-25T17:00');
    expect((await startsOfWeek())[0]).toEqual(['2030-03-25T19:00:00.000Z', false]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await startsOfWeek())[0]).toEqual(['2030-03-25T16:00:00.000Z', false]);
    await page.getByRole('button', { name: 'Cancel the schedule' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel the schedule' }).click();
    await page.getByText('No stream is scheduled.').waitFor();
    expect((await run.api('GET', `/streams/${streamID}`)).state).toBe('draft');
  });

  test('is told what is wrong with a rule, where it is written', async () => {
    await page.goto(`${run.connection.siteURL}/schedule`);
    await page.getByRole('button', { name: 'Plan a stream' }).click();
    await choose(page, 'Repeat', 'By a rule (RFC 5545)');
    await page.getByLabel('Rule', { exact: true }).fill('EVERY FRIDAY');
    await alertSaid('RFC 5545 recurrence rule with FREQ');
    await page.getByLabel('Rule', { exact: true }).fill('FREQ=MONTHLY;BYDAY=1FR');
    await expect.poll(async () => await page.locator('.starts li').count()).toBeGreaterThanOrEqual(5);
  });

  test('makes a webhook, sees its secret once, tests it, and reads and repeats a delivery that failed', async () => {
    let isUp = false;
    const received: string[] = [];
    const receiver = createServer((request, response) => {
      received.push(String(request.headers['webhook-id']));
      response.writeHead(isUp ? 204 : 500).end(isUp ? undefined : 'Closed for today.');
    });
    receiver.listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    onTestFinished(() => void receiver.close());
    await page.goto(`${run.connection.siteURL}/webhooks`);
    await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor();
    await page.getByRole('button', { name: 'Add a webhook' }).click();
    expect(await browser.look('webhook-new', '[role=dialog]')).toEqual([]);
    await page.getByLabel('Address').fill(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`);
    await page.getByRole('dialog').getByRole('button', { name: 'Add a webhook' }).click();
    await page.getByText(/^whsec_/).waitFor();
    expect(await browser.look('webhooks')).toEqual([]);
    await page.getByRole('link', { name: '/hook' }).click();
    await page.getByRole('button', { name: 'Send a test event' }).click();
    await page.getByText('answered 500', { exact: false }).waitFor();
    await page.getByText('Its answer').click();
    await page.getByText('Closed for today.').waitFor();
    expect(await browser.look('webhook')).toEqual([]);
    isUp = true;
    await page.getByRole('button', { name: 'Deliver again: webhook.test' }).click();
    await page.locator('.badge', { hasText: 'Delivered' }).waitFor();
    expect(new Set(received).size).toBe(1);
    await page.getByRole('button', { name: 'New secret' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'New secret' }).click();
    await page.getByText(/^whsec_/).waitFor();
  });

  test('adds an alert channel with quiet hours, tests it by mail, and switches it off', async () => {
    await page.goto(`${run.connection.siteURL}/alerts`);
    await page.getByText('No channel yet', { exact: false }).waitFor();
    expect(await browser.look('alerts-empty')).toEqual([]);
    await page.getByRole('button', { name: 'Add a channel' }).click();
    await page.getByLabel('Name').fill('Night shift');
    await page.getByLabel('Quiet from', { exact: false }).fill('22:00');
    await page.getByLabel('Quiet until').fill('06:00');
    await page.getByLabel('Credits end soon').uncheck();
    await page.getByRole('dialog').getByRole('button', { name: 'Add a channel' }).click();
    await page.getByText('quiet from 22:00 to 06:00', { exact: false }).waitFor();
    const [channel] = (await run.api('GET', '/alert-channels')).data;
    expect(channel.events).not.toContain('credits_low');
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('last message delivered', { exact: false }).waitFor();
    expect(await browser.look('alerts')).toEqual([]);
    await page.getByRole('button', { name: 'Switch off' }).click();
    await page.locator('.badge', { hasText: 'Off' }).waitFor();
    expect((await run.api('GET', '/alert-channels')).data[0].enabled).toBe(false);
  });

  test('connects a channel, names broadcasts, and sees the broadcast with its health beside the stream', async () => {
    await page.goto(`${run.connection.siteURL}/destinations`);
    await page.getByText('No channel is connected.').waitFor();
    await page.getByRole('button', { name: 'Connect YouTube' }).click();
    await page.waitForURL(/youtube-stand-in/);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'Connect YouTube?' }).waitFor();
    await page.getByRole('button', { name: 'Connect' }).click();
    await page.waitForURL(/\/destinations/);
    await page.locator('.badge', { hasText: 'Connected' }).waitFor();
    await page.getByRole('button', { name: 'Add settings' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Night radio');
    await page.getByLabel('Title of each broadcast').fill('Night radio {n}');
    await page.getByRole('dialog').getByRole('button', { name: 'Add settings' }).click();
    await page.getByText('Night radio {n}', { exact: false }).first().waitFor();
    expect(await browser.look('connections')).toEqual([]);
  });

  test('has a destination checked, and reads what is wrong with it, and then that it can be reached', async () => {
    const ingest = await startFaultyIngest();
    onTestFinished(() => ingest[Symbol.asyncDispose]());
    await ingest.set('refuse');
    const third = { name: 'Third place', url: ingest.rtmpURL, streamKey: 'third' };
    const { id } = await run.api('POST', '/destinations', third);
    await page.goto(`${run.connection.siteURL}/destinations`);
    await page.getByRole('button', { name: 'Check the connection to Third place' }).click();
    await alertSaid('No server accepts connections');
    await page.getByText(/^✓ address found \(\d+ ms\) · ✗ connected/).waitFor();
    expect(await browser.look('destination-check')).toEqual([]);
    await ingest.set('none');
    await page.getByRole('button', { name: 'Check the connection to Third place' }).click();
    await alertSaid('The server answers, and takes this address.');
    expect([...ingest.keys]).toEqual([]);
    await run.api('DELETE', `/destinations/${id}`);
  });

  test('sees why an output fails, adds another while live, and has it tried again when its server is up', async () => {
    const ingest = await startFaultyIngest();
    onTestFinished(() => ingest[Symbol.asyncDispose]());
    await ingest.set('refuse');
    const other = { name: 'Second place', url: ingest.rtmpURL, streamKey: 'second' };
    await run.api('POST', '/destinations', other);
    await page.goto(`${run.connection.siteURL}/library`);
    await page.getByLabel('Add files').setInputFiles(film);
    await page.getByText('All uploads are done').waitFor();
    await until(async () => (await run.api('GET', '/uploads')).data[0]?.probeState === 'completed');
    const [{ id: videoUploadObjectID }] = (await run.api('GET', '/uploads')).data;
    await run.api('PATCH', `/streams/${streamID}`, { videoUploadObjectID, quality: 'q_720p' });
    await run.api('POST', `/streams/${streamID}/start`);
    await page.goto(`${run.connection.siteURL}/streams/${streamID}/outputs`);
    await page.locator('.badge', { hasText: 'Live' }).first().waitFor();
    await page.getByRole('button', { name: 'Add an output' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Add an output' }).click();
    await page.locator('.badge', { hasText: 'Failing' }).waitFor();
    expect(await browser.look('outputs')).toEqual([]);
    await ingest.set('none');
    const outputOf = async () => (await run.api('GET', `/streams/${streamID}`)).outputs[1];
    await page.getByRole('button', { name: 'Try again now' }).click();
    await until(async () => (await outputOf()).state === 'live');
    await page.getByRole('button', { name: 'Pause Second place' }).click();
    await page.locator('.badge', { hasText: 'Paused' }).waitFor();
    await page.getByRole('button', { name: 'Delete Second place' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.locator('strong', { hasText: 'Second place' }).waitFor({ state: 'detached' });
    expect((await run.api('GET', `/streams/${streamID}`)).state).toBe('active');
  });

  test('gives a stream that is live a logo and titles, having seen how it would look', async () => {
    const { ffmpegPath } = await findMediaTools(process.env);
    const logo = join(folder, 'logo.png');
    const drawn = ['-f', 'lavfi', '-i', 'color=red:s=200x100', '-frames:v', '1', logo];
    await once(spawn(ffmpegPath, ['-loglevel', 'error', ...drawn]), 'exit');
    await page.goto(`${run.connection.siteURL}/library`);
    const swoosh = join(folder, 'swoosh.mp4');
    const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac'];
    const clip = { path: swoosh, size: '320x180', framesPerSecond: 30, seconds: 2, sampleRate: 44_100, codecs };
    await makeSyncClip(await findMediaTools(process.env), clip);
    await page.getByLabel('Add files').setInputFiles([logo, swoosh]);
    const logoOf = async () =>
      (await run.api('GET', '/uploads')).data.find(({ name }: { name: string }) => name === 'logo.png');
    const readyUploads = async () => (await run.api('GET', '/uploads?probeState=completed')).data;
    await until(async () => (await readyUploads()).length === 3);
    await page.goto(`${run.connection.siteURL}/streams/${streamID}/look`);
    await choose(page, 'Logo', 'logo.png');
    await choose(page, 'Logo position', 'top left');
    await choose(page, 'Titles', 'Always');
    await choose(page, 'Loudness', '−16 LUFS');
    await choose(page, 'Sound of the videos', '18 dB below it');
    await page.getByLabel('Lower it during speech').check();
    await choose(page, 'Transition between pictures', 'By a stinger');
    await choose(page, 'Stinger', 'swoosh.mp4');
    await page.getByLabel('Cut after (seconds)').fill('0.8');
    await choose(page, 'Clock', 'Time');
    await choose(page, 'Time zone of the clock', 'Europe/Paris');
    await page.getByLabel('Ticker', { exact: true }).fill('Good evening\n\n  and welcome ');
    await page.getByRole('button', { name: 'Preview' }).click();
    const picture = page.getByRole('img', { name: 'Preview of the stream' });
    await picture.waitFor();
    await until(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth > 0));
    expect((await run.api('GET', `/streams/${streamID}`)).look.overlays).toBeNull();
    expect(await browser.look('look')).toEqual([]);
    await page.locator('section', { has: picture }).getByRole('button', { name: 'Save sound and look' }).click();
    await until(async () => (await run.api('GET', `/streams/${streamID}`)).look.overlays !== null);
    const { look, sound, state } = await run.api('GET', `/streams/${streamID}`);
    expect(look.overlays).toMatchObject({
      logo: { uploadID: (await logoOf()).id, place: 'topLeft' },
      title: { seconds: null },
      clock: { shows: 'time', timeZone: 'Europe/Paris' },
      ticker: { lines: ['Good evening', 'and welcome'] },
    });
    expect(look).toMatchObject({ join: { kind: 'stinger' }, stinger: { cutSeconds: 0.8 } });
    expect([sound.loudness, state]).toEqual([{ enabled: true, targetLUFS: -16 }, 'active']);
    expect(sound.under).toEqual({ enabled: true, gainDB: -18, duck: true });
  });

  test('gives a video captions, in UTF-8 or UTF-16, is told what is wrong with others, and shows them', async () => {
    const give = async (file: string | Buffer) => {
      await page.goto(`${run.connection.siteURL}/library`);
      const row = page.getByRole('listitem').filter({ hasText: 'film.mp4' });
      await row.getByText(/^(Captions|\d+ captions?)$/).click();
      const buffer = Buffer.from(file);
      await row.getByLabel(/^Captions of film/).setInputFiles({ name: 'film.srt', mimeType: 'text/plain', buffer });
      return row;
    };
    const cue = (second: number, text: string) => `00:00:0${second},000 --> 00:00:0${second + 1},000\n${text}\n\n`;
    const countOf = async () => (await run.api('GET', '/uploads?q=film')).data[0].captionCount;
    await (await give(cue(1, 'Good evening') + '00:00:03 to 00:00:04\nand welcome')).getByText('Line 5').waitFor();
    await (await give(Buffer.from('Grüße', 'latin1'))).getByText('is not in UTF-8').waitFor();
    expect(await countOf()).toBe(0);
    expect(await browser.look('library-captions')).toEqual([]);
    await (await give(cue(1, 'Good evening') + cue(3, 'and welcome'))).getByText('2 captions').waitFor();
    const row = await give(Buffer.from(`\ufeff${cue(1, 'Grüße')}`, 'utf16le'));
    await row.getByText('1 caption', { exact: true }).waitFor();
    await page.goto(`${run.connection.siteURL}/streams/${streamID}/look`);
    await choose(page, 'Captions', 'top');
    await page.getByRole('button', { name: 'Save sound and look' }).click();
    const captionsOf = async () => (await run.api('GET', `/streams/${streamID}`)).look.overlays.captions;
    await until(async () => (await captionsOf())?.place === 'top');
    await page.goto(`${run.connection.siteURL}/library`);
    await row.getByText('1 caption', { exact: true }).click();
    await row.getByRole('button', { name: /^Remove the captions/ }).click();
    await until(async () => (await countOf()) === 0);
    expect(await captionsOf()).toEqual({ place: 'top' });
  });

  test('finds streams by name and by what needs attention', async () => {
    await page.goto(`${run.connection.siteURL}/streams`);
    await page.getByRole('searchbox').fill('evening');
    await page.getByRole('link', { name: 'Evening show' }).waitFor();
    await choose(page, 'State', 'Needs attention');
    await page.getByText('No matching streams.').waitFor();
    await page.waitForURL(/streams\?(q=evening&state=attention|state=attention&q=evening)$/);
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await page.getByRole('link', { name: 'Evening show' }).waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('');
    expect(await page.getByText('No matching streams.').count()).toBe(0);
  });

  test('reads what is used up an hour, and until when the credits last', async () => {
    await page.goto(`${run.connection.siteURL}/billing`);
    const number = page.locator('.numbers > div').filter({ hasText: 'Credits an hour now' });
    // A stream that is failing for a moment costs nothing then, so this polls.
    await until(async () => {
      const { creditsPerHour } = (await run.api('GET', '/billing/overview')).billing;
      return creditsPerHour > 0 && (await number.innerText()).split('\n').includes(String(creditsPerHour));
    });
    await number.getByText(/^They last until /).waitFor();
    await page.getByRole('row', { name: 'Evening show' }).waitFor();
    await run.api('POST', `/streams/${streamID}/stop`);
    await number.getByText('Nothing is live').waitFor();
    expect(await number.innerText()).not.toContain('They last until');
  });

  test('stops one run of a stream that repeats, and can stop it for good', async () => {
    await until(async () => (await run.api('GET', `/streams/${streamID}`)).state === 'stopped');
    const recurrence = { rule: 'FREQ=WEEKLY', timeZone: 'UTC' };
    const scheduleStartAt = '2030-03-29T19:00:00.000Z';
    await run.api('POST', `/streams/${streamID}/schedule`, { scheduleStartAt, recurrence });
    await run.api('POST', `/streams/${streamID}/start`);
    await page.goto(`${run.connection.siteURL}/streams/${streamID}`);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText('Only this run ends', { exact: false }).waitFor();
    expect(await browser.look('stop-recurring')).toEqual([]);
    await dialog.getByRole('button', { name: 'Stop', exact: true }).click();
    const isIn = (state: string) => async () => (await run.api('GET', `/streams/${streamID}`)).state === state;
    await until(isIn('scheduled'));
    expect((await run.api('GET', `/streams/${streamID}`)).scheduleStartAt).toBe(scheduleStartAt);

    await run.api('POST', `/streams/${streamID}/start`);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await dialog.getByRole('button', { name: 'Stop for good' }).click();
    await until(isIn('stopped'));
    expect((await run.api('GET', `/streams/${streamID}`)).recurrence).toBeNull();
  });

  test('discards what was edited of a playlist since it was published', async () => {
    const [{ id: uploadID }] = (await run.api('GET', '/uploads?q=film')).data;
    await until(async () => (await run.api('GET', `/streams/${streamID}`)).state === 'stopped');
    const { id } = await run.api('POST', '/playlists', { streamID, kind: 'video', mode: 'sequential' });
    await run.api('POST', `/playlists/${id}/operations`, { operations: [{ op: 'add', uploadID }] });
    await run.api('POST', `/playlists/${id}/publish`);
    await until(async () => (await run.api('GET', `/playlists/${id}`)).live !== null);
    await page.goto(`${run.connection.siteURL}/playlists/${id}`);
    await page.getByText('Streams play this draft.', { exact: false }).waitFor();
    await page.getByRole('button', { name: 'Add film.mp4' }).click();
    await page.getByRole('button', { name: 'Discard the draft' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Discard the draft' }).click();
    await page.getByText('Streams play this draft.', { exact: false }).waitFor();
    expect((await run.api('GET', `/playlists/${id}`)).draft.items).toHaveLength(1);
  });

  test('names a playlist, which stays when its stream is deleted, is taken up by another, and is deleted', async () => {
    const [{ id }] = (await run.api('GET', `/playlists?streamID=${streamID}`)).data;
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Rename it' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Rain');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { name: 'Rain' }).waitFor();

    const dialog = page.getByRole('alertdialog');
    await page.goto(`${run.connection.siteURL}/streams/${streamID}`);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete this stream' }).click();
    await dialog.getByText('Its playlists stay', { exact: false }).waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'Streams' }).waitFor();
    await page.goto(`${run.connection.siteURL}/playlists`);
    await page.getByText('its stream is deleted').waitFor();
    expect(await browser.look('playlist-left')).toEqual([]);

    const next = await run.api('POST', '/streams', { name: 'Morning show' });
    await page.goto(`${run.connection.siteURL}/streams/${next.id}/programme`);
    await page.getByText('Use an existing playlist').first().click();
    await choose(page, 'Playlist', 'Rain');
    expect(await browser.look('playlist-taken-up')).toEqual([]);
    await page.getByRole('button', { name: 'Use it' }).click();
    await until(async () => (await run.api('GET', `/playlists/${id}`)).streamID === next.id);

    await page.goto(`${run.connection.siteURL}/playlists/${id}`);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete this playlist' }).click();
    await dialog.getByRole('button', { name: 'Delete this playlist' }).click();
    await until(async () => (await run.api('GET', `/playlists?streamID=${next.id}`)).data.length === 0);
  });

  test('the browser has complained of nothing, and blocked nothing', () => {
    expect(browser.complaints).toEqual([]);
  });
});
