// A user programmes a channel on the page alone, in a real browser at a real local run, and runs it on the air.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { chromiumPath } from '../support/chromium.ts';
import { makeColourClip } from '../support/colour-clip.ts';
import { startFaultyIngest } from '../support/faulty-ingest.ts';
import type { FaultyIngest } from '../support/faulty-ingest.ts';
import { choose, journeyBrowser } from '../support/journey-browser.ts';
import { until, uploadFile } from '../support/local-run.ts';
import { testLocalRun } from '../support/test-local-run.ts';

/** Files by folder. The songs are long enough that a row lasts while it is skipped. */
const clips = [
  { name: 'Blue train', folder: 'Songs', seconds: 40 },
  { name: 'Green river', folder: 'Songs', seconds: 42 },
  { name: 'Red sun', folder: 'Songs', seconds: 44 },
  { name: 'Station jingle', folder: 'Jingles', seconds: 3 },
  { name: 'Evening bulletin', folder: 'News', seconds: 20 },
];

describe.skipIf(!chromiumPath)('a programmer of a channel (skipped where Chromium is not installed)', () => {
  const run = testLocalRun('--no-demo');
  const browser = journeyBrowser();
  const folder = mkdtempSync(join(tmpdir(), 'programming-'));
  let page: Page;
  let ingest: FaultyIngest;
  let streamID: string;
  beforeAll(async () => {
    ({ page } = browser);
    ingest = await startFaultyIngest();
    const tools = await findMediaTools(process.env);
    for (const [index, { name, folder: place, seconds }] of clips.entries()) {
      const path = join(folder, `${name}.mp4`);
      await makeColourClip(tools, { path, colour: [40 * index, 200, 90], toneHz: 300 + 100 * index, seconds });
      const id = await uploadFile(run.api, path, 'video/mp4');
      await run.api('PATCH', `/uploads/${id}`, { name, folder: place });
    }
    const target = { rtmpURL: ingest.rtmpURL, streamKey: 'key' };
    const { id: destinationID } = await run.api('POST', '/destinations', { name: 'ingest', ...target });
    const format = { quality: 'q_720p', framerate: 'f_30', streamBackend: 'manifest' };
    ({ id: streamID } = await run.api('POST', '/streams', { name: 'Channel one', destinationID, ...format }));
  });
  afterAll(async () => {
    await ingest[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  const section = (heading: string): Locator =>
    page.locator('section', { has: page.getByRole('heading', { name: heading, exact: true }) });
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const save = async (): Promise<void> => {
    await button('Save draft').click();
    // The button is also disabled while the draft is being saved.
    await page.getByText('You have edits that are not saved yet.').waitFor({ state: 'detached' });
  };

  test('makes collections, and is told beside the field what one lacks', async () => {
    await browser.signIn(run, '/collections');
    for (const name of ['Songs', 'Jingles', 'News']) {
      await page.getByRole('link', { name: 'New collection' }).click();
      if (name === 'Songs') {
        await page.getByLabel('Name').fill(name);
        await choose(page, 'Filled by', 'Tags');
        await button('Create it').click();
        await page.getByText('Enter at least one tag.').waitFor();
        await choose(page, 'Filled by', 'A folder of the library');
        await choose(page, 'Order', 'Shuffled');
      }
      await page.getByLabel('Name').fill(name);
      await page.getByLabel('Folder', { exact: true }).fill(name);
      expect(await browser.look('collection-new')).toEqual([]);
      await button('Create it').click();
      await page.getByRole('heading', { name, exact: true }).waitFor();
      if (name === 'News') {
        await page.getByLabel('Also files in folders inside it').uncheck();
        await button('Save').click();
        await page.getByText('Saved.').waitFor();
      }
      await section('In it now')
        .getByText(clips.find((clip) => clip.folder === name)!.name)
        .waitFor();
      await page.getByRole('link', { name: 'All collections' }).click();
    }
    await page.getByText('folder Songs and folders in it', { exact: false }).waitFor();
    await page.getByText('folder News · as listed', { exact: false }).waitFor();
    expect(await browser.look('collections')).toEqual([]);
  });

  test('makes a programme of two blocks and a jingle, with faults at their fields', async () => {
    await page.goto(`${run.connection.siteURL}/streams/${streamID}/programme`);
    await button('New programme').click();
    await page.getByRole('heading', { name: 'Programme of Channel one' }).waitFor();
    await button('Add a block').click();
    const blocks = section('Blocks');
    await blocks.getByLabel('Name', { exact: true }).fill('Music');
    await choose(blocks, 'Collection or file', 'Songs');
    await blocks.locator('summary').first().click();
    await button('Add a block').click();
    await blocks.getByLabel('Name', { exact: true }).fill('Evening news');
    await choose(blocks, 'When', 'On days of the week');
    for (const day of ['Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']) await blocks.getByLabel(day).check();
    await blocks.getByLabel('From').fill('');
    await choose(blocks, 'Begins', 'to the second: it cuts off what plays');
    await button('Save draft').click();
    await blocks.getByText('Enter a time, such as 20:00.').waitFor();
    await blocks.getByText('Choose a collection or a file.').waitFor();
    expect(await blocks.getByLabel('From').getAttribute('aria-invalid')).toBe('true');
    expect(await browser.look('programme-faults')).toEqual([]);
    await blocks.getByLabel('From').fill('20:00');
    await choose(blocks, 'Collection or file', 'News');
    const answer = Promise.withResolvers<void>();
    await page.route('**/programmes/*', async (route) => {
      if (route.request().method() === 'PATCH') await answer.promise;
      await route.continue();
    });
    await button('Save draft').click();
    await expect.poll(() => button('Save draft').isDisabled()).toBe(true);
    // An edit that is made while the draft is being saved stays.
    await button('Add an insert').click();
    answer.resolve();
    const inserts = section('Inserts');
    await expect.poll(() => button('Save draft').isEnabled()).toBe(true);
    await page.unroute('**/programmes/*');
    expect(await blocks.locator('.fault').count()).toBe(0);
    await inserts.getByLabel('Name', { exact: true }).fill('Jingle');
    await choose(inserts, 'Collection or file', 'Jingles');
    await inserts.getByLabel('Every … items').fill('2');
    await inserts.getByLabel('Fewest minutes between two breaks').fill('5');
    await choose(inserts, 'Ends with', 'Station jingle');
    await choose(inserts, 'Beginning and end of a break', 'By the joins of the stream, such as a crossfade');
    await save();
    const inWords = 'Jingles after every 2 items, at least 5 min apart';
    await inserts.getByText(`${inWords}, joined as the stream joins items`).waitFor();
    const programme = await run.api('GET', new URL(page.url()).pathname);
    expect(programme.inserts[0]).toMatchObject({
      shortestGapMinutes: 5,
      outroUploadID: expect.stringMatching(/^upl_/),
      join: 'as_stream',
    });
    // Its next items may follow at once, and nothing closes its breaks.
    await inserts.getByLabel('Fewest minutes between two breaks').fill('0');
    await choose(inserts, 'Ends with', 'Nothing');
    await choose(inserts, 'Beginning and end of a break', 'By cuts');
    await save();
    await inserts.getByText('Jingles after every 2 items').waitFor();
  });

  test('sees the week, and opens the form of a block from it with the keyboard', async () => {
    await page.reload();
    const week = section('Week');
    await expect.poll(() => week.getByRole('button', { name: /^Evening news 20:00–21:00$/ }).count()).toBe(7);
    await week
      .getByRole('button', { name: /Evening news/ })
      .first()
      .focus();
    await page.keyboard.press('Enter');
    const blocks = section('Blocks');
    await expect.poll(() => blocks.getByLabel('Name', { exact: true }).inputValue()).toBe('Evening news');
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain('Evening news');
    await blocks.getByLabel('For how many minutes').fill('90');
    await week
      .getByRole('button', { name: /^Evening news 20:00–21:30$/ })
      .first()
      .waitFor();
    const path = new URL(page.url()).pathname;
    await run.api('PATCH', path, { insertSecondsPerHour: 600 });
    await button('Save draft').click();
    await page.getByText('Another person has changed the programme', { exact: false }).waitFor();
    await button('Discard edits').click();
    await week
      .getByRole('button', { name: /^Evening news 20:00–21:00$/ })
      .first()
      .waitFor();
    expect(await browser.look('programme')).toEqual([]);
  });

  test('changes the hours of a block in the week, by pointer, keys and menu, and undoes that', async () => {
    await page.reload();
    const week = section('Week');
    const at = (times: string) => week.getByRole('button', { name: `Evening news ${times}`, exact: true });
    const undo = week.getByRole('button', { name: 'Undo' });
    const drag = async (from: Locator, right: number, down: number): Promise<void> => {
      await from.scrollIntoViewIfNeeded();
      const { x, y, width, height } = (await from.boundingBox())!;
      await page.mouse.move(x + width / 2, y + height / 2);
      await page.mouse.down();
      await page.mouse.move(x + width / 2 + right / 2, y + height / 2 + down / 2);
      await page.mouse.move(x + width / 2 + right, y + height / 2 + down);
      await page.mouse.up();
    };
    await at('20:00–21:00').first().waitFor();
    const day = (await week.locator('.times').first().boundingBox())!;
    const hourPx = day.height / 24;
    await drag(at('20:00–21:00').first(), 0, -2 * hourPx);
    await expect.poll(() => at('18:00–19:00').count()).toBe(7);
    expect(await week.getByText('Evening news: Every day from 18:00 for 1 h').count()).toBe(1);
    // The release of the pointer opens no form.
    expect(await section('Blocks').getByLabel('Name', { exact: true }).count()).toBe(0);
    await drag(week.locator('[data-edge="end"]').first(), 0, hourPx / 2);
    await expect.poll(() => at('18:00–19:30').count()).toBe(7);
    await undo.click();
    await expect.poll(() => at('18:00–19:00').count()).toBe(7);
    await undo.click();
    await expect.poll(() => at('20:00–21:00').count()).toBe(7);
    expect(await undo.count()).toBe(0);

    await at('20:00–21:00').nth(1).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Shift+ArrowUp');
    await expect.poll(() => at('20:05–21:00').count()).toBe(7);
    expect(
      await at('20:05–21:00')
        .nth(1)
        .evaluate((each) => each === document.activeElement),
    ).toBe(true);
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    await expect.poll(() => at('20:00–21:00').count()).toBe(7);
    expect(await button('Save draft').isDisabled()).toBe(true);

    await at('20:00–21:00').first().click({ button: 'right' });
    const menu = page.getByRole('menu');
    await menu.getByRole('menuitem', { name: '15 minutes longer' }).waitFor();
    expect(await menu.getByRole('menuitem', { name: 'To the day after' }).getAttribute('aria-disabled')).toBe('true');
    await menu.getByRole('menuitem', { name: '15 minutes longer' }).click();
    await expect.poll(() => at('20:00–21:15').count()).toBe(7);
    expect(await browser.look('programme-week-edited')).toEqual([]);
    await undo.click();
    await page.mouse.move(0, 0);
  });

  test('moves one day of a block to another one, and the focus follows it', async () => {
    const [week, blocks] = [section('Week'), section('Blocks')];
    const column = (place: number) =>
      week
        .getByRole('group')
        .nth(place)
        .getByRole('button', { name: /^Evening news / });
    await column(0).first().click();
    await blocks.getByLabel('Sun').uncheck();
    await column(5).first().focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(async () => [await column(5).count(), await column(6).count()]).toEqual([0, 1]);
    expect(
      await column(6)
        .first()
        .evaluate((each) => each === document.activeElement),
    ).toBe(true);
    await page.keyboard.press('Control+z');
    await expect.poll(async () => [await column(5).count(), await column(6).count()]).toEqual([1, 0]);
    await button('Discard edits').click();
    await expect.poll(() => column(6).count()).toBe(1);
  });

  test('lets a live input take over in a block, and sees it in the week', async () => {
    const { id } = await run.api('POST', '/live-inputs', { name: 'Studio', streamID });
    await page.reload();
    const [week, blocks] = [section('Week'), section('Blocks')];
    const inputs = async () => {
      const { blocks: saved } = await run.api('GET', new URL(page.url()).pathname);
      return saved.map(({ liveInputID }: { liveInputID: string | null }) => liveInputID);
    };
    await week
      .getByRole('button', { name: /Evening news/ })
      .first()
      .click();
    await choose(blocks, 'Live input', 'Studio');
    await expect.poll(() => week.getByRole('button', { name: /^Evening news 20:00–21:00, live$/ }).count()).toBe(7);
    await save();
    await blocks.getByText('live from Studio').waitFor();
    expect(await browser.look('programme-live')).toEqual([]);
    await expect.poll(inputs).toEqual([null, id]);
    await choose(blocks, 'Live input', 'None');
    await save();
    await expect.poll(inputs).toEqual([null, null]);
  });

  test('simulates a day to come, and takes it as a table', async () => {
    await page.getByRole('link', { name: 'See what plays on a day' }).click();
    await button('Day after').click();
    await section('Totals').getByText('block “Evening news”').waitFor();
    const rows = page.locator('.timetable li');
    await expect.poll(() => rows.count()).toBeGreaterThan(100);
    await rows.filter({ hasText: 'Insert · Jingle · Music' }).first().waitFor();
    expect(await browser.look('programme-day', '#content section')).toEqual([]);
    const href = await page.getByRole('link', { name: /^Download as CSV/ }).getAttribute('href');
    const table = await page.evaluate(async (path) => (await fetch(path!)).text(), href);
    expect(table.split('\n')[0]).toContain('startAt,endAt,kind,name');
    await page.getByRole('link', { name: 'Back to the programme' }).click();
  });

  test('compares, publishes, changes a rule and reads which rows change due to it, and reverts', async () => {
    await button('Show what a publish changes').click();
    const changes = section('What changes');
    await changes.getByText('Due to block “Music”', { exact: false }).first().waitFor();
    await button('Publish').click();
    await page.getByText('The stream plays this draft.').waitFor();
    const inserts = section('Inserts');
    await inserts.locator('summary').click();
    await inserts.getByLabel('Every … items').fill('1');
    await save();
    await page.getByText('The stream plays an older version until you publish.').waitFor();
    await button('Show what a publish changes').click();
    await changes.getByText('Changed: insert “Jingle”.').waitFor();
    await changes.getByText('Due to insert “Jingle”').first().waitFor();
    await changes.getByText('Station jingle').first().waitFor();
    expect(await browser.look('programme-changes')).toEqual([]);
    await page.getByRole('button', { name: /^Revert to the version/ }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revert' }).click();
    await section('Inserts').getByText('Jingles after every 2 items').waitFor();
    await button('Publish').click();
    await page.getByText('The stream plays this draft.').waitFor();
  });

  test('starts it, skips one row by two clicks, and lets a file play next', async () => {
    await page.getByRole('link', { name: 'Back to the stream' }).click();
    await button('Start').click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Start' }).click();
    await page.locator('.badge', { hasText: 'Live' }).first().waitFor();
    const timeline = section('Now and next');
    await timeline.getByText(/Now · .* · Item/).waitFor();
    const rowsOf = async () => (await run.api('GET', `/streams/${streamID}/timeline?limit=10`)).data;
    const before = await rowsOf();
    const [, skipped] = before;
    await timeline
      .getByRole('button', { name: /^Skip / })
      .nth(1)
      .dblclick();
    await timeline.getByText('Skipped. The next one begins at', { exact: false }).waitFor();
    const after = await rowsOf();
    expect(after[1]).toMatchObject({ startAt: skipped.startAt, uploadID: before[2].uploadID });
    const programme = section('Play next');
    await choose(programme, 'File', 'Evening bulletin');
    await button('Play next').click();
    await programme.getByText(/^plays at /).waitFor();
    await timeline.getByText('Evening bulletin').waitFor();
    await timeline.getByText(/ · Queued$/).waitFor();
    expect(await browser.look('stream-of-programme')).toEqual([]);
    await choose(programme, 'File', 'Red sun');
    await button('Play next').click();
    await button('Remove Red sun').click();
    await button('Remove Red sun').waitFor({ state: 'detached' });
    await until(async () => (await rowsOf())[0].kind === 'queued');
    await timeline.getByText(/Now · .* · Queued/).waitFor();
    const [{ startAt, uploadID }] = await rowsOf();
    await run.api('POST', `/streams/${streamID}/skip`, { startAt, uploadID });
    await timeline.getByRole('button', { name: /^Skip Evening bulletin/ }).click();
    await timeline.getByText('It ends in a moment', { exact: false }).waitFor();
  });

  test('the browser has complained of nothing, and blocked nothing', () => {
    expect(browser.complaints).toEqual([]);
  });
});
