// Measures the bytes that have reached the other side's system, from the table of TCP connections of Linux.
import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { endpointsOf, readUnacknowledged } from './tcp-tables.ts';
import type { TcpEndpoints } from './tcp-tables.ts';

export interface MeteredConnection {
  /**
   * Bytes that the other side's system had acknowledged at the last look; null on a system without such a table. The
   * number never falls.
   */
  readonly bytesDelivered: number | null;
  /** The earliest time at which the last of these bytes can have been acknowledged, by `performance.now()`. */
  readonly deliveredSinceMs: number;
}

export interface MeteredOptions {
  /**
   * Bytes that the operating system has taken so far. The number may be lower than that of the bytes on the wire, as it
   * is when it counts before encryption.
   */
  readonly bytesTaken: () => number;
  /** Size of one second of the media. */
  readonly bytesPerSecond?: number;
}

interface Metered extends Required<MeteredOptions> {
  bytesDelivered: number | null;
  deliveredSinceMs: number;
  readonly endpoints: TcpEndpoints;
  /** Time of the last look, or of the beginning, and the bytes taken by then. */
  seen: { bytes: number; atMs: number };
  isNew: boolean;
  /** Bytes taken at the oldest look whose bytes are not all delivered yet, and the time of that look. */
  awaited: { bytes: number; sinceMs: number };
}

/**
 * One look costs 5 to 10 ms of a thread, even for a few connections: the kernel walks through a table for hundreds of
 * thousands. So the meter looks several times a second only if a connection may have changed.
 */
const usualLooksEveryMs = 1000;
const checkEveryMs = 250;
/** An answer takes less time, even from the other side of the world. */
const behindAfterMs = 400;
/** Bytes sent since the last look count as on their way. If they are more than this, the next look comes sooner. */
const unseenSeconds = 1.2;
/** Uncertainty of the time of an arrival, at most, even after delayed looks. */
const mostUncertainMs = usualLooksEveryMs + checkEveryMs;

/** A process has one meter for all of its connections. The meter looks as long as there are any. */
export class DeliveryMeter {
  readonly #metered = new Set<Metered>();
  #isRunning = false;
  #lookedAtMs = -Infinity;

  /** Measures a connected socket until it closes. */
  add(socket: Socket, { bytesTaken, bytesPerSecond = Infinity }: MeteredOptions): MeteredConnection {
    const nowMs = performance.now();
    const metered: Metered = {
      bytesTaken,
      bytesPerSecond,
      bytesDelivered: null,
      deliveredSinceMs: nowMs,
      endpoints: endpointsOf(socket),
      seen: { bytes: 0, atMs: nowMs },
      isNew: true,
      awaited: { bytes: 0, sinceMs: nowMs },
    };
    this.#metered.add(metered);
    socket.once('close', () => this.#metered.delete(metered));
    if (!this.#isRunning) void this.#run();
    return metered;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#metered.size > 0) {
      await setTimeout(checkEveryMs, undefined, { ref: false });
      if (this.#isLookDue(performance.now())) await this.#look();
    }
    this.#isRunning = false;
  }

  #isLookDue(nowMs: number): boolean {
    if (nowMs - this.#lookedAtMs >= usualLooksEveryMs) return true;
    return this.#metered.values().some(mayHaveChanged);
  }

  async #look(): Promise<void> {
    // Read before the tables, so that bytes sent meanwhile count as on their way and never as delivered.
    const nowMs = performance.now();
    this.#lookedAtMs = nowMs;
    const before = [...this.#metered].map((metered) => ({ metered, bytesTaken: metered.bytesTaken() }));
    const unacknowledged = await readUnacknowledged(new Set(before.map(({ metered }) => metered.endpoints.table)));
    for (const { metered, bytesTaken } of before) {
      metered.isNew = false;
      const waiting = unacknowledged.get(metered.endpoints.ends);
      if (waiting !== undefined) recordLook(metered, { bytesTaken, bytesDelivered: bytesTaken - waiting, nowMs });
    }
  }
}

interface Look {
  readonly nowMs: number;
  readonly bytesTaken: number;
  readonly bytesDelivered: number;
}

function recordLook(metered: Metered, { nowMs, bytesTaken, bytesDelivered }: Look): void {
  if (bytesDelivered > (metered.bytesDelivered ?? -1)) {
    metered.bytesDelivered = Math.max(0, bytesDelivered);
    // The bytes arrived some time after the previous look.
    metered.deliveredSinceMs = Math.max(metered.seen.atMs, nowMs - mostUncertainMs);
  }
  metered.seen = { bytes: bytesTaken, atMs: nowMs };
  if (bytesDelivered >= metered.awaited.bytes) metered.awaited = { bytes: bytesTaken, sinceMs: nowMs };
}

/** True if another look may show something new about a connection. */
function mayHaveChanged({ isNew, bytesDelivered, seen, awaited, bytesTaken, bytesPerSecond }: Metered): boolean {
  if (bytesDelivered === null) return isNew;
  const isBehind = seen.atMs - awaited.sinceMs > behindAfterMs;
  return isBehind || bytesTaken() - seen.bytes > unseenSeconds * bytesPerSecond;
}
