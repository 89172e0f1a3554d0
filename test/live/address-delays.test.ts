// Wrong keys cost their address a delay that grows, and is forgotten.
import { describe, expect, it } from 'vitest';
import { listenerLimits } from '../../lambda/live/listener-limits.ts';
import { AddressDelays } from '../../lambda/live/address-delays.ts';

const address = '203.0.113.5';

describe('a wrong key', () => {
  it('costs a second at first, and a minute at most', () => {
    const keys = new AddressDelays(listenerLimits);
    const delays = Array.from({ length: 8 }, () => keys.note(address, 0) / 1000);
    expect(delays).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  });

  it('costs nothing at first where faults are allowed', () => {
    const keys = new AddressDelays({ ...listenerLimits, faultsWithoutDelay: 2 });
    const delays = Array.from({ length: 5 }, () => keys.note(address, 0) / 1000);
    expect(delays).toEqual([0, 0, 1, 2, 4]);
  });

  it('delays its own address only, until the delay is over', () => {
    const keys = new AddressDelays(listenerLimits);
    keys.note(address, 0);
    expect(keys.delayLeftMs(address, 400)).toBe(600);
    expect(keys.delayLeftMs(address, 1000)).toBe(0);
    expect(keys.delayLeftMs('203.0.113.6', 400)).toBe(0);
  });

  it('is forgotten after ten minutes without another one', () => {
    const keys = new AddressDelays(listenerLimits);
    for (let count = 0; count < 5; count++) keys.note(address, 0);
    expect(keys.note(address, 600_000)).toBe(32_000);
    expect(keys.note(address, 1_200_001)).toBe(1000);
  });
});

it('remembers a bounded number of addresses, and forgets the oldest', () => {
  const keys = new AddressDelays({ ...listenerLimits, mostDelayedAddresses: 2 });
  keys.note('a', 0);
  keys.note('b', 1);
  keys.note('a', 2);
  keys.note('c', 3);
  expect(['a', 'b', 'c'].map((name) => keys.delayLeftMs(name, 3) > 0)).toEqual([true, false, true]);
});
