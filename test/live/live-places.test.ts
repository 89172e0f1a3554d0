// Places that are kept for contributors who were lost: the contributors whom they keep out, and the time.
import { expect, it } from 'vitest';
import { ingestPlaces, keptSecondsAfter } from '../../lambda/domain/live/ingest-places.ts';
import { LivePlaces } from '../../lambda/live/live-places.ts';
import type { TakenPlaces } from '../../lambda/live/live-places.ts';

let nowMs: number;

/** The places of a machine, and inputs of users that take them. Users whose names begin with `free` are not funded. */
function placesOf(cores: number) {
  nowMs = 0;
  const places = new LivePlaces(ingestPlaces(cores), () => nowMs);
  const take = (userID: string, id = `input of ${userID}`) =>
    places.take({ id, userID, isFunded: !userID.startsWith('free'), places: 1 });
  const lose = (userID: string) => {
    const taken = take(userID) as TakenPlaces;
    taken.keepFor(15);
    taken[Symbol.dispose]();
  };
  return { places, take, lose };
}
const taken = { keepFor: expect.any(Function) };

it('a place is kept for the input whose contributor was lost, and then free', () => {
  const { places, take, lose } = placesOf(2);
  take('a');
  lose('b');
  expect([take('c'), places.inUse]).toEqual(['no_room', 2]);
  nowMs = 14_999;
  expect(take('c')).toBe('no_room');
  expect(take('b')).toMatchObject(taken);
  nowMs = 60_000;
  expect([take('c'), places.inUse]).toEqual(['no_room', 2]);
});

it('a kept place ends by itself, also if its contributor is refused meanwhile', () => {
  const { places, take, lose } = placesOf(2);
  take('a');
  lose('b');
  nowMs = 10_000;
  (take('b') as TakenPlaces)[Symbol.dispose]();
  expect(take('c')).toBe('no_room');
  nowMs = 15_000;
  expect(places.inUse).toBe(1);
  expect(take('c')).toMatchObject(taken);
});

it('a place is free at once after a session whose contributor ended it', () => {
  const { take, lose } = placesOf(2);
  take('a');
  lose('b');
  const again = take('b') as TakenPlaces;
  again.keepFor(0);
  again[Symbol.dispose]();
  expect(take('c')).toMatchObject(taken);
});

it('a kept place keeps its user from no other input', () => {
  const { places, take, lose } = placesOf(2);
  lose('a');
  expect(take('a', 'spare')).toMatchObject(taken);
  expect(places.inUse).toBe(1);
});

it('a place that is kept for a user who is not funded keeps out those who are not, and no other', () => {
  const { places, take, lose } = placesOf(2);
  lose('free');
  expect(take('free too')).toBe('unfunded_share_used');
  take('a');
  expect(places.inUse).toBe(2);
  expect(take('b')).toMatchObject(taken);
  expect([take('free'), places.inUse]).toEqual(['no_room', 2]);
});

it('no kept place is given up for a contributor who has no room in any case', () => {
  const { places, take, lose } = placesOf(1);
  lose('free');
  expect(take('free too')).toBe('unfunded_share_used');
  expect(places.inUse).toBe(1);
});

it('a place is kept for a quarter of the time of its session, and for fifteen seconds at most', () => {
  expect([0, 8, 60, 3600].map(keptSecondsAfter)).toEqual([0, 2, 15, 15]);
});
