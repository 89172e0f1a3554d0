// The choice of the connection that ends when a listener is full: strangers that wait make room for encoders.

/** A connection that has presented no key yet. */
export interface Waiting {
  /** Its address by `addressGroup`; null: not known yet. */
  readonly group: string | null;
  /** Whether its address has had a key accepted lately. */
  readonly isKnown: boolean;
  /** Bytes that it has sent. */
  readonly bytes: number;
  /** The last time at which bytes of it came, or its arrival, in ms of a steady clock. */
  readonly lastBytesAtMs: number;
}

/** A connection with newer bytes is in the middle of its handshake. */
const recentMs = 1000;

/** Connections of a known address that come last: those of its encoders, and not all that it may open. */
const mostKnown = 2;

/**
 * The connection that makes room: one of an address with a crowd of them, else one that has been silent for a second,
 * else any; of these, the one that has got least far. Without a crowd, the first two of a known address come last.
 * @param waiting in the order of their arrival
 * @param mostAlike connections of one address that are no crowd, as of the encoders behind one router
 * @returns undefined if none waits
 */
export function roomMaker<Each extends Waiting>(
  waiting: readonly Each[],
  nowMs: number,
  mostAlike: number,
): Each | undefined {
  const groups = [...Map.groupBy(waiting, ({ group }) => group).values()];
  const placed = groups.flatMap((alike) =>
    alike.map((each, place) => ({
      each,
      crowd: alike.length > mostAlike ? alike.length : 0,
      isKept: each.isKnown && place < mostKnown,
      isRecent: nowMs - each.lastBytesAtMs < recentMs,
    })),
  );
  const [first] = placed.toSorted(
    (one, other) =>
      other.crowd - one.crowd ||
      Number(one.isKept) - Number(other.isKept) ||
      Number(one.isRecent) - Number(other.isRecent) ||
      one.each.bytes - other.each.bytes ||
      one.each.lastBytesAtMs - other.each.lastBytesAtMs,
  );
  return first?.each;
}
