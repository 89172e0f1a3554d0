// The acknowledgements to one SRT caller, and the round-trip time that its answers to them show.

/** Acknowledgements whose answers are awaited. */
const mostAwaited = 64;
/** An acknowledgement without an answer is repeated. */
const repeatAfterMs = 100;
/** Until the first answer, as in other listeners. */
const firstRoundTripMs = 100;

export interface Acknowledgement {
  readonly number: number;
  readonly payload: Buffer;
}

export class Acknowledgements {
  readonly #awaited = new Map<number, { readonly next: number; readonly sentAtMs: number }>();
  #number = 0;
  #sentNext: number | null = null;
  #sentAtMs = -Infinity;
  #answeredNext: number | null = null;
  #roundTripMs = firstRoundTripMs;
  #variationMs = firstRoundTripMs / 2;

  /** Time after which a report of losses is worth repeating. */
  get reportEveryMs(): number {
    return Math.max(20, (this.#roundTripMs + 4 * this.#variationMs) / 2);
  }

  /**
   * The acknowledgement that is due, if there is news or the last one may be lost.
   * @param next the sequence number before which all packets have arrived
   * @param room packets that the caller may have on their way
   */
  due(next: number, room: number, nowMs: number): Acknowledgement | null {
    const isAnswered = next === this.#answeredNext;
    if (isAnswered || (next === this.#sentNext && nowMs - this.#sentAtMs < repeatAfterMs)) return null;
    this.#number = (this.#number + 1) & 0x7fff_ffff || 1;
    this.#sentNext = next;
    this.#sentAtMs = nowMs;
    this.#awaited.set(this.#number, { next, sentAtMs: nowMs });
    if (this.#awaited.size > mostAwaited) this.#awaited.delete(this.#awaited.keys().next().value!);
    const payload = Buffer.alloc(16);
    payload.writeUInt32BE(next, 0);
    payload.writeUInt32BE(Math.round(1000 * this.#roundTripMs), 4);
    payload.writeUInt32BE(Math.round(1000 * this.#variationMs), 8);
    payload.writeUInt32BE(room, 12);
    return { number: this.#number, payload };
  }

  /** Learns that the caller has an acknowledgement. */
  answered(number: number, nowMs: number): void {
    const awaited = this.#awaited.get(number);
    if (!awaited) return;
    this.#awaited.delete(number);
    this.#answeredNext = awaited.next;
    const tookMs = nowMs - awaited.sentAtMs;
    this.#variationMs = (3 * this.#variationMs + Math.abs(tookMs - this.#roundTripMs)) / 4;
    this.#roundTripMs = (7 * this.#roundTripMs + tookMs) / 8;
  }
}
