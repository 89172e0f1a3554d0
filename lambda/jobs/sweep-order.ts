// The order of the steps of a sweep. Its function is ended after 30 s, and a step may take all of them.

/** A step, or several that have to be done in their order. */
export type SweepStep = (() => Promise<unknown>) | readonly (() => Promise<unknown>)[];

/**
 * The steps of a sweep in the order of its turn. Every other sweep begins with the first steps, which are urgent. Those
 * between begin with the last step and with each one by turns. So a step that takes all the time keeps the others from
 * at most three sweeps, and two such steps keep those between them until one of these begins a sweep.
 * @param turn the number of the sweep: each one has the next number
 */
export function stepsInOrder(steps: readonly SweepStep[], turn: number): (() => Promise<unknown>)[] {
  const begins = Math.floor(turn / 4) % steps.length;
  const rotated = [...steps.slice(begins), ...steps.slice(0, begins)];
  const order = { 0: steps, 1: steps.toReversed(), 2: steps, 3: rotated }[turn % 4] ?? steps;
  return order.flat();
}
