// Rows of a plan that are joined as the stream wants it: their overlaps, their seams without a join, and plans again.
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { joinWithin, longestJoinOf } from '../../../lambda/domain/playout/item-joins.ts';
import type { TrackJoins } from '../../../lambda/domain/playout/item-joins.ts';
import { frameCountOf } from '../../../lambda/domain/playout/play-out.ts';
import { overlapFrames } from '../../../lambda/domain/playout/sound.ts';
import { msOfFrame } from '../../../lambda/domain/programme/frame-grid.ts';
import { applyRow, heardAs, stateOfBeginning } from '../../../lambda/domain/programme/planned-row.ts';
import type { PlannedRow, TimedRow } from '../../../lambda/domain/programme/planned-row.ts';
import { plan } from '../../../lambda/domain/programme/planner.ts';
import {
  at,
  block,
  collection,
  days,
  grid,
  hours,
  insert,
  item,
  items,
  midnight,
  planned,
  requestOf,
  rules,
  step,
  told,
} from './programmes.ts';

const runs = process.env['SUITE'] === 'nightly' ? 1000 : 60;
const rate = grid.framesPerSecond;
const crossfade = (seconds: number, track: TrackJoins['track'] = 'video'): TrackJoins => ({
  track,
  ofStream: { kind: 'crossfade', seconds },
  stinger: null,
});
const songs = collection(
  items('song', 5, () => 100),
  'sequential',
);
const music = (more: object = {}) => rules({ blocks: [block('song')], ...more });
const overlapOf = (row: PlannedRow, joins: TrackJoins) =>
  row.joinSeconds === undefined ? 0 : overlapFrames(joinWithin(row.item, row.joinSeconds, joins), rate);

describe('rows of a stream with a crossfade', () => {
  const untilMs = midnight + 600_000;

  it('begin while the row before ends', async () => {
    const { rows } = await planned(music(), { song: songs }, { untilMs, joins: crossfade(2) });
    expect(told({ rows }).slice(0, 3)).toEqual(['00:00:00 song0', '00:01:38 song1', '00:03:16 song2']);
    expect(rows.slice(0, 3).map(({ frameCount }) => frameCount / rate)).toEqual([98, 98, 98]);
    expect(rows.at(-1)).toMatchObject({ frameCount: 100 * rate });
    expect(rows.at(-1)!.joinSeconds).toBeUndefined();
  });

  it('overlap for half of the shorter one of the two at most', async () => {
    const mixed = collection([item('long', 100), item('short', 5), item('other', 60)], 'sequential');
    const given = { untilMs, joins: crossfade(8, 'audio') };
    const { rows } = await planned(music(), { song: mixed }, given);
    // 2.5 s are 62.5 frames.
    expect(rows.slice(0, 4).map((row) => overlapOf(row, given.joins))).toEqual([63, 63, 200, 63]);
  });

  it.each(['cut', 'as_stream'] as const)('meet a break with join %s as it wants', async (join) => {
    const jingle = collection([item('jingle', 10)], 'sequential');
    const when = { everyItems: 2 };
    const inserts = [insert('jingle', { when, ...(join === 'as_stream' && { join }) })];
    const { rows } = await planned(music({ inserts }), { song: songs, jingle }, { untilMs, joins: crossfade(2) });
    expect(told({ rows }).slice(0, 4)).toEqual(
      join === 'cut'
        ? ['00:00:00 song0', '00:01:38 song1', '00:03:18 jingle', '00:03:28 song2']
        : ['00:00:00 song0', '00:01:38 song1', '00:03:16 jingle', '00:03:24 song2'],
    );
  });

  it('end by a cut before a queued item, and before filler, which hits the clock', async () => {
    const queue = [{ number: 1, item: item('wish', 30) }];
    const { rows } = await planned(music(), { song: songs }, { untilMs, joins: crossfade(2), queue });
    expect(told({ rows }).slice(0, 3)).toEqual(['00:00:00 wish', '00:00:30 song0', '00:02:08 song1']);
    const news = block('news', { hours: at('00:05', 5), starts: 'hard', ends: 'fill' });
    const filler = { from: { collectionID: 'filler' } };
    const fillers = collection([item('short', 7), item('long', 20)]);
    const { rows: filled } = await planned(
      rules({ blocks: [block('song', { ends: 'fill' }), news], filler }),
      { song: songs, filler: fillers, news: collection([item('bulletin', 120)]) },
      { untilMs, joins: crossfade(2) },
    );
    const place = filled.findIndex(({ blockID }) => blockID === 'news');
    expect(filled[place]!.startFrame).toBe(300 * rate);
    expect(filled[place - 1]!.joinSeconds).toBeUndefined();
    for (const [index, { kind, joinSeconds }] of filled.entries())
      if (kind === 'filler') expect([filled[index - 1]?.joinSeconds, joinSeconds]).toEqual([undefined, undefined]);
  });

  it('do not begin before the block that they belong to', async () => {
    const late = block('late', { hours: at('00:03', 60) });
    const long = collection([item('first', 181), item('second', 100)], 'sequential');
    const late0 = collection(items('late', 3, () => 60));
    const { rows } = await planned(
      rules({ blocks: [block('song'), late] }),
      { song: long, late: late0 },
      { untilMs, joins: crossfade(2) },
    );
    expect([rows[1]!.blockID, rows[1]!.startFrame]).toEqual(['late', 180 * rate]);
  });

  it('have room for a join that does not overlap, at the same times as without it', async () => {
    const dip: TrackJoins = { track: 'video', ofStream: { kind: 'dip', seconds: 1 }, stinger: null };
    const { rows } = await planned(music(), { song: songs }, { untilMs, joins: dip });
    const { rows: cut } = await planned(music(), { song: songs }, { untilMs });
    expect(told({ rows })).toEqual(told({ rows: cut }));
    expect(rows.slice(0, -1).every(({ joinSeconds }) => joinSeconds === 50)).toBe(true);
  });
});

describe('a plan behind a row that is on the air', () => {
  const untilMs = midnight + 600_000;
  const jingle = (seconds: number) => collection([item('jingle', seconds)], 'sequential');
  const often = (join?: 'as_stream') => [insert('jingle', { when: { everyItems: 1 }, ...(join && { join }) })];

  /** The plan from the second row on, once the programme or the joins have changed while the first one played. */
  async function plannedBehind(changed: object, { seconds = 10, joins = crossfade(2) } = {}) {
    const [row] = (await planned(music(), { song: songs }, { untilMs, joins: crossfade(2) })).rows;
    const before: TimedRow = { row: row!, startMs: midnight, endMs: midnight + 100_000 };
    const state = stateOfBeginning();
    applyRow(state, before, music().blocks[0]);
    const facts = { fromFrame: 98 * rate, state, heard: [heardAs(before)], before, joins };
    return planned(music(changed), { song: songs, jingle: jingle(seconds) }, { untilMs, ...facts });
  }

  it('joins it as it was planned if nothing has changed', async () => {
    const { before, rows } = await plannedBehind({});
    expect(before).toBeUndefined();
    expect(told({ rows })[0]).toBe('00:01:38 song1');
  });

  it('lets it end by a cut before a break that wants one', async () => {
    const { before, rows } = await plannedBehind({ inserts: often() });
    expect(before).toMatchObject({ item: { uploadID: 'song0' }, startFrame: 0, frameCount: 100 * rate });
    expect(before!.joinSeconds).toBeUndefined();
    expect(told({ rows }).slice(0, 2)).toEqual(['00:01:40 jingle', '00:01:50 song1']);
  });

  it('joins it with a break for as long as that has room for, and for no longer than was planned', async () => {
    const short = await plannedBehind({ inserts: often('as_stream') }, { seconds: 3 });
    expect([short.before?.joinSeconds, short.before?.frameCount]).toEqual([1.5, Math.floor(98.5 * rate)]);
    expect(short.rows[0]!.startFrame).toBe(Math.floor(98.5 * rate));
    const longer = await plannedBehind({}, { joins: crossfade(8, 'audio') });
    expect(longer.before).toBeUndefined();
    expect(longer.rows[0]!.startFrame).toBe(98 * rate);
  });

  it('lets it end by a cut once the stream joins nothing', async () => {
    const cut: TrackJoins = { track: 'video', ofStream: { kind: 'cut', seconds: 1 }, stinger: null };
    const { before, rows } = await plannedBehind({}, { joins: cut });
    expect([before?.frameCount, before?.joinSeconds]).toEqual([100 * rate, undefined]);
    expect(told({ rows })[0]).toBe('00:01:40 song1');
  });
});

const anyJoined = fc.record({
  seconds: fc.integer({ min: 5, max: 100 }).map((tenths) => tenths / 10),
  track: fc.constantFrom('video' as const, 'audio' as const),
  lengths: fc.array(fc.integer({ min: 2, max: 400 }), { minLength: 3, maxLength: 12 }),
  starts: fc.constantFrom('hard' as const, 'next_item' as const),
  ends: fc.constantFrom('finish' as const, 'cut' as const, 'fill' as const),
  minutes: fc.integer({ min: 1, max: 90 }),
  everyItems: fc.integer({ min: 1, max: 5 }),
  isJoined: fc.boolean(),
  apart: fc.integer({ min: 0, max: 3 }),
  hasFiller: fc.boolean(),
  seed: fc.integer({ min: 0, max: 2 ** 31 }),
});

function joinedProgramme(given: typeof anyJoined extends fc.Arbitrary<infer Value> ? Value : never) {
  const { lengths, starts, ends, minutes, everyItems, isJoined, apart, hasFiller, seed } = given;
  const show = block('show', { hours: at('01:00', minutes), starts, ends, steps: [step('show', { count: 2 })] });
  return {
    programme: rules({
      blocks: [block('song'), show],
      inserts: [insert('jingle', { when: { everyItems }, ...(isJoined && { join: 'as_stream' as const }) })],
      separation: [{ by: 'upload', tagPrefix: null, items: apart, minutes: 0, strength: 'must' }],
      filler: hasFiller ? { from: { collectionID: 'filler' } } : null,
      seed,
    }),
    collections: {
      song: collection(items('song', lengths.length, (index) => lengths[index]!)),
      show: collection(items('show', 4, (index) => 30 + 70 * index)),
      jingle: collection(items('jingle', 2, (index) => 3 + index)),
      filler: collection(items('filler', 8, (index) => 2 ** index)),
    },
    joins: crossfade(given.track === 'video' ? Math.min(2, given.seconds) : given.seconds, given.track),
  };
}

describe('any programme of a stream with a crossfade', () => {
  test('has rows without a hole, and joins only where both rows have room for them', async () => {
    await fc.assert(
      fc.asyncProperty(anyJoined, async (given) => {
        const { programme, collections, joins } = joinedProgramme(given);
        const { rows } = await planned(programme, collections, { untilMs: midnight + hours(3), joins });
        for (const [index, row] of rows.entries()) {
          const next = rows[index + 1];
          const overlap = overlapOf(row, joins);
          if (next) expect(next.startFrame).toBe(row.startFrame + row.frameCount);
          if (!row.isCutOff) expect(row.frameCount + overlap).toBe(frameCountOf(row.item, rate));
          if (overlap === 0) continue;
          const isJoined = ({ kind }: PlannedRow) => kind === 'item' || (kind === 'insert' && given.isJoined);
          expect([isJoined(row), isJoined(next!)]).toEqual([true, true]);
          expect(row.joinSeconds).toBeLessThanOrEqual(longestJoinOf(row.item.durationSeconds));
          expect(row.joinSeconds).toBeLessThanOrEqual(longestJoinOf(next!.item.durationSeconds));
        }
        const show = rows.find(({ blockID }) => blockID === 'show');
        if (given.starts === 'hard') expect(show!.startFrame).toBe(3600 * rate);
        else if (show) expect(show.startFrame).toBeGreaterThanOrEqual(3600 * rate);
      }),
      { numRuns: runs },
    );
  });

  test('is planned again from a row as before', async () => {
    await fc.assert(
      fc.asyncProperty(anyJoined, fc.nat(), async (given, chosen) => {
        const { programme, collections, joins } = joinedProgramme(given);
        const untilMs = midnight + hours(3);
        const { rows } = await planned(programme, collections, { untilMs, joins });
        const isContinued = ({ kind, beginsBreak }: PlannedRow, index: number) =>
          (kind === 'insert' && !beginsBreak) || (kind === 'filler' && rows[index - 1]?.kind === 'filler');
        const places = rows.flatMap((row, index) => (isContinued(row, index) ? [] : [index]));
        const index = places[chosen % places.length]!;
        const state = stateOfBeginning();
        const before = rows.slice(0, index).map((row): TimedRow => ({
          row,
          startMs: msOfFrame(grid, row.startFrame),
          endMs: msOfFrame(grid, row.startFrame + row.frameCount + overlapOf(row, joins)),
        }));
        for (const each of before)
          applyRow(
            state,
            each,
            programme.blocks.find(({ id }) => id === each.row.blockID),
          );
        const { startFrame: fromFrame } = rows[index]!;
        const facts = { fromFrame, state, heard: before.map(heardAs), joins, before: before.at(-1) };
        const fromMs = msOfFrame(grid, fromFrame) - 11_000;
        const request = await requestOf(programme, collections, { ...facts, fromMs, untilMs });
        expect(plan(request).rows).toEqual(rows.slice(index));
      }),
      { numRuns: runs },
    );
  });

  test('has the rows of a stream without joins if that stream cuts', async () => {
    await fc.assert(
      fc.asyncProperty(anyJoined, async (given) => {
        const { programme, collections, joins } = joinedProgramme(given);
        const untilMs = midnight + days(1);
        const cut = { ...joins, ofStream: { kind: 'cut' as const, seconds: 3 } };
        expect(await planned(programme, collections, { untilMs, joins: cut })).toEqual(
          await planned(programme, collections, { untilMs }),
        );
      }),
      { numRuns: 20 },
    );
  });
});
