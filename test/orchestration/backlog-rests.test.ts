// The rests of users who have a backlog: how long they are, and who rests.
import { expect, it } from 'vitest';
import { BacklogRests } from '../../lambda/orchestration/backlog-rests.ts';

it('a user rests for three times as long as the round took, and others do not', () => {
  const rests = new BacklogRests();
  rests.begin('usr_many', 50, 1000);
  expect(rests.at(1149)).toEqual(['usr_many']);
  expect(rests.msUntilNextEnd(1149)).toBe(1);
  expect(rests.at(1150)).toEqual([]);
  expect(rests.msUntilNextEnd(1150)).toBeNull();
});

it('a rest is no longer than half a second, and what ends first is waited for', () => {
  const rests = new BacklogRests();
  rests.begin('usr_slow', 10_000, 0);
  rests.begin('usr_quick', 20, 0);
  expect(rests.msUntilNextEnd(0)).toBe(60);
  expect(rests.at(60)).toEqual(['usr_slow']);
  expect(rests.at(500)).toEqual([]);
});
