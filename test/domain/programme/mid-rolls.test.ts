// Mid-rolls: breaks within long items, which leave everything else as it is.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { frameOfMs, msOfFrame } from '../../../lambda/domain/programme/frame-grid.ts';
import type { PlannableItem } from '../../../lambda/domain/programme/plannable.ts';
import type { Plan } from '../../../lambda/domain/programme/plan-request.ts';
import { applyRow, continuesItem, heardAs, stateOfBeginning } from '../../../lambda/domain/programme/planned-row.ts';
import type { PlannedRow, TimedRow } from '../../../lambda/domain/programme/planned-row.ts';
import { plan } from '../../../lambda/domain/programme/planner.ts';
import type { Insert, MidRoll, ProgrammeRules } from '../../../lambda/domain/programme/programme-rules.ts';
import { frameCountOf } from '../../../lambda/domain/playout/play-out.ts';
import { Heard } from '../../../lambda/domain/programme/separation.ts';
import { at, block, collection, days, grid, hours, insert, item, items } from './programmes.ts';
import { midnight, planned, requestOf, rules, step, timeOf } from './programmes.ts';
import type { Collections } from './programmes.ts';

const rate = grid.framesPerSecond;
const sponsors = collection(
  items('sponsor', 3, () => 30),
  'sequential',
);
const films = collection(
  items('film', 4, (index) => 5000 + 100 * index),
  'sequential',
);
const all = {
  films,
  sponsor: sponsors,
  intro: collection([item('intro', 5)]),
  outro: collection([item('outro', 4)]),
};
const midRoll = (facts: Partial<MidRoll> = {}) => {
  return { midRoll: { everyMinutes: 15, keepLastMinutes: 10, blockID: null, ...facts } };
};
const sponsor = (facts: Partial<Insert> = {}) => insert('sponsor', { when: midRoll(), perBreak: 2, ...facts });
const programme = (facts: Partial<ProgrammeRules> = {}) =>
  rules({ blocks: [block('films')], inserts: [sponsor()], ...facts });

/** The rows as upload, first second and seconds. */
const played = (rows: readonly PlannedRow[]) =>
  rows.map(({ item: { uploadID }, part, frameCount }) => [uploadID, part?.fromSeconds ?? 0, frameCount / rate]);

const timed = (row: PlannedRow): TimedRow => ({
  row,
  startMs: msOfFrame(grid, row.startFrame),
  endMs: msOfFrame(grid, row.startFrame + row.frameCount),
});

describe('a mid-roll', () => {
  test('divides an item each so many minutes, but for its last ones', async () => {
    const { rows } = await planned(programme(), all);
    expect(played(rows.slice(0, 15))).toEqual([
      ['film0', 0, 900],
      ['sponsor0', 0, 30],
      ['sponsor1', 0, 30],
      ['film0', 900, 900],
      ['sponsor2', 0, 30],
      ['sponsor0', 0, 30],
      ['film0', 1800, 900],
      ['sponsor1', 0, 30],
      ['sponsor2', 0, 30],
      ['film0', 2700, 900],
      ['sponsor0', 0, 30],
      ['sponsor1', 0, 30],
      ['film0', 3600, 1400],
      ['film1', 0, 900],
      ['sponsor2', 0, 30],
    ]);
    expect(rows.slice(0, 15).every(({ isCutOff, blockID }) => !isCutOff && blockID === 'films')).toBe(true);
  });

  test('has an intro and an outro, and is only in items of its block', async () => {
    const uploads = { introUploadID: 'intro', outroUploadID: 'outro' };
    const given = programme({ inserts: [sponsor({ ...uploads, perBreak: 1, when: midRoll({ blockID: 'films' }) })] });
    const request = await requestOf(given, all);
    const collections = new Map([
      ...request.collections,
      ['upload/intro', all.intro] as const,
      ['upload/outro', all.outro] as const,
    ]);
    const { rows } = plan({ ...request, collections });
    expect(played(rows.slice(1, 4)).map(([id]) => id)).toEqual(['intro', 'sponsor0', 'outro']);
    const elsewhere = programme({ inserts: [sponsor({ when: midRoll({ blockID: 'other' }) })] });
    expect((await planned(elsewhere, all)).rows.every(({ part }) => part === undefined)).toBe(true);
  });

  test('leaves an item whole that is shorter than both times, and one without anything to play', async () => {
    const short = { ...all, films: collection([item('short', 1499)]) };
    expect((await planned(programme(), short)).rows.every(({ part }) => part === undefined)).toBe(true);
    const long = { ...all, films: collection([item('long', 1500)]) };
    expect(played((await planned(programme(), long)).rows.slice(0, 4)).map(([, , seconds]) => seconds)).toEqual([
      900, 30, 30, 600,
    ]);
    const { rows } = await planned(programme(), { films });
    expect(rows.every(({ part }) => part === undefined)).toBe(true);
  });

  test('is moved to black pictures within half a minute, on the grid of keyframes', async () => {
    const black = [
      [920.7, 923.1],
      [1765, 1767],
      [2701.2, 2701.9],
      [3640, 3645],
    ] as const;
    const { rows } = await planned(programme(), { ...all, films: collection([item('film', 6000, { black })]) });
    const own = rows.filter(({ kind }) => kind === 'item').slice(0, 7);
    expect(own.map(({ part }) => part?.fromSeconds)).toEqual([0, 922, 1800, 2700, 3600, 4500, 5400]);
    const near = [[3629, 3645]] as const;
    const { rows: others } = await planned(programme(), {
      ...all,
      films: collection([item('film', 6000, { black: near })]),
    });
    expect(others.map(({ part }) => part?.fromSeconds)).toContain(3630);
  });

  test('keeps the limits of inserts: a break that they forbid is left out', async () => {
    const breaksOf = ({ rows }: Plan) => rows.filter(({ beginsBreak }) => beginsBreak).length;
    const day = breaksOf(await planned(programme(), all));
    expect(breaksOf(await planned(programme({ inserts: [sponsor({ mostPerHour: 1 })] }), all))).toBeLessThan(day / 2);
    const gap = await planned(programme({ inserts: [sponsor({ shortestGapMinutes: 20 })] }), all);
    expect(played(gap.rows.slice(0, 6)).filter(([id]) => id === 'film0')).toEqual([
      ['film0', 0, 900],
      ['film0', 900, 1800],
    ]);
    expect(breaksOf(await planned(programme({ insertSecondsPerHour: 60 }), all))).toBeLessThan(day / 2);
  });

  test('is left out if it would have its item cut off, and a hard start drops the rest of an item', async () => {
    const show = block('show', { hours: at('00:00', 90), ends: 'fill', steps: [step('films')] });
    const filler = { from: { collectionID: 'sponsor' } };
    const filled = await planned(rules({ blocks: [show, block('films')], inserts: [sponsor()], filler }), all);
    // The film has 5,000 s of 5,400 s, and its four breaks 240 s.
    expect(filled.rows.filter(({ isCutOff, kind }) => isCutOff && kind === 'item')).toEqual([]);
    const tight = { ...show, hours: at('00:00', 85) };
    const { rows } = await planned(rules({ blocks: [tight, block('films')], inserts: [sponsor()], filler }), all);
    expect(played(rows.slice(0, 6)).filter(([id]) => id === 'film0')).toEqual([
      ['film0', 0, 900],
      ['film0', 900, 4100],
    ]);
    const hard = block('news', { hours: at('01:30', 10), starts: 'hard', steps: [step('films')] });
    const cut = await planned(rules({ blocks: [block('films'), hard], inserts: [sponsor()] }), all);
    const news = cut.rows.findIndex(({ blockID }) => blockID === 'news');
    expect(timeOf(cut.rows[news]!.startFrame)).toBe('01:30:00');
    expect(cut.rows[news - 1]).toMatchObject({ isCutOff: true });
    const [first, second] = cut.rows.slice(news).filter(({ kind }) => kind === 'item');
    expect([first!, second!].map(continuesItem)).toEqual([false, true]);
    expect(second!.item.uploadID).toBe(first!.item.uploadID);
  });

  test('of queued items is as of others, and a queued item is planned once', async () => {
    const queue = [{ number: 3, item: item('queued', 2000) }];
    const { rows, state } = await planned(programme(), all, { queue });
    expect(rows[0]).toMatchObject({ kind: 'queued', queueNumber: 3 });
    expect(rows[3]).toMatchObject({ kind: 'queued', part: { fromSeconds: 900 }, itemStartFrame: 0 });
    expect(rows[3]).not.toHaveProperty('queueNumber');
    expect(state.queuedThrough).toBe(3);
  });

  test('does not delay breaks by the clock, which follow the whole item', async () => {
    const clock = insert('clock', { when: { atMinutes: [0] }, from: { collectionID: 'intro' } });
    const { rows } = await planned(programme({ inserts: [sponsor(), clock] }), all);
    const index = rows.findIndex(({ insertID }) => insertID === 'clock');
    expect(rows[index - 1]).toMatchObject({ part: { untilSeconds: null } });
    expect(continuesItem(rows[index + 1]!)).toBe(false);
  });
});

const anyMidRolls = fc.record({
  everyMinutes: fc.integer({ min: 1, max: 20 }),
  keepLastMinutes: fc.integer({ min: 1, max: 10 }),
  perBreak: fc.integer({ min: 1, max: 3 }),
  mostPerHour: fc.option(fc.integer({ min: 1, max: 4 })),
  gap: fc.integer({ min: 0, max: 15 }),
  seconds: fc.array(fc.integer({ min: 20, max: 6000 }), { minLength: 3, maxLength: 6 }),
  everyItems: fc.integer({ min: 1, max: 3 }),
  starts: fc.constantFrom('hard', 'next_item'),
  latestMinutes: fc.option(fc.integer({ min: 0, max: 30 })),
  ends: fc.constantFrom('finish', 'cut', 'fill'),
  hour: fc.integer({ min: 0, max: 23 }),
  minutes: fc.integer({ min: 10, max: 300 }),
  hasSecond: fc.boolean(),
  black: fc.array(fc.tuple(fc.integer({ min: 0, max: 5900 }), fc.integer({ min: 2, max: 9 })), { maxLength: 15 }),
});
type AnyMidRolls = typeof anyMidRolls extends fc.Arbitrary<infer Given> ? Given : never;

function programmeOf(given: AnyMidRolls): { programme: ProgrammeRules; collections: Collections } {
  const { everyMinutes, keepLastMinutes, perBreak, mostPerHour, gap, everyItems, hasSecond } = given;
  const { starts, latestMinutes, ends, hour, minutes } = given;
  const black = given.black.map(([from, seconds]) => [from, from + seconds] as const);
  const film = (id: string, seconds: number, index: number): PlannableItem =>
    item(id, seconds, { titles: { artist: `A${index % 3}` }, black });
  const limits = { perBreak, mostPerHour, shortestGapMinutes: gap };
  const other = insert('other', {
    when: midRoll({ everyMinutes: 7, blockID: 'show' }),
    from: { collectionID: 'intro' },
  });
  const own = at(`${String(hour).padStart(2, '0')}:20`, minutes);
  return {
    programme: rules({
      blocks: [
        block('all', { steps: [step('films', { weight: 3 }), step('songs', { weight: 2 })] }),
        block('show', { hours: own, starts, latestMinutes, ends, steps: [step('show')] }),
      ],
      inserts: [
        insert('sponsor', { ...limits, when: midRoll({ everyMinutes, keepLastMinutes }) }),
        ...(hasSecond ? [other] : []),
        insert('jingle', { when: { everyItems }, from: { collectionID: 'intro' } }),
      ],
      separation: [{ by: 'artist', tagPrefix: null, items: 1, minutes: 30, strength: 'should' }],
      filler: { from: { collectionID: 'filler' } },
    }),
    collections: {
      ...all,
      films: collection(given.seconds.map((seconds, index) => film(`film${index}`, seconds, index))),
      songs: collection(items('song', 6, (index) => 150 + 20 * index)),
      show: collection(given.seconds.map((seconds, index) => film(`show${index}`, seconds, index))),
      filler: collection(items('filler', 12, (index) => 10 + 5 * index)),
    },
  };
}

/** The rows of each item, from its first part to its last. */
function rowsOfItems(rows: readonly PlannedRow[]): PlannedRow[][] {
  const found: PlannedRow[][] = [];
  for (const row of rows.filter(({ kind }) => kind === 'item')) {
    if (continuesItem(row)) found.at(-1)!.push(row);
    else found.push([row]);
  }
  return found;
}

describe('any mid-rolls', () => {
  const until = { untilMs: midnight + days(2) };

  test('have the parts of an item cover its frames once and in order, unless it is cut off', async () => {
    await fc.assert(
      fc.asyncProperty(anyMidRolls, async (given) => {
        const { programme: wanted, collections } = programmeOf(given);
        const { rows } = await planned(wanted, collections, until);
        for (const [index, row] of rows.entries())
          expect(row.startFrame).toBe(index === 0 ? 0 : rows[index - 1]!.startFrame + rows[index - 1]!.frameCount);
        for (const own of rowsOfItems(rows).slice(0, -1)) {
          let frame = 0;
          for (const { item: heard, part, frameCount, itemStartFrame = own[0]!.startFrame } of own) {
            expect([heard.uploadID, (part?.fromSeconds ?? 0) * rate]).toEqual([own[0]!.item.uploadID, frame]);
            expect(frame % (2 * rate)).toBe(0);
            expect(itemStartFrame).toBe(own[0]!.startFrame);
            frame += frameCount;
          }
          const { isCutOff, part, startFrame, frameCount } = own.at(-1)!;
          const isBreakCutOff = part?.untilSeconds != null;
          const whole = frameCountOf(own[0]!.item, rate);
          if (isCutOff || isBreakCutOff) {
            expect(frame).toBeLessThan(whole);
            const next = rows.find((row) => row.startFrame > startFrame && row.kind !== 'insert');
            expect(next?.startFrame ?? 0).toBeGreaterThanOrEqual(startFrame + frameCount);
          } else expect(frame).toBe(whole);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('are planned in parts as in whole, and again from each boundary as before', async () => {
    await fc.assert(
      fc.asyncProperty(anyMidRolls, fc.integer({ min: 3, max: 20 }), fc.nat(), async (given, partHours, place) => {
        const { programme: wanted, collections } = programmeOf(given);
        const whole = await planned(wanted, collections, until);
        const request = await requestOf(wanted, collections, until);
        const heardFrom = (before: readonly TimedRow[]) => new Heard(wanted.separation, before.map(heardAs));
        const rows: PlannedRow[] = [];
        let last: Plan | null = null;
        while ((last?.endFrame ?? 0) < whole.endFrame) {
          const fromFrame: number = last?.endFrame ?? 0;
          const untilFrame = Math.min(fromFrame + frameOfMs(grid, midnight + hours(partHours)), request.untilFrame);
          const heard = heardFrom(rows.map(timed));
          last = plan({ ...request, heard, fromFrame, untilFrame, ...(last && { state: last.state }) });
          rows.push(...last.rows);
        }
        expect(rows).toEqual(whole.rows);
        const isContinued = ({ kind, beginsBreak }: PlannedRow, index: number) =>
          (kind === 'insert' && !beginsBreak) || (kind === 'filler' && rows[index - 1]?.kind === 'filler');
        const places = rows.flatMap((row, index) => (isContinued(row, index) ? [] : [index]));
        const divided = places.filter((index) => continuesItem(rows[index]!) || rows[index - 1]?.breakID);
        for (const index of [places[place % places.length]!, divided[place % Math.max(1, divided.length)] ?? 0]) {
          const state = stateOfBeginning();
          const blockOf = (id: string | null) => wanted.blocks.find((each) => each.id === id);
          const before = rows.slice(0, index).map(timed);
          for (const each of before) applyRow(state, each, blockOf(each.row.blockID));
          const kept = JSON.parse(JSON.stringify(state)) as typeof state;
          const fromFrame = rows[index]!.startFrame;
          const again = plan({ ...request, heard: heardFrom(before), fromFrame, state: kept });
          expect(again.rows).toEqual(rows.slice(index));
        }
      }),
      { numRuns: 60 },
    );
  });

  test('change neither the order of items nor their shares, but for the times of blocks', async () => {
    await fc.assert(
      fc.asyncProperty(anyMidRolls, async (given) => {
        const { programme: wanted, collections } = programmeOf(given);
        const [everywhere] = wanted.blocks;
        const always = { ...wanted, blocks: [everywhere!], filler: null, separation: [] };
        const none = { ...always, inserts: always.inserts.filter(({ when }) => !('midRoll' in when)) };
        const [divided, plain] = [await planned(always, collections, until), await planned(none, collections, until)];
        const orderOf = ({ rows }: Plan) => rowsOfItems(rows).map(([first]) => first!.item.uploadID);
        const [order, other] = [orderOf(divided), orderOf(plain)];
        expect(order).toEqual(other.slice(0, order.length));
      }),
      { numRuns: 40 },
    );
  });
});
