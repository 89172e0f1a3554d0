// Turns of the steps of a block by weight. No step is ever a whole turn ahead of its share, or a whole turn behind.

/** Turns since the last time at which each step had exactly its share, by the ids of the steps. */
export type Turns = Readonly<Record<string, number>>;

export interface Weighted {
  readonly id: string;
  readonly weight: number;
}

/**
 * The step whose turn is next: of those that are behind their share, the one that has to play soonest. Decision D225.
 */
export function nextTurn<Step extends Weighted>(steps: readonly Step[], turns: Turns): Step {
  const total = steps.reduce((sum, { weight }) => sum + weight, 0);
  const shareOf = ({ weight }: Weighted) => weight / total;
  const count = steps.reduce((sum, { id }) => sum + (turns[id] ?? 0), 0);
  const [first, ...others] = steps.filter((step) => (turns[step.id] ?? 0) < (count + 1) * shareOf(step) - rounding);
  const dueOf = (step: Weighted) => ((turns[step.id] ?? 0) + 1) / shareOf(step);
  return others.reduce(
    (soonest, step) => (dueOf(step) < dueOf(soonest) - rounding ? step : soonest),
    first ?? steps[0]!,
  );
}

const rounding = 1e-9;

/** The turns after one more; empty again when every step has its share. */
export function afterTurn(steps: readonly Weighted[], turns: Turns, id: string): Turns {
  const known = Object.fromEntries(steps.map((step) => [step.id, turns[step.id] ?? 0]));
  const next = { ...known, [id]: (known[id] ?? 0) + 1 };
  return steps.every((step) => next[step.id]! >= step.weight) ? {} : next;
}
