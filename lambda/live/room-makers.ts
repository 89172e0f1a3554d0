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

/**
 * The connection that makes room: one of an address with a crowd of them, else one that has been silent for a second,
 * else any; of these, the one that has got least far. Addresses that are known come last.
 * @param mostAlike connections of one address that are no crowd, as of the encoders behind one router
 * @returns undefined if none waits
 */
export function roomMaker<Each extends Waiting>(
  waiting: readonly Each[],
  nowMs: number,
  mostAlike: number,
): Each | undefined {
  const counts = new Map([...Map.groupBy(waiting, ({ group }) => group)].map(([group, { length }]) => [group, length]));
  const crowdOf = ({ group }: Each) => (counts.get(group)! > mostAlike ? counts.get(group)! : 0);
  const isRecent = ({ lastBytesAtMs }: Each) => nowMs - lastBytesAtMs < recentMs;
  const [first] = waiting.toSorted(
    (one, other) =>
      Number(one.isKnown) - Number(other.isKnown) ||
      crowdOf(other) - crowdOf(one) ||
      Number(isRecent(one)) - Number(isRecent(other)) ||
      one.bytes - other.bytes ||
      one.lastBytesAtMs - other.lastBytesAtMs,
  );
  return first;
}
