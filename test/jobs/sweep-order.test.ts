// Every step of the sweep has its turn, whichever step takes all the time.
import { expect, it } from 'vitest';
import { stepsInOrder } from '../../lambda/jobs/sweep-order.ts';
import type { SweepStep } from '../../lambda/jobs/sweep-order.ts';

const count = 12;
/** The steps that are begun in sweeps whose functions end with the first one of these steps. */
function begun(endless: readonly number[], turns: readonly number[]): Set<number> {
  const all = new Set<number>();
  const numbers = new Map<unknown, number>();
  const steps: SweepStep[] = Array.from({ length: count }, (_, number) => {
    const step = async () => {};
    numbers.set(step, number);
    return number === 1 ? [step, step] : step;
  });
  for (const turn of turns) {
    const inOrder = stepsInOrder(steps, turn).map((step) => numbers.get(step)!);
    expect(inOrder).toHaveLength(count + 1);
    const end = inOrder.findIndex((number) => endless.includes(number));
    for (const number of inOrder.slice(0, end + 1)) all.add(number);
  }
  return all;
}
const turnsFrom = (first: number, length: number) => Array.from({ length }, (_, turn) => first + turn);

it('a step that takes all the time keeps no other from more than three of four sweeps', () => {
  for (let endless = 0; endless < count; endless++)
    for (const first of [0, 1, 2, 3, 27_000_001]) expect(begun([endless], turnsFrom(first, 4)).size).toBe(count);
});

it('two such steps keep no other from all sweeps of an hour', () => {
  for (let other = 1; other < count; other++)
    expect(begun([0, other], turnsFrom(29_000_003, 4 * count)).size).toBe(count);
});

it('the urgent steps begin every other sweep, and steps that depend on each other keep their order', () => {
  const names: string[] = [];
  const step = (name: string) => async () => void names.push(name);
  const steps = [step('first'), [step('a'), step('b')], step('last')];
  const orders = turnsFrom(0, 12).map((turn) => {
    names.length = 0;
    for (const each of stepsInOrder(steps, turn)) void each();
    return names.join(' ');
  });
  for (const even of [0, 2, 4, 6, 8, 10]) expect(orders[even]).toBe('first a b last');
  expect([orders[1], orders[3], orders[7], orders[11]]).toEqual([
    'last a b first',
    'first a b last',
    'a b last first',
    'last first a b',
  ]);
});
