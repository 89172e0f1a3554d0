// The lists that guests ask from: they are kept for a moment, and take a bounded part of a function's memory.
import { expect, test } from 'vitest';
import { createKeptOffers } from '../../lambda/api/kept-offers.ts';
import type { Database } from '../../lambda/data/database.ts';
import type { AskedChannel } from '../../lambda/orchestration/playout/guest-requests.ts';

const mebibyte = 1024 * 1024;
/** Titles and artists as long as users may give them, with as many words. */
const longTitles = { title: 'ab '.repeat(67).trim(), artist: 'cd '.repeat(67).trim() };

/** Offers from collections of as many members, and the collections that were read for them. */
function offersOf(memberCount: number, titles: object, beforeReading: (id: string) => Promise<void> = async () => {}) {
  const read: string[] = [];
  const collections = {
    members: async (_userID: string, [id = '']: readonly string[]) => {
      read.push(id);
      await beforeReading(id);
      const members = Array.from({ length: memberCount }, (_, number) => ({
        id: `${id}_${number}`,
        name: `${number}.mp3`,
        titles,
        durationSeconds: 180,
        showSeconds: null,
        availability: null,
        isPlayable: true,
      }));
      return new Map([[id, { isComplete: true, members }]]);
    },
  };
  const offers = createKeptOffers();
  const data = { collections } as unknown as Database;
  const ask = (id: string) => {
    const collection = { id, updated_at: new Date(0) };
    return offers(data, { stream: { user_id: 'usr_1' }, collection } as unknown as AskedChannel);
  };
  return { read, ask };
}

const ids = Array.from({ length: 20 }, (_, index) => `col_${index}`);

test('lists of long titles take a bounded memory, and the last ones asked for are kept', async () => {
  const { read, ask } = offersOf(2000, longTitles);
  for (const id of ids) expect(await ask(id)).toHaveLength(2000);
  read.length = 0;
  for (const id of ids.toReversed()) await ask(id);
  const keptCount = ids.length - read.length;
  expect(keptCount).toBeGreaterThan(1);
  expect(read).not.toContain(ids.at(-1));
  // A word takes 24 bytes and 8 for its place in an array, however short it is.
  const leastBytes = 2000 * 2 * 67 * 32;
  expect(keptCount * leastBytes).toBeLessThan(64 * mebibyte);
});

test('lists of usual titles are all kept', async () => {
  const { read, ask } = offersOf(500, { title: 'A song of summer', artist: 'The Example Band' });
  for (const id of [...ids, ...ids]) await ask(id);
  expect(read).toEqual(ids);
});

test('a guest that waits for a list gets it, also if others need its place meanwhile', async () => {
  const gate = Promise.withResolvers<void>();
  const { ask } = offersOf(2000, longTitles, (id) => (id === 'slow' ? gate.promise : Promise.resolve()));
  const waiting = ask('slow');
  for (const id of ids) await ask(id);
  gate.resolve();
  expect(await waiting).toHaveLength(2000);
});
