// Puts the packets of an SRT caller in order: gaps are reported until they are filled, or are given up in time.
import { nextSequence, stepsBetween } from '../publisher/srt/packet.ts';

/** Packets that may wait behind a gap. */
const mostPackets = 8192;
/** Gaps at the same time. A report has room for as many; beyond them, the oldest is given up. */
const mostGaps = 256;

interface HeldPacket {
  readonly payload: Buffer;
  readonly arrivedAtMs: number;
}

/** The first and last missing sequence number. */
export type Gap = readonly [number, number];

export interface OrderedReceiver {
  /** Called for each payload, in order. */
  receive(payload: Buffer): void;
  /** Called when packets are missing for good before the next payload. */
  lost(): void;
}

/**
 * Packets in order are passed on at once. Those behind a gap wait: the gap is given up when the first of them has
 * waited for the latency, as the caller does not send older packets again.
 */
export class ReceiveBuffer {
  readonly #receiver: OrderedReceiver;
  readonly #latencyMs: number;
  readonly #held = new Map<number, HeldPacket>();
  /** Gaps in order. All packets between `#next` and `#newest` are held, or in a gap. */
  #gaps: Gap[] = [];
  /** The next packet to pass on. */
  #next: number;
  /** The number after the newest packet. */
  #end: number;
  #heldBytes = 0;

  constructor(firstSequence: number, latencyMs: number, receiver: OrderedReceiver) {
    this.#next = firstSequence;
    this.#end = firstSequence;
    this.#latencyMs = latencyMs;
    this.#receiver = receiver;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** The number before which all packets have arrived or are given up. */
  get next(): number {
    return this.#next;
  }

  /** Packets for which there is room. */
  get room(): number {
    return mostPackets - this.#held.size;
  }

  get gaps(): readonly Gap[] {
    return this.#gaps;
  }

  /**
   * Takes a packet. One that came before is dropped, as is one too far ahead.
   * @returns the gap that has become known, or null
   */
  take(sequence: number, payload: Buffer, nowMs: number): Gap | null {
    const steps = stepsBetween(this.#next, sequence);
    if (steps < 0 || steps >= mostPackets) return null;
    const ahead = stepsBetween(this.#end, sequence);
    if (ahead < 0 && !this.#fill(sequence)) return null;
    const gap: Gap | null = ahead > 0 ? [this.#end, nextSequence(sequence, -1)] : null;
    if (gap) this.#gaps.push(gap);
    if (ahead >= 0) this.#end = nextSequence(sequence);
    this.#held.set(sequence, { payload, arrivedAtMs: nowMs });
    this.#heldBytes += payload.length;
    if (this.#gaps.length > mostGaps) this.#giveUp();
    this.#passOn();
    return gap;
  }

  /** Gives up the gaps whose time is over. */
  check(nowMs: number): void {
    for (;;) {
      const [first] = this.#gaps;
      const behind = first && this.#held.get(nextSequence(first[1]));
      if (!behind || nowMs - behind.arrivedAtMs < this.#latencyMs) return;
      this.#giveUp();
    }
  }

  /** Gives up packets that the caller cannot send again. */
  drop(first: number, last: number): void {
    const oldest = this.#gaps[0];
    if (oldest && stepsBetween(first, oldest[0]) >= 0 && stepsBetween(oldest[1], last) >= 0) this.#giveUp();
  }

  /** Passes on all packets that have arrived. */
  end(): void {
    while (this.#gaps.length > 0) this.#giveUp();
  }

  /** Takes a number out of its gap. @returns false if it is in none, as its packet came before */
  #fill(sequence: number): boolean {
    const at = this.#gapWith(sequence);
    if (at === -1) return false;
    const [first, last] = this.#gaps[at]!;
    const parts: Gap[] = [];
    if (first !== sequence) parts.push([first, nextSequence(sequence, -1)]);
    if (last !== sequence) parts.push([nextSequence(sequence), last]);
    this.#gaps.splice(at, 1, ...parts);
    return true;
  }

  /** The index of the gap with a number, by bisection; -1 without one. */
  #gapWith(sequence: number): number {
    let [low, high] = [0, this.#gaps.length - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const [first, last] = this.#gaps[middle]!;
      if (stepsBetween(first, sequence) < 0) high = middle - 1;
      else if (stepsBetween(last, sequence) > 0) low = middle + 1;
      else return middle;
    }
    return -1;
  }

  /** Gives up the oldest gap. */
  #giveUp(): void {
    const gap = this.#gaps.shift()!;
    this.#receiver.lost();
    this.#next = nextSequence(gap[1]);
    this.#passOn();
  }

  #passOn(): void {
    for (;;) {
      const packet = this.#held.get(this.#next);
      if (!packet) return;
      this.#held.delete(this.#next);
      this.#heldBytes -= packet.payload.length;
      this.#next = nextSequence(this.#next);
      this.#receiver.receive(packet.payload);
    }
  }
}
