// The order in which the items of a snapshot play in each lap: as they are listed, or shuffled by a seed.

interface Identified {
  readonly itemID: string;
}

/** A lap that continues in another entry. Items are named by their ids, in the order in which they are heard. */
export interface LapUnderWay {
  /** The latest items that were heard: as many as the last third of a lap has. */
  readonly heard: readonly string[];
  /** Items that are still to be heard; empty: the lap is over. */
  readonly rest: readonly string[];
}

/** Items, and everything that decides their order. */
export interface Ordered<Item extends Identified> {
  readonly mode: 'sequential' | 'shuffle';
  /** A random number, chosen when the snapshot is made. The shuffled orders of all laps follow from it. */
  readonly seed: number;
  readonly items: readonly Item[];
  /**
   * Sequential: the places of the items in the order of a lap, each place any number of times. Absent: as they are
   * listed.
   */
  readonly order?: readonly number[];
  /**
   * Shuffle: no item of the last third of a lap is in the first third of the next one. Absent: only the last item does
   * not begin the next lap.
   */
  readonly isSpread?: true;
  /** Shuffle: the lap that the entry before has begun, as lap 0. Absent: the entry begins a lap. */
  readonly lapUnderWay?: LapUnderWay;
}

/** The items of a lap in play order. For shuffle, a permutation seeded by snapshot and lap. */
export function orderOfLap<Item extends Identified>(snapshot: Ordered<Item>, lap: number): readonly Item[] {
  const { mode, items, order: places, isSpread, lapUnderWay } = snapshot;
  if (mode === 'sequential') return places ? places.map((place) => items[place]!) : items;
  if (lapUnderWay && lap === 0) return withIDs(items, lapUnderWay.rest);
  if (items.length < 2) return items;
  const order = permutation(snapshot, lap);
  const before = lapBefore(snapshot, lap);
  if (isSpread)
    return items.length === 2 ? alternating(snapshot) : spread(order, before.slice(-lateItems(items.length)));
  // The last item of a lap must not begin the next one. If it would, the first two items are swapped. The last item
  // keeps its place, so that the next lap can be compared with the permutation alone.
  if (before.at(-1) === order[0]!.itemID && order.length > 2) [order[0], order[1]] = [order[1]!, order[0]!];
  return order;
}

/** The number of items at the end of a lap that are kept away from the beginning of the next one: a third. */
export function lateItems(itemCount: number): number {
  return Math.max(1, Math.floor(itemCount / 3));
}

/** A generator of numbers in [0, 1), the same on every machine. */
export function randomNumbers(seed: number): () => number {
  return mulberry32(seed >>> 0);
}

/** The ids of the lap before another one, as far as its last third matters; empty: the run begins. */
function lapBefore(snapshot: Ordered<Identified>, lap: number): readonly string[] {
  const { lapUnderWay } = snapshot;
  if (lap === 0) return [];
  if (lap === 1 && lapUnderWay) return [...lapUnderWay.heard, ...lapUnderWay.rest];
  return permutation(snapshot, lap - 1).map(({ itemID }) => itemID);
}

/**
 * Moves late items of the lap before from the first third of an order to the second one, which has room for all of
 * them. The last third keeps its place, so that the next lap can be compared with the permutation alone.
 */
function spread<Item extends Identified>(order: readonly Item[], late: readonly string[]): Item[] {
  const third = lateItems(order.length);
  const lateIDs = new Set(late);
  const isLate = ({ itemID }: Identified) => lateIDs.has(itemID);
  const [first, second] = [order.slice(0, third), order.slice(third, order.length - third)];
  const moved = first.filter(isLate);
  const exchanged = second.filter((item) => !isLate(item)).slice(0, moved.length);
  const places = new Map(
    moved.flatMap((item, index) => [[item, exchanged[index]!] as const, [exchanged[index]!, item] as const]),
  );
  return order.map((item) => places.get(item) ?? item);
}

/** Two items in turns. */
function alternating<Item extends Identified>(snapshot: Ordered<Item>): Item[] {
  const order = permutation(snapshot, 0);
  const { heard = [], rest = [] } = snapshot.lapUnderWay ?? {};
  return [...heard, ...rest].at(-1) === order[0]!.itemID ? order.toReversed() : order;
}

function withIDs<Item extends Identified>(items: readonly Item[], ids: readonly string[]): Item[] {
  const byID = new Map(items.map((item) => [item.itemID, item]));
  return ids.flatMap((id) => byID.get(id) ?? []);
}

function permutation<Item>(
  { items, seed }: Pick<Ordered<Identified>, 'seed'> & { readonly items: readonly Item[] },
  lap: number,
): Item[] {
  return shuffled(items, mulberry32((seed ^ Math.imul(lap + 1, 0x9e3779b1)) >>> 0));
}

/** The items in a random order. */
function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  const order = [...items];
  for (let last = order.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [order[last], order[other]] = [order[other]!, order[last]!];
  }
  return order;
}

/** A 32-bit generator with a full period, the same on every machine (T. Ettinger's public-domain mulberry32). */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
  };
}
