// What is different between the draft of a playlist and what is live.
import type { Playlist } from '../app/types.ts';

export type Item = Playlist['draft']['items'][number];

export interface Differences {
  /** By the id of an item of the draft. */
  readonly added: ReadonlySet<string>;
  readonly moved: ReadonlySet<string>;
  /** Items that are live and not in the draft, in their order. */
  readonly removed: readonly Item[];
}

/** As few items as possible count as moved: those that stay are in the same order in both. */
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

/** Indices of the longest part of some different numbers that rises (patience sorting). */
function longestRising(numbers: readonly number[]): ReadonlySet<number> {
  /** For each length, the index of the smallest number that a rising part of this length ends with. */
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
