// The load of a stream that is off the air, and the intervals of its retries.
import { describe, expect, it } from 'vitest';
import { keepsShareMs, OffAirTime, restingDelayMs } from '../../../lambda/domain/fleet/off-air.ts';

const minuteMs = 60_000;

describe('time off the air', () => {
  it('goes on where an agent before has left off', () => {
    expect(new OffAirTime(5000, 100_000).atMs(101_000)).toBe(6000);
  });

  it('is paid back by time on the air, and by no more than that', () => {
    const offAir = new OffAirTime(0, 0);
    offAir.record(true, minuteMs);
    expect(offAir.atMs(minuteMs + 20_000)).toBe(40_000);
    expect(offAir.atMs(10 * minuteMs)).toBe(0);
    offAir.record(false, 10 * minuteMs);
    expect(offAir.atMs(11 * minuteMs)).toBe(minuteMs);
  });

  it('grows where the destination takes a picture now and then', () => {
    const offAir = new OffAirTime(0, 0);
    for (let nowMs = 10_000; nowMs <= 4 * minuteMs; nowMs += 10_000) {
      offAir.record(true, nowMs);
      offAir.record(false, nowMs + 1000);
    }
    expect(offAir.atMs(4 * minuteMs)).toBeGreaterThan(keepsShareMs);
  });
});

it('the longer a stream has been off the air, the more rarely it is tried, up to every five minutes', () => {
  const longest = (offAirMs: number) => restingDelayMs(offAirMs, () => 1);
  expect([2, 20, 60, 600].map((minutes) => longest(minutes * minuteMs) / minuteMs)).toEqual([0.1, 1, 3, 5]);
  expect(restingDelayMs(20 * minuteMs, () => 0)).toBe(minuteMs / 2);
});
