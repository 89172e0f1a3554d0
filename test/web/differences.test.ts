// Differences of a playlist's draft from the live version on its page: new, moved and removed items.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { differencesOf } from '../../lambda/web/playlists/differences.ts';
import type { Item } from '../../lambda/web/playlists/differences.ts';

const item = (id: string, uploadID = `upl_${id}`) => ({ id, uploadID }) as Item;
const items = (ids: string) => ids.split('').map((id) => item(id));

test('what moved is as little as possible', () => {
  expect([...differencesOf(items('ebcda'), items('abcde')).moved].toSorted()).toEqual(['a', 'e']);
  expect([...differencesOf(items('bcdea'), items('abcde')).moved]).toEqual(['a']);
});

test('what plays another upload is new, and the one before is taken out', () => {
  const differences = differencesOf([item('a', 'upl_other'), item('b')], items('ab'));
  expect([...differences.added]).toEqual(['a']);
  expect(differences.removed).toEqual([item('a')]);
  expect(differences.moved.size).toBe(0);
});

test('without what is new and what is taken out, and with what moved left aside, both are the same', () => {
  const some = fc.uniqueArray(fc.integer({ min: 0, max: 30 }).map(String), { maxLength: 20 });
  fc.assert(
    fc.property(some, some, (draftIDs, liveIDs) => {
      const [draft, live] = [draftIDs.map((id) => item(id)), liveIDs.map((id) => item(id))];
      const { added, moved, removed } = differencesOf(draft, live);
      const gone = new Set(removed.map(({ id }) => id));
      const stays = ({ id }: Item) => !added.has(id) && !moved.has(id) && !gone.has(id);
      expect(draft.filter(stays)).toEqual(live.filter(stays));
      expect([...added].every((id) => !liveIDs.includes(id))).toBe(true);
      expect([...gone].every((id) => !draftIDs.includes(id))).toBe(true);
    }),
  );
});
