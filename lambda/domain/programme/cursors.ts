// The order in which a collection plays: a walk through its members that continues over changes of the collection.
// A cursor is small, whatever the collection's size, and refers to no position that a new member would move.
import type { CursorMove } from '../playout/planned-facts.ts';
import { firstIndex } from '../shared/binary-search.ts';
import { sha256 } from '../shared/sha256.ts';
import type { PlannableCollection, PlannableItem } from './plannable.ts';

/** A position in a collection. */
export interface Cursor {
  readonly lap: number;
  /** The place of the last member, or of its group, in the order of the lap; absent: the lap has not begun. */
  readonly place?: number;
  /** The id of that member or group. */
  readonly at?: string;
  /** Ids of members that were passed over, and play first. */
  passed?: readonly string[];
  /** `newest`: Unix time in ms of the newest upload that was played. */
  readonly newestMs?: number;
  /** `series`: the id of the last member of each group. */
  groups?: Record<string, string>;
  /** The occurrence of the block that it belongs to, as Unix time in ms; absent: it continues over occurrences. */
  readonly occurrenceMs?: number;
}

/** Members that may be passed over at a time. */
export const mostPassed = 50;

/** Moves a cursor: a member has played. */
export function moveCursor(cursor: Cursor, uploadID: string, move: CursorMove): void {
  const { passedOver = [], group, ...position } = move;
  Object.assign(cursor, position);
  const passed = [...(cursor.passed ?? []).filter((id) => id !== uploadID), ...passedOver].slice(-mostPassed);
  if (passed.length > 0) cursor.passed = passed;
  else delete cursor.passed;
  if (group !== undefined) setLastOf((cursor.groups ??= {}), group, uploadID);
}

type LastOfGroups = NonNullable<Cursor['groups']>;

/** Keeps the last member of a group. Users name groups: one named __proto__ is a field like any other. */
function setLastOf(groups: LastOfGroups, group: string, uploadID: string): void {
  Object.defineProperty(groups, group, { value: uploadID, writable: true, enumerable: true, configurable: true });
}

/** The id of the last member of a group; undefined: none has played. */
function lastOf(groups: LastOfGroups, group: string): string | undefined {
  return Object.hasOwn(groups, group) ? groups[group] : undefined;
}

/** A member that may play next. */
export interface Candidate {
  readonly item: PlannableItem;
  readonly move: CursorMove;
}

/** The members that may play now. */
export interface Available {
  readonly isAvailable: (item: PlannableItem) => boolean;
  /** All of them, in the order of the collection, if they are few; null: they are many, so a walk soon meets one. */
  readonly few: readonly PlannableItem[] | null;
}

/** Members that may play are few if they are at most this share of all. */
const fewShare = 1 / 8;

/** Those of the members that may play, if they are few. */
export function fewOf(members: readonly PlannableItem[], isAvailable: Available['isAvailable']): Available['few'] {
  const available = members.filter(isAvailable);
  return available.length <= members.length * fewShare ? available : null;
}

/** A member or a group with its place in the order of a lap. */
interface Placed {
  readonly place: number;
  readonly id: string;
}

/**
 * A walk through a collection. It keeps the orders of laps, so that each one is sorted once.
 * @param key a name that the random orders follow from, with a seed
 */
export class CollectionWalk {
  readonly #collection: PlannableCollection;
  readonly #key: string;
  readonly #byID: ReadonlyMap<string, PlannableItem>;
  readonly #groups: ReadonlyMap<string, readonly PlannableItem[]>;
  /** The place of each member in its group, by upload. */
  readonly #placeInGroup = new Map<string, number>();
  /** The groups of the few members that were asked for last. */
  #fewGroups: { readonly few: readonly PlannableItem[]; readonly groups: ReturnType<typeof groupsOf> } | null = null;
  /** The place of each member in the collection, by upload. */
  readonly #placeInAll: ReadonlyMap<string, number>;
  /** Unix time in ms. */
  readonly #newestMs: number;
  readonly #orders = new Map<number, readonly Placed[]>();

  constructor(collection: PlannableCollection, key: string) {
    this.#collection = collection;
    this.#key = key;
    this.#byID = new Map(collection.members.map((item) => [item.uploadID, item]));
    this.#placeInAll = new Map(collection.members.map(({ uploadID }, place) => [uploadID, place]));
    this.#newestMs = collection.members.reduce((newest, { createdAtMs }) => Math.max(newest, createdAtMs), 0);
    this.#groups = collection.order === 'series' ? groupsOf(collection) : new Map();
    for (const episodes of this.#groups.values())
      for (const [place, { uploadID }] of episodes.entries()) this.#placeInGroup.set(uploadID, place);
  }

  get members(): readonly PlannableItem[] {
    return this.#collection.members;
  }

  /**
   * The members that may play next, the due one first: each at most once, and as many as may be passed over.
   * @param available the members that may play now; others are left out, and keep their places in later laps
   */
  *candidates(cursor: Cursor, available: Available): Generator<Candidate> {
    const { isAvailable, few } = available;
    const passedOver: string[] = [];
    const waiting = new Set(cursor.passed);
    const seen = new Set<string>();
    let steps = this.#stepsOf(few) + waiting.size;
    for (const { item, move } of this.#walk(cursor, available)) {
      if (steps-- === 0) return;
      const { uploadID } = item;
      if (seen.has(uploadID) || !isAvailable(item)) continue;
      seen.add(uploadID);
      yield { item, move: passedOver.length > 0 ? { ...move, passedOver: [...passedOver] } : move };
      if (!waiting.has(uploadID)) passedOver.push(uploadID);
      if (passedOver.length > mostPassed) return;
    }
  }

  /**
   * The places that have all members, from any one on. A shuffled lap may have those in front that the last one had.
   */
  #stepsOf(few: Available['few']): number {
    const { order } = this.#collection;
    const members = few === null ? this.#byID.size : few.length;
    const places = order === 'series' ? (few === null ? this.#groups : this.#groupsOf(few)).size : members;
    return order === 'shuffle' || order === 'series' ? 2 * places : places;
  }

  /** Members that were passed over, newer ones, and then those of this lap and the next ones. */
  *#walk(cursor: Cursor, available: Available): Generator<Candidate> {
    const { order } = this.#collection;
    for (const id of cursor.passed ?? []) {
      const item = this.#byID.get(id);
      if (item) yield { item, move: this.#grouped(item) };
    }
    for (const item of this.#newer(cursor)) yield { item, move: { newestMs: item.createdAtMs } };
    for (const { lap, place, id } of this.#placesAfter(cursor, available)) {
      const item = order === 'series' ? this.#nextOfGroup(id, cursor, available) : this.#byID.get(id)!;
      const newestMs = Math.max(cursor.newestMs ?? 0, item.createdAtMs);
      yield { item, move: { lap, place, at: id, ...this.#grouped(item), ...(order === 'newest' && { newestMs }) } };
    }
  }

  /** The members that have arrived since the newest one was played, the oldest first. */
  #newer({ newestMs }: Cursor): PlannableItem[] {
    if (this.#collection.order !== 'newest' || this.#newestMs <= (newestMs ?? Infinity)) return [];
    return this.#collection.members
      .filter(({ createdAtMs }) => createdAtMs > newestMs!)
      .toSorted((one, other) => one.createdAtMs - other.createdAtMs);
  }

  /** The next member of a group that is available; the next one of all if none is. */
  #nextOfGroup(group: string, { groups = {} }: Cursor, { isAvailable, few }: Available): PlannableItem {
    const all = this.#groups.get(group)!;
    const lastID = lastOf(groups, group) ?? '';
    const last = this.#placeInGroup.get(lastID) ?? -1;
    // An upload may have moved to another group.
    const next = all[last]?.uploadID === lastID ? last + 1 : 0;
    if (few !== null) {
      const own = this.#groupsOf(few).get(group)!;
      return own.find(({ uploadID }) => this.#placeInGroup.get(uploadID)! >= next) ?? own[0]!;
    }
    for (let away = 0; away < all.length; away++) {
      const item = all[(next + away) % all.length]!;
      if (isAvailable(item)) return item;
    }
    return all[next % all.length]!;
  }

  #groupsOf(few: readonly PlannableItem[]): ReadonlyMap<string, readonly PlannableItem[]> {
    if (this.#fewGroups?.few !== few)
      this.#fewGroups = { few, groups: groupsOf({ ...this.#collection, members: few }) };
    return this.#fewGroups.groups;
  }

  /** The group that a cursor remembers. A group of one member needs no memory. */
  #grouped(item: PlannableItem): Pick<CursorMove, 'group'> {
    if (this.#collection.order !== 'series') return {};
    const group = groupNameOf(this.#collection, item);
    return this.#groups.get(group)!.length > 1 ? { group } : {};
  }

  /** Places after a cursor, lap after lap, without end; of few members, theirs alone. */
  *#placesAfter(
    { lap: firstLap, place, at }: Cursor,
    { few }: Available,
  ): Generator<Placed & { readonly lap: number }> {
    if (this.#byID.size === 0 || few?.length === 0) return;
    for (let lap = firstLap; ; lap++) {
      const order = few === null ? this.#orderOf(lap) : this.#placedOf(few, lap);
      const from = lap === firstLap ? this.#indexAfter(order, place, at) : 0;
      for (let index = from; index < order.length; index++) yield { ...order[index]!, lap };
    }
  }

  #indexAfter(order: readonly Placed[], place: number | undefined, at: string | undefined): number {
    if (place === undefined) return 0;
    if (this.#collection.order !== 'sequential') return firstIndex(order, (placed) => placed.place > place);
    // In a list by hand, the member counts and not its position, which others may have moved.
    const own = this.#placeInAll.get(at ?? '');
    const next = own === undefined ? place : own + 1;
    return firstIndex(order, (placed) => placed.place >= next);
  }

  /** The order of all members in a lap. */
  #orderOf(lap: number): readonly Placed[] {
    const { order, members } = this.#collection;
    const isShuffled = order === 'shuffle' || order === 'series';
    const kept = isShuffled ? lap : 0;
    const known = this.#orders.get(kept);
    if (known) return known;
    const placed = this.#placedOf(members, lap);
    if (this.#orders.size > 4) this.#orders.delete(this.#orders.keys().next().value!);
    this.#orders.set(kept, placed);
    return placed;
  }

  /** The order of members, or of their groups, in a lap. */
  #placedOf(members: readonly PlannableItem[], lap: number): readonly Placed[] {
    const { order } = this.#collection;
    const names = members.map((item) => (order === 'series' ? groupNameOf(this.#collection, item) : item.uploadID));
    const placed = [...new Set(names)].map((id) => ({ id, place: this.#placeOf(id, lap) }));
    if (order !== 'sequential') placed.sort((one, other) => one.place - other.place || (one.id < other.id ? -1 : 1));
    return placed;
  }

  #placeOf(id: string, lap: number): number {
    switch (this.#collection.order) {
      case 'sequential':
        return this.#placeInAll.get(id)!;
      case 'oldest':
        return this.#byID.get(id)!.createdAtMs;
      case 'newest':
        return -this.#byID.get(id)!.createdAtMs;
      default:
        return shuffledPlace(this.#key, id, lap);
    }
  }
}

/**
 * The place of a member in a shuffled lap, in [0, 1). It follows from the names alone, so members that come and go move
 * no others. A member of the last third of a lap is not in the first third of the next one.
 */
function shuffledPlace(key: string, id: string, lap: number): number {
  const place = randomOf(key, id, lap);
  const isLate = (each: number) => each >= 2 / 3;
  if (isLate(place) || lap === 0 || !isLate(randomOf(key, id, lap - 1))) return place;
  return 1 / 3 + place / 2;
}

function randomOf(key: string, id: string, lap: number): number {
  return Number.parseInt(sha256(`${key}/${lap}/${id}`).slice(0, 12), 16) / 2 ** 48;
}

function groupsOf({ members, groupOf }: PlannableCollection): Map<string, PlannableItem[]> {
  return Map.groupBy(members, (item) => groupNameOf({ groupOf }, item));
}

function groupNameOf({ groupOf }: Pick<PlannableCollection, 'groupOf'>, item: PlannableItem): string {
  return groupOf(item) ?? `upload ${item.uploadID}`;
}
