// An agent whose thread is always busy claims no more work, until it has room again.
import { expect, it } from 'vitest';
import { Pressure } from '../../../lambda/publisher/agent/pressure.ts';

function pressureOf(uses: readonly number[], shortages: readonly boolean[] = []) {
  const changes: (string | null)[] = [];
  const left = [...uses];
  const pressure = new Pressure(
    (reason) => changes.push(reason),
    () => left.shift()!,
  );
  const states = uses.map((_, index) => {
    pressure.sample(shortages[index] ?? false);
    return pressure.behindReason !== null;
  });
  return { states, changes };
}

it('is behind after seconds of too much work, not after one', () => {
  expect(pressureOf([1, 0, 0, 1, 0, 0]).states).toEqual([false, false, false, false, false, false]);
  expect(pressureOf([1, 1, 1, 1, 1]).states).toEqual([false, false, false, false, true]);
});

it('takes more only once it has some room again, and says both', () => {
  const { states, changes } = pressureOf([1, 1, 1, 1, 1, 0.8, 0.8, 0.8, 0.8, 0.8, 0.4, 0.4]);
  expect(states.slice(4)).toEqual([true, true, true, true, true, true, true, false]);
  expect(changes).toEqual([expect.stringContaining('busy'), null]);
});

it('is behind while an encoder is, and for seconds after that', () => {
  const idle = Array.from({ length: 12 }, () => 0);
  const { states, changes } = pressureOf(idle, [false, true, true]);
  expect(states.slice(0, 8)).toEqual([false, true, true, true, true, true, true, false]);
  expect(changes).toEqual([expect.stringContaining('hardly faster'), null]);
});
