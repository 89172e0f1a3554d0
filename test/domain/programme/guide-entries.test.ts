// Guides of programmes: entries of items and of blocks, made of the rows of any plan.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { msOfFrame } from '../../../lambda/domain/programme/frame-grid.ts';
import { GuideBlocks } from '../../../lambda/domain/programme/guide-entries.ts';
import type { GuideEntry, GuideRow } from '../../../lambda/domain/programme/guide-entries.ts';
import { factsOfRow } from '../../../lambda/domain/programme/planned-entries.ts';
import type { PlannedRow } from '../../../lambda/domain/programme/planned-row.ts';
import type { ProgrammeRules } from '../../../lambda/domain/programme/programme-rules.ts';
import { at, block, collection, days, grid, hours, insert, items, midnight, planned, rules } from './programmes.ts';

interface Row extends GuideRow {
  readonly name: string;
}

function rowOf(row: PlannedRow): Row {
  const timeOf = (frame: number) => new Date(msOfFrame(grid, frame));
  return {
    name: row.item.uploadID,
    startAt: timeOf(row.startFrame),
    endAt: timeOf(row.startFrame + row.frameCount),
    itemStartAt: timeOf(row.itemStartFrame ?? row.startFrame),
    occurrence: { planned: factsOfRow(row) },
  };
}

/** Songs of 200 s with a jingle after each, films with a sponsor each 15 minutes, and two filler items. */
const all = {
  songs: collection(
    items('song', 12, () => 200),
    'sequential',
  ),
  films: collection(
    items('film', 2, () => 2000),
    'sequential',
  ),
  jingle: collection(items('jingle', 1, () => 10)),
  sponsor: collection(items('sponsor', 1, () => 30)),
  filler: collection(items('filler', 2, (index) => 20 + 9 * index)),
};
const programme = (facts: Partial<ProgrammeRules> = {}) =>
  rules({
    blocks: [
      block('songs'),
      block('films', { hours: at('01:00', 90), starts: 'hard', ends: 'fill' }),
      block('night', { hours: at('23:00', 120), starts: 'hard', ends: 'cut', steps: block('songs').steps }),
    ],
    inserts: [
      insert('jingle', { when: { everyItems: 1 } }),
      insert('sponsor', { when: { midRoll: { everyMinutes: 15, keepLastMinutes: 5, blockID: null } } }),
    ],
    filler: { from: { collectionID: 'filler' } },
    ...facts,
  });

async function rowsOf(given: ProgrammeRules, untilMs = midnight + days(1)): Promise<Row[]> {
  return (await planned(given, all, { untilMs })).rows.map(rowOf);
}

const withGuide = (id: string, guide: 'block' | 'hidden') => {
  const given = programme();
  return { ...given, blocks: given.blocks.map((each) => (each.id === id ? { ...each, guide } : each)) };
};

const shown = (entries: readonly GuideEntry<Row>[]) =>
  entries.map(({ startAt, endAt, block: whole, row }) => {
    const time = (date: Date) => date.toISOString().slice(11, 19);
    return `${time(startAt)}-${time(endAt)} ${whole?.name ?? row.name}`;
  });

describe('a guide', () => {
  test('has an entry for each item, with the breaks and the filler of its block that follow it', async () => {
    const given = programme();
    const entries = shown(new GuideBlocks(given).entriesOf(await rowsOf(given)));
    expect(entries.slice(0, 2)).toEqual(['00:00:00-00:03:30 song0', '00:03:30-00:07:00 song1']);
    const films = entries.filter((entry) => entry.includes('film'));
    expect(films.slice(0, 1)).toEqual(['01:00:10-01:34:10 film0']);
    expect(films.at(-1)).toMatch(/-02:30:00 film\d$/);
    expect(entries.some((entry) => /jingle|sponsor|filler/.test(entry))).toBe(false);
  });

  test('has one entry for a block with all that it plays, and none for a hidden one', async () => {
    const asBlock = withGuide('films', 'block');
    const entries = shown(new GuideBlocks(asBlock).entriesOf(await rowsOf(asBlock)));
    expect(entries.filter((entry) => entry.includes('film'))).toEqual(['01:00:00-02:30:00 films']);
    const hidden = withGuide('films', 'hidden');
    const others = shown(new GuideBlocks(hidden).entriesOf(await rowsOf(hidden)));
    expect(others.filter((entry) => entry.includes('film'))).toEqual([]);
    expect(others.some((entry) => entry.startsWith('01:'))).toBe(false);
    expect(others.length).toBeGreaterThan(100);
  });

  test('has two entries for a block that another one interrupts, and ends one without hours at midnight', async () => {
    const given = withGuide('songs', 'block');
    const zone = { ...given, timeZone: 'Europe/Berlin', blocks: given.blocks.slice(0, 2) };
    const rows = await rowsOf(zone, midnight + days(2));
    const entries = new GuideBlocks(zone).entriesOf(rows).filter(({ block: whole }) => whole !== null);
    const begins = entries.map(({ startAt }) => startAt.toISOString().slice(0, 13));
    // The films are from 00:00 to 01:30 UTC, and midnight of Berlin is at 23:00 UTC.
    expect(begins).toEqual(
      ['2026-01-05T01', '2026-01-05T23', '2026-01-06T01', '2026-01-06T23'].slice(0, begins.length),
    );
    expect(begins.length).toBeGreaterThanOrEqual(3);
  });

  test('looks back for the beginning of a block, and for the item that a break follows', async () => {
    const asBlock = withGuide('films', 'block');
    const blocks = new GuideBlocks(asBlock);
    const rows = await rowsOf(asBlock);
    const film = rows.findLast(({ name }) => name.startsWith('film'))!;
    expect(blocks.lookBackOf(film)).toEqual(new Date(midnight + hours(1)));
    const song = rows.find(({ name }) => name.startsWith('song'))!;
    expect(blocks.lookBackOf(song)).toBeNull();
    const jingle = rows.find(({ name }) => name.startsWith('jingle'))!;
    expect(blocks.lookBackOf(jingle)!.getTime()).toBeLessThan(song.startAt.getTime());
    const [entry] = blocks.entriesOf([film]);
    expect(blocks.endByHours(entry!)).toEqual(new Date(midnight + hours(2.5)));
  });

  test('of a playlist has each item, and rows of removed blocks have their items', async () => {
    const given = programme();
    const rows = await rowsOf(given);
    const none = new GuideBlocks(null).entriesOf(rows);
    expect(shown(none)).toEqual(shown(new GuideBlocks(given).entriesOf(rows)));
    const unplanned = rows.map((row): Row => ({ ...row, occurrence: {} }));
    expect(new GuideBlocks(given).entriesOf(unplanned).length).toBeGreaterThan(none.length);
  });

  test('has the same entries at any time, once it has looked back', async () => {
    const given = withGuide('films', 'block');
    const blocks = new GuideBlocks(given);
    const rows = await rowsOf(given);
    const whole = shown(blocks.entriesOf(rows));
    fc.assert(
      fc.property(fc.nat(rows.length - 1), (place) => {
        const from = blocks.lookBackOf(rows[place]!) ?? rows[place]!.startAt;
        const known = rows.filter(({ endAt }) => endAt > from);
        const later = shown(blocks.entriesOf(known).filter(({ endAt }) => endAt > rows[place]!.startAt));
        expect(whole.slice(-later.length)).toEqual(later);
      }),
    );
  });
});
