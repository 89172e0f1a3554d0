// How much of what was sent has reached the other side's system, by what Linux says of each TCP connection.
import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { endpointsOf, readUnacknowledged } from './tcp-tables.ts';
import type { TcpEndpoints } from './tcp-tables.ts';

export interface MeteredConnection {
  /**
   * Bytes that the other side's system had acknowledged by the last look; null where this system does not tell. The
   * number never falls.
   */
  readonly bytesDelivered: number | null;
  /** The last of these bytes were acknowledged at this time or later, by `performance.now()`. */
  readonly deliveredSinceMs: number;
}

export interface MeteredOptions {
  /**
   * How many bytes the operating system has taken so far; it may count fewer than are on the wire, as where it counts
   * before encryption.
   */
  readonly bytesTaken: () => number;
  /** How many bytes are a second of what is sent. */
  readonly bytesPerSecond?: number;
}

interface Metered extends Required<MeteredOptions> {
  bytesDelivered: number | null;
  deliveredSinceMs: number;
  readonly endpoints: TcpEndpoints;
  /** The last look, or the beginning, and what had been taken by then. */
  seen: { bytes: number; atMs: number };
  isNew: boolean;
  /** What had been taken at a look since which all of that was delivered at no look. */
  awaited: { bytes: number; sinceMs: number };
}

/**
 * One look costs 5 to 10 ms of a thread, however few connections there are: the kernel walks through a table for
 * hundreds of thousands. So there are several a second only where they may tell something.
 */
const usualLooksEveryMs = 1000;
const checkEveryMs = 250;
/** Longer than an answer takes round the world. */
const behindAfterMs = 400;
/** What was sent since the last look counts as on its way. Whoever sends more than this before is looked at sooner. */
const unseenSeconds = 1.2;
/** Where looks were held up, nobody knows when something arrived. */
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
    return this.#metered.values().some(isTelling);
  }

  async #look(): Promise<void> {
    // This is read before the tables are: what is sent meanwhile then counts as on its way, never as delivered.
    const nowMs = performance.now();
    this.#lookedAtMs = nowMs;
    const before = [...this.#metered].map((metered) => ({ metered, bytesTaken: metered.bytesTaken() }));
    const unacknowledged = await readUnacknowledged(new Set(before.map(({ metered }) => metered.endpoints.table)));
    for (const { metered, bytesTaken } of before) {
      metered.isNew = false;
      const waiting = unacknowledged.get(metered.endpoints.ends);
      if (waiting !== undefined) noteLook(metered, { bytesTaken, bytesDelivered: bytesTaken - waiting, nowMs });
    }
  }
}

interface Look {
  readonly nowMs: number;
  readonly bytesTaken: number;
  readonly bytesDelivered: number;
}

function noteLook(metered: Metered, { nowMs, bytesTaken, bytesDelivered }: Look): void {
  if (bytesDelivered > (metered.bytesDelivered ?? -1)) {
    metered.bytesDelivered = Math.max(0, bytesDelivered);
    // They arrived some time after the look before.
    metered.deliveredSinceMs = Math.max(metered.seen.atMs, nowMs - mostUncertainMs);
  }
  metered.seen = { bytes: bytesTaken, atMs: nowMs };
  if (bytesDelivered >= metered.awaited.bytes) metered.awaited = { bytes: bytesTaken, sinceMs: nowMs };
}

/** Whether another look may tell something of a connection that the last one did not. */
function isTelling({ isNew, bytesDelivered, seen, awaited, bytesTaken, bytesPerSecond }: Metered): boolean {
  if (bytesDelivered === null) return isNew;
  const isBehind = seen.atMs - awaited.sinceMs > behindAfterMs;
  return isBehind || bytesTaken() - seen.bytes > unseenSeconds * bytesPerSecond;
}
