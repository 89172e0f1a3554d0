// The work of planning: it grows with rows and members, and not with their product.
import { describe, expect, test } from 'vitest';
import type { Availability } from '../../../lambda/domain/media/availability.ts';
import { CollectionWalk } from '../../../lambda/domain/programme/cursors.ts';
import { outlookOf } from '../../../lambda/domain/programme/outlook.ts';
import type { BlackTime, PlannableItem } from '../../../lambda/domain/programme/plannable.ts';
import {
  block,
  collection,
  days,
  insert,
  item,
  items,
  midnight,
  planned,
  requestOf,
  rules,
  step,
} from './programmes.ts';

const week = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;
/** One minute of Sunday night: beyond the first day that is planned. */
const night = { days: [week[6]], from: '03:00', to: '03:01' };

/** Uploads with hours in which they may not begin, which count how often their hours are read. */
function closedUploads(count: number): { readonly members: PlannableItem[]; readonly reads: () => number } {
  let reads = 0;
  const availability: Availability = {
    from: null,
    until: null,
    get hours() {
      reads++;
      return [night];
    },
  };
  const members = items('closed', count, () => 60).map((each) => ({ ...each, availability }));
  return { members, reads: () => reads };
}

/** A block of many steps. Uploads of all but one may not begin. */
const steps = [...Array.from({ length: 10 }, (_, index) => step(`closed${index}`)), step('music')];
const mixed = rules({ blocks: [block('mixed', { steps })] });
const closedIn = (members: readonly PlannableItem[]) => {
  return Object.fromEntries(steps.slice(0, -1).map(({ id }) => [id, collection(members)]));
};

describe('hours of uploads', () => {
  test('are read once for a plan, however many rows and steps it has', async () => {
    const { members, reads } = closedUploads(40);
    const music = collection(items('song', 3, () => 300));
    const { rows } = await planned(mixed, { ...closedIn(members), music });
    expect(rows).toHaveLength(288);
    expect(reads()).toBe(40);
  });

  test('are read once for the warnings of a programme', async () => {
    const { members, reads } = closedUploads(40);
    const sources = Object.entries({ ...closedIn(members), music: collection([item('song', 300)]) });
    const request = new Map(sources.map(([id, each]) => [`collection/${id}`, each]));
    expect(await outlookOf(mixed, request, midnight)).toEqual([]);
    expect(reads()).toBe(40);
  });
});

test('a series of one long group is asked for its next episode, and each episode a few times', () => {
  const episodes = items('episode', 500, () => 60);
  const walk = new CollectionWalk({ order: 'series', members: episodes, groupOf: () => 'one' }, 'key');
  let asked = 0;
  const isAvailable = ({ uploadID }: PlannableItem) => {
    asked++;
    return uploadID === 'episode499';
  };
  const candidates = [...walk.candidates({ lap: 0, groups: { one: 'episode3' } }, { isAvailable, few: null })];
  expect(candidates.map(({ item: { uploadID } }) => uploadID)).toEqual(['episode499']);
  expect(asked).toBeLessThanOrEqual(3 * episodes.length);
});

test('black pictures of an item are looked at once for each time that it plays', async () => {
  let reads = 0;
  const film = {
    ...item('film', 6 * 3600),
    get black(): BlackTime[] {
      reads++;
      return [[1800, 1810]];
    },
  };
  const sponsor = insert('sponsor', { when: { midRoll: { everyMinutes: 5, keepLastMinutes: 0, blockID: null } } });
  const given = rules({ blocks: [block('film')], inserts: [sponsor] });
  const sponsors = collection([item('sponsor', 10)]);
  const request = await requestOf(
    given,
    { film: collection([film]), sponsor: sponsors },
    { untilMs: midnight + days(1) },
  );
  const { rows } = await planned(given, { film: collection([film]), sponsor: sponsors }, request);
  const parts = rows.filter(({ kind }) => kind === 'item');
  const plays = parts.filter(({ part }) => part?.fromSeconds === 0);
  expect(parts.length).toBeGreaterThan(200);
  expect(reads).toBeLessThanOrEqual(plays.length);
});

test('members that may not begin are asked once for a row, however many breaks draw from them', async () => {
  let reads = 0;
  const closed = items('closed', 200, () => 60).map((each) => ({
    ...each,
    get availability(): Availability {
      reads++;
      return { from: null, until: null, hours: [night] };
    },
  }));
  const inserts = Array.from({ length: 10 }, (_, index) =>
    insert(`sponsor${index}`, {
      from: { collectionID: 'sponsor' },
      perBreak: 10,
      when: { midRoll: { everyMinutes: 5, keepLastMinutes: 0, blockID: null } },
    }),
  );
  const { rows } = await planned(rules({ blocks: [block('film')], inserts }), {
    film: collection([item('film', 3600)]),
    sponsor: collection([...closed, item('open', 10)]),
  });
  expect(rows.some(({ kind }) => kind === 'insert')).toBe(true);
  expect(reads).toBeLessThan(2 * rows.length * closed.length);
});
