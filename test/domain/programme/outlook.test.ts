// The outlook of programmes: rules with nothing to play, and distances that cannot be kept, held against plans.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { outlookOf } from '../../../lambda/domain/programme/outlook.ts';
import type { Warning } from '../../../lambda/domain/programme/outlook.ts';
import type { Availability } from '../../../lambda/domain/media/availability.ts';
import type { PlannableItem } from '../../../lambda/domain/programme/plannable.ts';
import type { ProgrammeRules, SeparationRule } from '../../../lambda/domain/programme/programme-rules.ts';
import { planInParts } from '../../../lambda/domain/programme/planner.ts';
import { at, block, collection, days, insert, item, items, midnight } from './programmes.ts';
import { planned, requestOf, rules, step } from './programmes.ts';
import type { Collections } from './programmes.ts';

const outlook = (given: ProgrammeRules, collections: Collections) =>
  outlookOf(given, new Map(Object.entries(collections).map(([id, each]) => [`collection/${id}`, each])), midnight);
const codesOf = (warnings: readonly Warning[]) => warnings.map(({ code }) => code);
const iso = (ms: number) => new Date(ms).toISOString();
const available = (facts: Partial<Availability>): Partial<PlannableItem> => ({
  availability: { from: null, until: null, hours: [], ...facts },
});
const song = (facts: Partial<PlannableItem> = {}, id = 'song') => collection([item(id, 200, facts)]);
const always = rules({ blocks: [block('music')] });

describe('a rule', () => {
  test('that has something to play is no warning', async () => {
    expect(await outlook(always, { music: song() })).toEqual([]);
    const valid = song(available({ from: iso(midnight + days(3)), until: iso(midnight + days(200)) }));
    expect(await outlook(always, { music: valid })).toEqual([]);
  });

  test('with a source that a plan does not read whole is named, and not for what is left of it', async () => {
    const given = rules({
      blocks: [block('music'), block('more', { hours: at('10:00', 60), steps: [step('part'), step('none')] })],
    });
    const collections = { music: song(), part: { ...song(), isCut: true as const }, none: collection([]) };
    const cut = { ...collections, none: { ...collections.none, isCut: true as const } };
    expect(await outlook(given, cut)).toEqual([
      { code: 'collection_cut', rule: { kind: 'block', name: 'more', step: 1 } },
      { code: 'collection_cut', rule: { kind: 'block', name: 'more', step: 2 } },
    ]);
    expect(codesOf(await outlook(given, collections))).toEqual(['collection_cut', 'collection_empty']);
  });

  test('with an empty source is named with its step', async () => {
    const given = rules({
      blocks: [block('music', { steps: [step('music'), step('none')] })],
      inserts: [insert('jingle', { when: { everyItems: 1 } })],
      filler: { from: { collectionID: 'gone' } },
    });
    expect(await outlook(given, { music: song() })).toEqual([
      { code: 'collection_empty', rule: { kind: 'block', name: 'music', step: 2 } },
      { code: 'collection_empty', rule: { kind: 'insert', name: 'jingle' } },
      { code: 'collection_empty', rule: { kind: 'filler', name: '' } },
    ]);
  });

  test.each([
    ['has expired', { until: iso(midnight) }],
    ['is valid later', { from: iso(midnight + days(9)) }],
    ['has other hours', { hours: [{ days: ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'], from: '06:00', to: '20:00' }] }],
    ['has other days', { hours: [{ days: ['SA'], from: '00:00', to: '00:00' }] }],
  ] as const)('never plays if all that it draws from %s', async (_, facts) => {
    const evening = block('evening', { hours: at('20:00', 120, 'FREQ=WEEKLY;BYDAY=MO,FR') });
    const given = rules({ blocks: [block('music'), evening] });
    const collections = { music: song(), evening: song(available(facts), 'late') };
    expect(await outlook(given, collections)).toEqual([
      { code: 'never_plays', rule: { kind: 'block', name: 'evening' } },
    ]);
    const { rows } = await planned(given, collections, { untilMs: midnight + days(8) });
    expect(rows.some(({ blockID }) => blockID === 'evening')).toBe(false);
  });

  test('plays if a window opens within its time', async () => {
    const evening = block('evening', { hours: at('20:00', 120) });
    const late = available({ hours: [{ days: ['SU'], from: '21:30', to: '21:45' }] });
    expect(await outlook(rules({ blocks: [evening] }), { evening: song(late) })).toEqual([]);
  });

  test('of a block without any time of its own is shadowed, unless it is on another day', async () => {
    const shown = (priority: number) =>
      rules({
        blocks: [
          block('music'),
          block('news', { hours: at('12:00', 30) }),
          block('noon', { hours: at('11:00', 120), priority, steps: [step('music')] }),
        ],
      });
    const collections = { music: song(), news: song() };
    expect(codesOf(await outlook(shown(60), collections))).toEqual(['overlap_shadowed']);
    expect(await outlook(shown(40), collections)).toEqual([]);
    const yearly = block('xmas', { hours: at('11:00', 60, 'FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=25') });
    expect(await outlook(rules({ blocks: [yearly] }), { xmas: song() })).toEqual([]);
  });

  test('of breaks within items needs one that is long enough', async () => {
    const when = { midRoll: { everyMinutes: 15, keepLastMinutes: 10, blockID: null } };
    const given = rules({ ...always, inserts: [insert('spot', { when })] });
    const spot = collection([item('spot', 30)]);
    const withFilm = (seconds: number) => ({ spot, music: collection([item('film', seconds)]) });
    expect(await outlook(given, withFilm(1500))).toEqual([]);
    expect(await outlook(given, withFilm(1499))).toMatchObject([{ code: 'insert_does_not_fit', leastMinutes: 25 }]);
  });

  test('runs empty when the last upload of its source expires, if that is soon', async () => {
    const until = (day: number) => available({ until: iso(midnight + days(day)) });
    const both = collection([item('one', 100, until(3)), item('two', 100, until(12))]);
    const warnings = await outlook(always, { music: both });
    expect(warnings).toMatchObject([{ code: 'runs_empty', atMs: midnight + days(12) }]);
    expect(await outlook(always, { music: collection([...both.members, item('three', 100, until(40))]) })).toEqual([]);
    expect(await outlook(always, { music: collection([...both.members, item('three', 100)]) })).toEqual([]);
  });
});

describe('a distance', () => {
  const artist = (facts: Partial<SeparationRule>): SeparationRule => ({
    by: 'artist',
    tagPrefix: null,
    items: 0,
    minutes: 0,
    strength: 'must',
    ...facts,
  });
  /** Ten songs of 200 s: four of X, and one of each other artist. */
  const music = collection(
    items('song', 10, () => 200).map((each, index) => ({
      ...each,
      titles: { artist: index < 4 ? 'X' : `Other ${index}` },
    })),
  );
  const kept = (separation: SeparationRule, facts: Partial<ProgrammeRules> = {}) =>
    outlook(rules({ blocks: [block('music')], separation: [separation], ...facts }), {
      music,
      jingle: collection([item('jingle', 10)]),
    });

  test('cannot be kept if an artist has too large a share, by items or by minutes', async () => {
    expect(await kept(artist({ items: 1 }))).toEqual([]);
    expect(await kept(artist({ items: 2 }))).toMatchObject([
      { code: 'rule_unmeetable', block: 'music', by: 'artist', value: 'X', share: 0.4, mostShare: 1 / 3 },
    ]);
    expect(await kept(artist({ minutes: 5 }))).toEqual([]);
    // 200 s of each 500 s: one of 200 s and 300 s.
    expect(await kept(artist({ minutes: 6 }))).toMatchObject([{ mostShare: 200 / 560 }]);
  });

  test('by minutes is not judged if inserts without a limit may lie between', async () => {
    const inserts = [insert('jingle', { when: { everyItems: 1 } })];
    expect(await kept(artist({ minutes: 30 }), { inserts })).toEqual([]);
    expect(await kept(artist({ minutes: 30 }), { inserts, insertSecondsPerHour: 60 })).toHaveLength(1);
    expect(await kept(artist({ items: 2 }), { inserts })).toHaveLength(1);
  });

  test('is broken in a plan, or keeps a value below its share, whenever it is said not to fit', async () => {
    let said = 0;
    const given = fc.record({
      artists: fc.array(fc.nat(3), { minLength: 1, maxLength: 12 }),
      seconds: fc.integer({ min: 60, max: 400 }),
      apart: fc.integer({ min: 0, max: 5 }),
      minutes: fc.integer({ min: 0, max: 20 }),
      blockMinutes: fc.option(fc.integer({ min: 30, max: 300 })),
      insertSeconds: fc.option(fc.integer({ min: 20, max: 200 })),
    });
    await fc.assert(
      fc.asyncProperty(given, async ({ artists, seconds, apart, minutes, blockMinutes, insertSeconds }) => {
        const members = artists.map((name, index) => item(`song${index}`, seconds, { titles: { artist: `A${name}` } }));
        const own = blockMinutes && { hours: at('12:00', blockMinutes), starts: 'hard' as const };
        const wanted = rules({
          blocks: [...(own ? [block('rest')] : []), block('music', { ...own })],
          separation: [artist({ items: apart, minutes })],
          inserts: insertSeconds === null ? [] : [insert('jingle', { when: { everyItems: 2 } })],
          insertSecondsPerHour: insertSeconds,
        });
        const collections = {
          music: collection(members),
          rest: collection(items('rest', 30, (index) => 100 + index)),
          jingle: collection([item('jingle', 12)]),
        };
        const warning = (await outlook(wanted, collections)).find(({ code }) => code === 'rule_unmeetable');
        if (warning?.code !== 'rule_unmeetable') return;
        said++;
        let [all, alike, broken] = [0, 0, 0];
        const request = await requestOf(wanted, collections, { untilMs: midnight + days(8) });
        for (const { rows } of planInParts(request, (count) => count >= 50)) {
          const heard = rows.filter(({ blockID, kind }) => blockID === 'music' && kind === 'item');
          all += heard.length;
          alike += heard.filter((row) => row.item.titles.artist === warning.value).length;
          broken += heard.filter(({ relaxed = [] }) => relaxed.length > 0).length;
          if (broken > 0) return;
        }
        expect(alike / all).toBeLessThan(warning.share);
      }),
      { numRuns: 100 },
    );
    expect(said).toBeGreaterThan(9);
  });
});
