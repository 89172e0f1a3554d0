// Lanes: a user with a backlog rests between its pieces while others wait, and only then.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { BusyLanes } from '../../lambda/ports/command-queue/busy-lanes.ts';

const minuteMs = 60_000;

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Carries out a piece of work with a given waiting time and duration. */
async function carryOut(lanes: BusyLanes, userID: string, waitedMs: number, tookMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  lanes.begin({ userID, isUnfunded: false }, () => promise, waitedMs);
  await vi.advanceTimersByTimeAsync(tookMs);
  resolve();
  await vi.advanceTimersByTimeAsync(0);
}

it('a user with a backlog is left for a while after each piece, and who waits is told when it has rested', async () => {
  const lanes = new BusyLanes({ count: 2, ofUser: 1, ofUnfunded: 1 });
  await carryOut(lanes, 'one', 10, 100);
  await carryOut(lanes, 'many', minuteMs, 100);
  expect(lanes.leftOut().userIDs).toEqual(['many']);
  expect(lanes.isFull).toBe(false);
  const told = vi.fn<() => void>();
  lanes.onFreed(told);
  await vi.advanceTimersByTimeAsync(299);
  expect(told).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(told).toHaveBeenCalledOnce();
  expect(lanes.leftOut().userIDs).toEqual([]);
});

it('nobody rests where others wait too, or nobody else is there', async () => {
  const lanes = new BusyLanes({ count: 2, ofUser: 1, ofUnfunded: 1 });
  await carryOut(lanes, 'many', minuteMs, 100);
  await carryOut(lanes, 'others', minuteMs, 100);
  await carryOut(lanes, 'many', minuteMs, 100);
  expect(lanes.leftOut().userIDs).toEqual([]);
});

it('a user does not rest for the sake of what they have just asked for themselves', async () => {
  const lanes = new BusyLanes({ count: 2, ofUser: 1, ofUnfunded: 1 });
  await carryOut(lanes, 'many', 10, 100);
  await carryOut(lanes, 'many', minuteMs, 100);
  expect(lanes.leftOut().userIDs).toEqual([]);
});

it('no lane is free because a user has rested', async () => {
  const lanes = new BusyLanes({ count: 2, ofUser: 1, ofUnfunded: 1 });
  await carryOut(lanes, 'one', 10, 100);
  await carryOut(lanes, 'many', minuteMs, 100);
  const ends = ['one', 'two'].map((userID) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    lanes.begin({ userID, isUnfunded: false }, () => promise);
    return resolve;
  });
  const free = vi.fn<() => void>();
  void lanes.untilFree(new AbortController().signal).then(free);
  await vi.advanceTimersByTimeAsync(1000);
  expect(lanes.leftOut().userIDs).toEqual(['one', 'two']);
  expect(free).not.toHaveBeenCalled();
  ends[0]!();
  await vi.advanceTimersByTimeAsync(0);
  expect(free).toHaveBeenCalledOnce();
});
