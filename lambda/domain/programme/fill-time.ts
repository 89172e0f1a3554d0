// Filler for the time before a beginning that cannot wait.
import type { PlannableItem } from './plannable.ts';

/** Items that are considered at a time: those that were heard least recently. */
const mostConsidered = 64;
/** Longer times are filled with the item that was heard least recently, until this is left. */
const exactFromSeconds = 600;

/**
 * The items that fill a time best, to the second, in the order in which they play. Each is used once; of equal sums,
 * the one with the items that were heard least recently is chosen.
 * @param seconds the time to fill
 * @param items those heard least recently first
 */
export function fillerFor(seconds: number, items: readonly PlannableItem[]): PlannableItem[] {
  const left = [...items];
  const chosen: PlannableItem[] = [];
  let remaining = seconds;
  while (remaining > exactFromSeconds) {
    const index = left.findIndex(({ durationSeconds }) => durationSeconds <= remaining);
    if (index < 0) return chosen;
    const [item] = left.splice(index, 1);
    remaining -= item!.durationSeconds;
    chosen.push(item!);
  }
  return [...chosen, ...bestSum(Math.floor(remaining), left.slice(0, mostConsidered))];
}

/** The items whose whole seconds have the largest sum that is no larger than a time. */
function bestSum(seconds: number, items: readonly PlannableItem[]): PlannableItem[] {
  // For each sum, the last item that reaches it; -1: no items reach it.
  const lastOf = new Int16Array(seconds + 1).fill(-1);
  const lengths = items.map(({ durationSeconds }) => Math.ceil(durationSeconds));
  const isReached = (sum: number) => sum === 0 || lastOf[sum]! >= 0;
  for (const [index, length] of lengths.entries())
    for (let sum = seconds; sum >= length; sum--) if (!isReached(sum) && isReached(sum - length)) lastOf[sum] = index;
  let sum = seconds;
  while (sum > 0 && !isReached(sum)) sum--;
  const chosen: PlannableItem[] = [];
  for (let rest = sum; rest > 0; rest -= lengths[lastOf[rest]!]!) chosen.unshift(items[lastOf[rest]!]!);
  return chosen;
}
