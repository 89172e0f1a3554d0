// Plans of programmes: in whole and in parts, over days of summer time, and within the rules.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { frameOfMs, msOfFrame } from '../../../lambda/domain/programme/frame-grid.ts';
import { applyRow, stateOfBeginning } from '../../../lambda/domain/programme/planned-row.ts';
import type { PlannedRow } from '../../../lambda/domain/programme/planned-row.ts';
import { plan } from '../../../lambda/domain/programme/planner.ts';
import type { Plan } from '../../../lambda/domain/programme/plan-request.ts';
import type { Block, ProgrammeRules, SeparationRule } from '../../../lambda/domain/programme/programme-rules.ts';
import { at, block, collection, days, grid, hours, idsOf, insert, item, items } from './programmes.ts';
import { midnight, planned, requestOf, rules, step, timeOf, told } from './programmes.ts';
import type { Collections } from './programmes.ts';

const music = collection(items('song', 40, (index) => 180 + ((index * 37) % 120)));
const jingles = collection(
  items('jingle', 3, () => 8),
  'sequential',
);
const fillers = collection(items('filler', 20, (index) => 10 + index * 3));
const filler = { from: { collectionID: 'filler' } };

describe('blocks', () => {
  const news = block('news', { hours: at('06:00', 10), starts: 'hard', steps: [step('news', { cursor: 'rerun' })] });
  const bulletin = collection(
    items('bulletin', 3, () => 200),
    'sequential',
  );
  const all = { music, news: bulletin, filler: fillers };

  test('the block of the highest priority decides, and begins to the frame if it is hard', async () => {
    const { rows, gaps } = await planned(rules({ blocks: [block('music'), news] }), all);
    expect(gaps).toEqual([]);
    const first = rows.findIndex(({ blockID }) => blockID === 'news');
    expect(told({ rows: rows.slice(first, first + 4) })).toEqual([
      '06:00:00 bulletin0',
      '06:03:20 bulletin1',
      '06:06:40 bulletin2',
      expect.stringMatching(/^06:10:00 song/),
    ]);
    expect(rows[first - 1]).toMatchObject({ isCutOff: true, kind: 'item' });
  });

  test('a block that waits begins after the item, at the latest when its user says', async () => {
    const long = { music: collection(items('long', 5, () => 3000)), news: bulletin };
    const begins = async (latestMinutes: number | null) => {
      const soft: Block = { ...news, starts: 'next_item', latestMinutes, hours: at('06:00', 60) };
      const { rows } = await planned(rules({ blocks: [block('music'), soft] }), long);
      return timeOf(rows.find(({ blockID }) => blockID === 'news')!.startFrame);
    };
    expect(await begins(null)).toBe('06:40:00');
    expect(await begins(5)).toBe('06:05:00');
  });

  test('an end with filler is exact, and nothing of it is cut off that fits', async () => {
    const blocks = [block('music'), { ...news, ends: 'fill' as const, hours: at('06:00', 11) }];
    const { rows } = await planned(rules({ blocks, filler }), all);
    const own = rows.filter(({ blockID }) => blockID === 'news');
    expect(own.map(({ kind }) => kind).slice(0, 4)).toEqual(['item', 'item', 'item', 'filler']);
    const last = own.at(-1)!;
    expect(timeOf(last.startFrame + last.frameCount)).toBe('06:11:00');
    expect(own.some(({ isCutOff }) => isCutOff)).toBe(false);
  });

  test('steps in order take turns with their counts, and continue with the next occurrence', async () => {
    const steps = [step('music', { count: 2 }), step('news', { count: 1 })];
    const { rows } = await planned(rules({ blocks: [block('mixed', { isOrdered: true, steps })] }), all);
    const letters = idsOf(rows).map((id) => id[0]);
    expect(letters.slice(0, 9).join('')).toBe('ssbssbssb');
  });

  test('a time without a block has filler, and without filler it is named as a gap', async () => {
    const blocks = [{ ...news, hours: at('06:00', 60) }];
    const gapped = await planned(rules({ blocks }), all);
    expect(gapped.gaps[0]).toMatchObject({
      blockID: null,
      fromFrame: 0,
      untilFrame: frameOfMs(grid, midnight + hours(6)),
    });
    const filled = await planned(rules({ blocks, filler }), all);
    expect(filled.gaps).toEqual([]);
    const first = filled.rows.find(({ blockID }) => blockID === 'news')!;
    expect(timeOf(first.startFrame)).toBe('06:00:00');
  });

  test.each(['Europe/Berlin', 'Australia/Lord_Howe'])(
    'hard beginnings are within a frame on 365 days in %s',
    async (timeZone) => {
      const blocks = [block('music'), { ...news, hours: at('20:00', 10) }];
      const facts = { fromMs: midnight + 12_345, untilMs: midnight + days(365) };
      const odd = { ...facts, grid: { anchoredAtMs: midnight + 12_345, framesPerSecond: 30 } };
      const { rows } = await planned(rules({ blocks, timeZone }), all, odd);
      const begun = rows.filter(({ blockID }, index) => blockID === 'news' && rows[index - 1]?.blockID !== 'news');
      expect(begun.length).toBe(365);
      const clock = new Intl.DateTimeFormat('en-GB', { timeZone, timeStyle: 'medium' });
      for (const { startFrame } of begun) {
        const ms = msOfFrame(odd.grid, startFrame);
        expect([clock.format(ms), ms % 60_000 <= 1000 / 30]).toEqual(['20:00:00', true]);
      }
    },
  );
});

describe('shares', () => {
  test.each([[[50, 30, 20]], [[97, 2, 1]], [[1, 1, 1, 1, 1]], [[40, 25, 20, 10, 5]]])(
    'of %j are within one item in every window of 100',
    async (weights) => {
      const steps = weights.map((weight, index) => step(`c${index}`, { weight }));
      const all = Object.fromEntries(
        weights.map((_, index) => [`c${index}`, collection(items(`c${index}-`, 9, () => 60))]),
      );
      const { rows } = await planned(rules({ blocks: [block('all', { steps })] }), all);
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      const letters = rows.map(({ stepID }) => stepID);
      for (let from = 0; from + 100 <= letters.length; from++)
        for (const [index, weight] of weights.entries()) {
          const count = letters.slice(from, from + 100).filter((id) => id === `c${index}`).length;
          expect(Math.abs(count - (100 * weight) / total)).toBeLessThanOrEqual(1);
        }
    },
  );
});

describe('inserts', () => {
  const programme = (facts: Parameters<typeof insert>[1], limits: Partial<ProgrammeRules> = {}) =>
    rules({ blocks: [block('music')], inserts: [insert('jingle', facts)], ...limits });
  const all = { music, jingle: jingles };

  test('come after so many items, and do not count as items', async () => {
    const { rows } = await planned(programme({ when: { everyItems: 3 }, perBreak: 2 }), all);
    const letters = rows.slice(0, 15).map(({ kind }) => kind[0] + kind[1]!);
    expect(letters.join(' ')).toBe('it it it in in it it it in in it it it in in');
    expect(idsOf(rows.filter(({ kind }) => kind === 'insert').slice(0, 4))).toEqual([
      'jingle0',
      'jingle1',
      'jingle2',
      'jingle0',
    ]);
  });

  test('come with the clock, once for each minute that they name', async () => {
    const { rows } = await planned(programme({ when: { atMinutes: [0, 30] } }), all);
    const breaks = rows.filter(({ kind }) => kind === 'insert');
    expect(breaks.length).toBe(47);
    for (const { startFrame } of breaks) expect(timeOf(startFrame)).toMatch(/:[03][0-4]:/);
  });

  test('come with the clock and after a block, also if others come before them', async () => {
    const jingle = insert('jingle', { when: { everyItems: 1 } });
    const clock = insert('clock', { when: { atMinutes: [0] } });
    const close = insert('close', { when: { afterBlockID: 'show' } });
    const show = block('show', { hours: at('02:00', 60), steps: [step('songs')] });
    const given = rules({ blocks: [block('songs'), show], inserts: [jingle, clock, close] });
    const { rows } = await planned(given, {
      songs: collection(items('song', 20, (index) => 170 + index)),
      jingle: collection([item('jingle', 7)]),
      clock: collection([item('clock', 5)]),
      close: collection([item('close', 4)]),
    });
    const breaks = (id: string) => rows.filter(({ insertID }) => insertID === id);
    const ofClock = breaks('clock').map(({ startFrame }) => timeOf(startFrame));
    expect(ofClock.map((time) => time.slice(0, 2))).toEqual(
      Array.from({ length: ofClock.length }, (_, index) => String(index + 1).padStart(2, '0')),
    );
    expect(ofClock).toHaveLength(23);
    expect(ofClock.every((time) => time.slice(3) < '03:20')).toBe(true);
    const [closing, ...more] = breaks('close');
    expect(timeOf(closing!.startFrame) > '03:00:00').toBe(true);
    expect(more).toEqual([]);
  });

  test('come every so many minutes, and never without an item between', async () => {
    const often = await planned(programme({ when: { everyMinutes: 1 } }), all);
    const kinds = often.rows.map(({ kind }) => kind);
    expect(kinds.some((kind, index) => kind === 'insert' && kinds[index + 1] === 'insert')).toBe(false);
    const seldom = await planned(programme({ when: { everyMinutes: 60 } }), all);
    expect(seldom.rows.filter(({ kind }) => kind === 'insert').length).toBe(24);
  });

  test.each([
    ['breaks', programme({ when: { everyItems: 1 }, mostPerHour: 4 }), 4],
    ['seconds', programme({ when: { everyItems: 1 } }, { insertSecondsPerHour: 24 }), 3],
  ])('keep their limit of %s in every hour', async (_, limited, most) => {
    const { rows } = await planned(limited, all);
    const begins = rows.filter(({ kind }) => kind === 'insert').map(({ startFrame }) => startFrame);
    const perHour = begins.map((from) => begins.filter((each) => each >= from && each < from + 3600 * 25).length);
    expect(Math.max(...perHour)).toBe(most);
  });

  test('come before and after a block', async () => {
    const show = block('show', { hours: at('12:00', 60), starts: 'hard', steps: [step('music')] });
    const opener = insert('open', { when: { beforeBlockID: 'show' }, from: { collectionID: 'jingle' } });
    const closer = insert('close', { when: { afterBlockID: 'show' }, from: { collectionID: 'jingle' } });
    const { rows } = await planned(rules({ blocks: [block('music'), show], inserts: [opener, closer] }), all);
    const breaks = rows.filter(({ kind }) => kind === 'insert');
    expect(breaks.map(({ insertID }) => insertID)).toEqual(['open', 'close']);
    expect(timeOf(breaks[0]!.startFrame)).toBe('12:00:00');
    expect(timeOf(breaks[1]!.startFrame)).toMatch(/^13:0[0-4]/);
  });
});

describe('separation', () => {
  const byArtist: SeparationRule = { by: 'artist', tagPrefix: null, items: 2, minutes: 0, strength: 'must' };
  const byUpload: SeparationRule = { by: 'upload', tagPrefix: null, items: 0, minutes: 120, strength: 'should' };
  const artists = (count: number) =>
    collection(
      items('song', 30, (index) => 200 + index).map((each, index) => ({
        ...each,
        titles: { artist: `A${index % count}` },
      })),
    );

  /** The rules that a row breaks, found by comparing it with each row before it. */
  function broken(rows: readonly PlannedRow[], index: number, separation: readonly SeparationRule[]): number[] {
    const before = rows.slice(0, index).filter(({ kind }) => kind === 'item');
    const row = rows[index]!;
    return separation.flatMap(({ by, items: apart, minutes }, place) => {
      const valueOf = ({ item: each }: PlannedRow) => (by === 'upload' ? each.uploadID : each.titles[by as 'artist']);
      const isNear = before.some((other, position) => {
        const between = before.length - position - 1;
        const seconds = (row.startFrame - other.startFrame - other.frameCount) / 25;
        return valueOf(other) === valueOf(row) && (between < apart || seconds < minutes * 60);
      });
      return isNear ? [place] : [];
    });
  }

  test.each([2, 3, 5])('with %i artists breaks no rule silently, and should-rules first', async (count) => {
    const separation = [byArtist, byUpload];
    const { rows } = await planned(rules({ blocks: [block('music')], separation }), { music: artists(count) });
    const told = rows.map(({ relaxed = [] }) => relaxed);
    expect(told).toEqual(rows.map((_, index) => broken(rows, index, separation)));
    const isMustBroken = told.some((places) => places.includes(0));
    expect(isMustBroken).toBe(count < 3);
  });

  test('lets a passed member play as soon as it may, so that each lap plays all', async () => {
    const separation = [byArtist];
    const { rows } = await planned(rules({ blocks: [block('music')], separation }), { music: artists(5) });
    for (let lap = 0; lap < 5; lap++) {
      const heard = new Set(idsOf(rows.slice(lap * 30, lap * 30 + 36)));
      expect(heard.size).toBeGreaterThanOrEqual(30 - 1);
    }
  });
});

/** The slow suites take more. */
const runs = process.env['SUITE'] === 'nightly' ? 200 : 15;

const anyProgramme = fc.record({
  weights: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 3 }),
  order: fc.constantFrom('sequential', 'shuffle', 'newest', 'oldest', 'series'),
  starts: fc.constantFrom('hard', 'next_item'),
  ends: fc.constantFrom('finish', 'cut', 'fill'),
  latestMinutes: fc.option(fc.integer({ min: 0, max: 30 })),
  hour: fc.integer({ min: 0, max: 23 }),
  minutes: fc.integer({ min: 1, max: 300 }),
  everyItems: fc.integer({ min: 1, max: 5 }),
  apart: fc.integer({ min: 0, max: 6 }),
  seed: fc.integer({ min: 0, max: 2 ** 31 }),
  hasFiller: fc.boolean(),
});
type AnyProgramme = typeof anyProgramme extends fc.Arbitrary<infer Value> ? Value : never;

function programmeOf(given: AnyProgramme): { programme: ProgrammeRules; collections: Collections } {
  const { weights, order, starts, ends, latestMinutes, hour, minutes, everyItems, apart, seed, hasFiller } = given;
  const steps = weights.map((weight, index) => step(`c${index}`, { weight }));
  const show = block('show', {
    hours: at(`${String(hour).padStart(2, '0')}:00`, minutes),
    starts,
    ends,
    latestMinutes,
    steps: [step('show', { count: 2, cursor: seed % 2 ? 'rerun' : 'own' })],
  });
  const separation: SeparationRule[] = [
    { by: 'upload', tagPrefix: null, items: apart, minutes: 0, strength: seed % 3 ? 'must' : 'should' },
  ];
  const some = (prefix: string) =>
    collection(
      items(prefix, 12, (index) => 100 + ((index * 53) % 400)).map((each, index) => ({
        ...each,
        folder: `${index % 4}`,
        createdAtMs: midnight + ((index * 7) % 12),
      })),
      order,
    );
  return {
    programme: rules({
      blocks: [block('all', { steps }), show],
      inserts: [insert('jingle', { when: { everyItems } })],
      separation,
      filler: hasFiller ? filler : null,
      seed,
    }),
    collections: {
      ...Object.fromEntries(weights.map((_, index) => [`c${index}`, some(`c${index}-`)])),
      show: some('show'),
      jingle: jingles,
      filler: fillers,
    },
  };
}

const heardOf = (rows: readonly PlannedRow[]) =>
  rows.map(({ kind, item: heard, startFrame, frameCount }) => {
    return { kind, item: heard, endMs: msOfFrame(grid, startFrame + frameCount) };
  });

const timed = (row: PlannedRow) => ({
  row,
  startMs: msOfFrame(grid, row.startFrame),
  endMs: msOfFrame(grid, row.startFrame + row.frameCount),
});

describe('any programme', () => {
  test('is planned in parts as in whole', async () => {
    await fc.assert(
      fc.asyncProperty(anyProgramme, fc.integer({ min: 3, max: 20 }), async (given, partHours) => {
        const { programme, collections } = programmeOf(given);
        const whole = await planned(programme, collections, { untilMs: midnight + days(2) });
        const rows: PlannedRow[] = [];
        let last: Plan | null = null;
        while ((last?.endFrame ?? 0) < whole.endFrame) {
          const fromFrame: number = last?.endFrame ?? 0;
          const fromMs = msOfFrame(grid, fromFrame);
          const facts = { fromMs, untilMs: fromMs + hours(partHours), heard: heardOf(rows), fromFrame };
          const request = await requestOf(programme, collections, { ...facts, ...(last && { state: last.state }) });
          last = plan({ ...request, untilFrame: Math.min(request.untilFrame, frameOfMs(grid, midnight + days(2))) });
          rows.push(...last.rows);
        }
        expect(rows).toEqual(whole.rows);
      }),
      { numRuns: runs },
    );
  });

  test('is planned again from a row as before, if neither a break nor filler continues there', async () => {
    await fc.assert(
      fc.asyncProperty(anyProgramme, fc.nat(), async (given, place) => {
        const { programme, collections } = programmeOf(given);
        const { rows } = await planned(programme, collections, { untilMs: midnight + days(2) });
        const isContinued = ({ kind, beginsBreak }: PlannedRow, index: number) =>
          (kind === 'insert' && !beginsBreak) || (kind === 'filler' && rows[index - 1]?.kind === 'filler');
        const places = rows.flatMap((row, index) => (isContinued(row, index) ? [] : [index]));
        const index = places[place % places.length]!;
        const before = rows.slice(0, index);
        const state = stateOfBeginning();
        const blockOf = (id: string | null) => programme.blocks.find((each) => each.id === id);
        for (const row of before) applyRow(state, timed(row), blockOf(row.blockID));
        const fromFrame = rows[index]!.startFrame;
        const facts = { fromMs: msOfFrame(grid, fromFrame), untilMs: midnight + days(2), heard: heardOf(before) };
        const again = plan(await requestOf(programme, collections, { ...facts, fromFrame, state }));
        expect(again.rows).toEqual(rows.slice(index));
      }),
      { numRuns: runs },
    );
  });

  test('has rows without a hole or an overlap, and each begins within its block unless it waited', async () => {
    await fc.assert(
      fc.asyncProperty(anyProgramme, async (given) => {
        const { programme, collections } = programmeOf(given);
        const { rows, gaps } = await planned(programme, collections, { untilMs: midnight + days(2) });
        expect(gaps).toEqual([]);
        let frame = 0;
        for (const { startFrame, frameCount } of rows) {
          expect(startFrame).toBe(frame);
          expect(frameCount).toBeGreaterThan(0);
          frame += frameCount;
        }
        if (given.starts === 'hard')
          for (const day of [0, 1])
            expect(rows.map(({ startFrame }) => startFrame)).toContain(
              frameOfMs(grid, midnight + days(day) + hours(given.hour)),
            );
      }),
      { numRuns: runs },
    );
  });

  test('keeps the rows of its other blocks when one block is edited', async () => {
    await fc.assert(
      fc.asyncProperty(anyProgramme, fc.integer({ min: 1, max: 9 }), async (given, weight) => {
        const exact = { ...given, starts: 'hard', ends: 'cut', apart: 0, everyItems: 1000 } as const;
        const { programme, collections } = programmeOf(exact);
        const others = collection(items('other', weight + 1, () => 333));
        const edited = await planned(programme, { ...collections, show: others });
        const plain = await planned(programme, collections);
        const ofAll = ({ rows }: Plan) => rows.filter(({ blockID, kind }) => blockID === 'all' && kind === 'item');
        expect(idsOf(ofAll(edited))).toEqual(idsOf(ofAll(plain)));
      }),
      { numRuns: runs },
    );
  });
});

test('a new upload of a collection by time plays next', async () => {
  const programme = rules({ blocks: [block('news')] });
  const old = items('old', 5, () => 600);
  const first = await planned(programme, { news: collection(old, 'newest') }, { untilMs: midnight + hours(0.4) });
  const fresh = item('fresh', 600, { createdAtMs: midnight + 1000 });
  const after = await planned(
    programme,
    { news: collection([...old, fresh], 'newest') },
    {
      fromMs: midnight + hours(0.5),
      untilMs: midnight + hours(2),
      state: first.state,
    },
  );
  expect(idsOf(after.rows)[0]).toBe('fresh');
});
