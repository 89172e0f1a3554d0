// Computes the differences between the draft of a playlist and its live version.
import type { Playlist } from '../app/types.ts';

export type Item = Playlist['draft']['items'][number];

export interface Differences {
  /** Ids of items of the draft. */
  readonly added: ReadonlySet<string>;
  readonly moved: ReadonlySet<string>;
  /** Items that are live but not in the draft, in their order. */
  readonly removed: readonly Item[];
}

/** The smallest number of items counts as moved: the others have the same order in both versions. */
export function differencesOf(draft: readonly Item[], live: readonly Item[]): Differences {
  const places = new Map(live.map(({ id, uploadID }, index) => [`${id} ${uploadID}`, index]));
  const placeOf = ({ id, uploadID }: Item) => places.get(`${id} ${uploadID}`);
  const kept = draft.filter((item) => placeOf(item) !== undefined);
  const staying = longestRising(kept.map((item) => placeOf(item)!));
  const inDraft = new Set(kept.map(({ id }) => id));
  return {
    added: new Set(draft.filter((item) => placeOf(item) === undefined).map(({ id }) => id)),
    moved: new Set(kept.filter((_, index) => !staying.has(index)).map(({ id }) => id)),
    removed: live.filter(({ id }) => !inDraft.has(id)),
  };
}

/** Indices of the longest increasing subsequence of distinct numbers (patience sorting). */
function longestRising(numbers: readonly number[]): ReadonlySet<number> {
  /** For each length, the index of the smallest number that ends an increasing subsequence of this length. */
  const ends: number[] = [];
  const before: (number | undefined)[] = [];
  for (const [index, number] of numbers.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (numbers[ends[middle]!]! < number) low = middle + 1;
      else high = middle;
    }
    before.push(low === 0 ? undefined : ends[low - 1]);
    ends[low] = index;
  }
  const found = new Set<number>();
  for (let at = ends.at(-1); at !== undefined; at = before[at]) found.add(at);
  return found;
}
