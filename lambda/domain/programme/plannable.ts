// The items that a planner chooses from, with the facts that decide whether and in which order they play.
import type { CollectionOrder } from '../media/collections.ts';
import type { Availability } from '../media/availability.ts';
import type { Titles } from '../playout/titles.ts';

/** A time of black pictures, in seconds of an item. */
export type BlackTime = readonly [fromSeconds: number, untilSeconds: number];

/** An upload that a programme may play. */
export interface PlannableItem {
  readonly uploadID: string;
  readonly name: string;
  /** Seconds on the air: those of its media, or those that a still image is shown. */
  readonly durationSeconds: number;
  /** Unix time in ms. */
  readonly createdAtMs: number;
  readonly titles: Titles;
  readonly tags: readonly string[];
  /** Null: in no folder. */
  readonly folder: string | null;
  /** The times at which it may begin; absent: any time. */
  readonly availability?: Availability;
  /** Black pictures within it, as seconds from and until; absent: none, or it is in no need of them. */
  readonly black?: readonly BlackTime[];
}

/** An upload that a user has queued: it plays next, once. */
export interface QueuedItem {
  /** It increases with each one that is queued. */
  readonly number: number;
  readonly item: PlannableItem;
}

/** A collection with the members that can be played. */
export interface PlannableCollection {
  readonly order: CollectionOrder;
  /** In the order of the list; by group and name for `series`. */
  readonly members: readonly PlannableItem[];
  /** The group of a member, for `series`; null: a group of its own. */
  readonly groupOf: (item: PlannableItem) => string | null;
  /** Present: it has more members than a plan reads beside those of the other collections. Decision D259. */
  readonly isCut?: true;
}
