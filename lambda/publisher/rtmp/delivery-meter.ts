// How much of what was sent has reached the other side's system, by what Linux says of each TCP connection.
import type { Socket } from 'node:net';
import { endpointsOf, readUnacknowledged } from './tcp-tables.ts';
import type { TcpEndpoints } from './tcp-tables.ts';

export interface MeteredConnection {
  /**
   * Bytes that the other side's system had acknowledged by the last look; null where this system does not tell. The
   * number never falls.
   */
  readonly bytesDelivered: number | null;
}

export interface MeteredOptions {
  /**
   * How many bytes the operating system has taken so far; it may count fewer than are on the wire, as where it counts
   * before encryption.
   */
  readonly bytesTaken: () => number;
  /** When the server said last that it goes on reading, by `performance.now()`; never where it is absent. */
  readonly acknowledgedAtMs?: () => number;
}

interface Metered extends Required<MeteredOptions> {
  bytesDelivered: number | null;
  readonly endpoints: TcpEndpoints;
  /** What had been taken at a look since which all of that was delivered at no look. */
  awaited: { bytes: number; sinceMs: number };
}

/**
 * One look costs 5 to 10 ms of a thread, however few connections there are: the kernel walks through a table for
 * hundreds of thousands. So there are several a second only while something may be wrong.
 */
const lookEveryMs = {
  /** Something is new, or waits for longer than `behindAfterMs`. */
  attentive: 250,
  usual: 300,
  /** All servers have said a moment ago that they go on reading. */
  calm: 400,
} as const;
/** Longer than an answer takes round the world. */
const behindAfterMs = 400;
/** With the window that we ask for, a server acknowledges 720p this often. */
const acknowledgedLatelyMs = 1250;

/** A process has one meter for all of its connections. The meter looks as long as there are any. */
export class DeliveryMeter {
  readonly #metered = new Set<Metered>();
  #isLooking = false;
  #timer: NodeJS.Timeout | undefined;
  #nextLookMs = Infinity;

  /** Measures a connected socket until it closes. */
  add(socket: Socket, { bytesTaken, acknowledgedAtMs = () => -Infinity }: MeteredOptions): MeteredConnection {
    const awaited = { bytes: 0, sinceMs: performance.now() };
    const metered = { bytesDelivered: null, endpoints: endpointsOf(socket), bytesTaken, acknowledgedAtMs, awaited };
    this.#metered.add(metered);
    socket.once('close', () => this.#metered.delete(metered));
    if (!this.#isLooking) this.#lookAt(performance.now() + lookEveryMs.attentive);
    return metered;
  }

  /** Looks then, unless a look is due before. */
  #lookAt(atMs: number): void {
    if (atMs >= this.#nextLookMs) return;
    clearTimeout(this.#timer);
    this.#nextLookMs = atMs;
    this.#timer = setTimeout(() => void this.#look(), Math.max(1, atMs - performance.now())).unref();
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    // This is read before the tables are: what is sent meanwhile then counts as on its way, never as delivered.
    const nowMs = performance.now();
    const before = [...this.#metered].map((metered) => ({ metered, bytesTaken: metered.bytesTaken() }));
    const unacknowledged = await readUnacknowledged(new Set(before.map(({ metered }) => metered.endpoints.table)));
    for (const { metered, bytesTaken } of before) {
      const waiting = unacknowledged.get(metered.endpoints.ends);
      if (waiting === undefined) continue;
      const delivered = Math.max(metered.bytesDelivered ?? 0, bytesTaken - waiting);
      metered.bytesDelivered = delivered;
      if (delivered >= metered.awaited.bytes) metered.awaited = { bytes: bytesTaken, sinceMs: nowMs };
    }
    this.#isLooking = false;
    this.#nextLookMs = Infinity;
    if (this.#metered.size > 0) this.#lookAt(nowMs + lookEveryMs[this.#attention(nowMs)]);
  }

  #attention(nowMs: number): keyof typeof lookEveryMs {
    const all = [...this.#metered];
    const isOpen = ({ bytesDelivered, awaited }: Metered) =>
      bytesDelivered === null || nowMs - awaited.sinceMs > behindAfterMs;
    if (all.some(isOpen)) return 'attentive';
    const isReading = ({ acknowledgedAtMs }: Metered) => nowMs - acknowledgedAtMs() < acknowledgedLatelyMs;
    return all.every(isReading) ? 'calm' : 'usual';
  }
}
