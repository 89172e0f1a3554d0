// Uploads that may not begin at all times: programmes leave them out, and keep the order of the others.
import { describe, expect, test } from 'vitest';
import type { Availability } from '../../../lambda/domain/media/availability.ts';
import type { PlannableItem } from '../../../lambda/domain/programme/plannable.ts';
import { at, block, collection, hours, idsOf, insert, items } from './programmes.ts';
import { midnight, planned, rules, step, timeOf } from './programmes.ts';

const always: Availability = { from: null, until: null, hours: [] };
const until = (ms: number): Availability => ({ ...always, until: new Date(ms).toISOString() });
const since = (ms: number): Availability => ({ ...always, from: new Date(ms).toISOString() });

const songs = items('song', 8, () => 300);
const withAvailability = (availability: Availability, ...ids: string[]): PlannableItem[] =>
  songs.map((song) => (ids.includes(song.uploadID) ? { ...song, availability } : song));

describe('an upload that may not begin', () => {
  test('is left out of a list, and in it again when it may', async () => {
    const music = collection(withAvailability(since(midnight + hours(1)), 'song1'), 'sequential');
    const { rows, gaps } = await planned(rules({ blocks: [block('music')] }), { music });
    expect(gaps).toEqual([]);
    const first = rows.find(({ item }) => item.uploadID === 'song1')!;
    expect(timeOf(first.startFrame) >= '01:00:00').toBe(true);
    const before = rows.slice(0, rows.indexOf(first));
    expect(idsOf(before).slice(0, 8)).toEqual([0, 2, 3, 4, 5, 6, 7, 0].map((number) => `song${number}`));
    // It plays in its place, and is not made up for.
    expect(rows.at(rows.indexOf(first) - 1)!.item.uploadID).toBe('song0');
  });

  test('begins at its hours alone, in the time zone of the programme', async () => {
    const evening: Availability = {
      ...always,
      hours: [{ days: ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'], from: '20:00', to: '22:00' }],
    };
    const music = collection(withAvailability(evening, 'song2', 'song5'), 'shuffle');
    const { rows } = await planned(rules({ blocks: [block('music')] }), { music });
    const times = rows.flatMap(({ item, startFrame }) => (item.availability ? [timeOf(startFrame)] : []));
    expect(times.length).toBeGreaterThan(3);
    expect(times.filter((time) => time < '20:00:00' || time >= '22:00:00')).toEqual([]);
  });

  test('leaves the turn to another step, its break out, and its time to filler', async () => {
    const over = until(midnight);
    const old = collection(items('old', 2, () => 100).map((each) => ({ ...each, availability: over })));
    const all = { music: collection(songs), old, filler: collection(items('fill', 3, () => 60)) };
    const other = insert('old', { from: { collectionID: 'old' }, when: { everyItems: 2 } });
    const mixed = rules({ blocks: [block('mixed', { steps: [step('old'), step('music')] })], inserts: [other] });
    const { rows } = await planned(mixed, all);
    expect(new Set(idsOf(rows).map((id) => id.slice(0, 3)))).toEqual(new Set(['son']));
    const only = rules({ blocks: [block('old')], filler: { from: { collectionID: 'filler' } } });
    expect(new Set((await planned(only, all)).rows.map(({ kind }) => kind))).toEqual(new Set(['filler']));
  });

  test.each([8, 3])('leaves no gap, as long as one of %i others may', async (count) => {
    const others = items('over', count, () => 60).map((each) => ({ ...each, availability: until(midnight) }));
    const music = collection([...others, ...items('song', 1, () => 60)]);
    const { rows, gaps } = await planned(rules({ blocks: [block('music')] }), { music });
    expect(gaps).toEqual([]);
    expect(new Set(idsOf(rows))).toEqual(new Set(['song0']));
  });

  test('does not hold up the rest of its series', async () => {
    const episodes = items('song', 4, () => 300).map((each, index) =>
      index === 1 ? { ...each, availability: until(midnight) } : each,
    );
    const series = { ...collection(episodes, 'series'), groupOf: () => 'one' };
    const { rows } = await planned(rules({ blocks: [block('music')] }), { music: series });
    expect(idsOf(rows).slice(0, 4)).toEqual(['song0', 'song2', 'song3', 'song0']);
  });
});

test('a block of which nothing may begin is named as a gap', async () => {
  const music = collection(withAvailability(until(midnight), ...songs.map(({ uploadID }) => uploadID)));
  const { gaps } = await planned(rules({ blocks: [block('music', { hours: at('00:00', 60) })] }), { music });
  expect(gaps[0]).toMatchObject({ blockID: 'music', fromFrame: 0 });
});
