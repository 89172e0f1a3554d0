// The rests of users who have a backlog: their length, and the resting users.
import { expect, it } from 'vitest';
import { BacklogRests } from '../../../lambda/orchestration/shared/backlog-rests.ts';

it('a user rests for seven times as long as the round took, and others do not', () => {
  const rests = new BacklogRests();
  rests.begin('usr_many', 50, true, 1000);
  expect(rests.at(1349)).toEqual(['usr_many']);
  expect(rests.msUntilNextEnd(1349)).toBe(1);
  expect(rests.at(1350)).toEqual([]);
  expect(rests.msUntilNextEnd(1350)).toBeNull();
});

it('a rest is no longer than two seconds, and what ends first is waited for', () => {
  const rests = new BacklogRests();
  rests.begin('usr_slow', 10_000, true, 0);
  rests.begin('usr_quick', 20, true, 0);
  expect(rests.msUntilNextEnd(0)).toBe(140);
  expect(rests.at(140)).toEqual(['usr_slow']);
  expect(rests.at(2000)).toEqual([]);
});

it('who is alone does not rest, and goes on resting for a while after others have asked', () => {
  const rests = new BacklogRests();
  rests.begin('usr_many', 50, false, 0);
  expect(rests.at(1)).toEqual([]);
  rests.begin('usr_many', 50, true, 1000);
  rests.begin('usr_many', 50, false, 5999);
  expect(rests.at(6000)).toEqual(['usr_many']);
  rests.begin('usr_many', 50, false, 7000);
  expect(rests.at(7000)).toEqual([]);
});
