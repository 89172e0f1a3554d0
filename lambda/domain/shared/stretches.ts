// Stretches of time that are found piece by piece: joined, subtracted, and bounded in number.

/** In seconds from the beginning of the media. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** Gap below which two stretches are one: less than a picture at 24 a second. */
const gapSeconds = 0.035;
/** Maximum number kept during an inspection; only a crafted file has more. */
const mostKept = 500;

export const lengthOf = ({ start, end }: Stretch): number => end - start;

/** The stretches joined so that they do not touch, in order; the longest if there are too many. */
export function joined(stretches: readonly Stretch[]): Stretch[] {
  const result: Stretch[] = [];
  for (const stretch of stretches.toSorted((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last && stretch.start <= last.end + gapSeconds)
      result[result.length - 1] = { start: last.start, end: Math.max(last.end, stretch.end) };
    else result.push(stretch);
  }
  return longest(result, mostKept);
}

/** The longest stretches, up to `most`, in order. */
export function longest(stretches: readonly Stretch[], most: number): Stretch[] {
  if (stretches.length <= most) return [...stretches];
  return stretches
    .toSorted((a, b) => lengthOf(b) - lengthOf(a))
    .slice(0, most)
    .sort((a, b) => a.start - b.start);
}

/** The parts of the stretches outside the others. Both are results of `joined`. */
export function without(stretches: readonly Stretch[], others: readonly Stretch[]): Stretch[] {
  return stretches.flatMap((stretch) => {
    let { start } = stretch;
    const left: Stretch[] = [];
    for (const other of others) {
      if (other.end <= start || other.start >= stretch.end) continue;
      if (other.start > start) left.push({ start, end: other.start });
      start = Math.max(start, other.end);
    }
    return start < stretch.end ? [...left, { start, end: stretch.end }] : left;
  });
}
