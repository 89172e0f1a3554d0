// The packets of a connection that the other side has not acknowledged, for as long as sending them again helps.
import { markRetransmitted, stepsBetween } from './packet.ts';

interface SentPacket {
  readonly packet: Buffer;
  /** How many bytes of media had been sent with the last byte of this packet. */
  readonly mediaEnd: number;
  readonly sentAtMs: number;
  resentAtMs: number;
}

/** A report of losses is repeated until what is lost arrives, so a packet on its way is asked for again. */
const resendAfterMs = 20;

export class SentPackets {
  readonly #packets = new Map<number, SentPacket>();
  /** A packet that is older is of no use any more, as its time to be shown has come. */
  readonly #usefulMs: number;
  #mediaAcknowledged = 0;

  constructor(usefulMs: number) {
    this.#usefulMs = usefulMs;
  }

  /** How many bytes of media have arrived, or are too late to arrive. */
  get mediaAcknowledged(): number {
    return this.#mediaAcknowledged;
  }

  /** The sequence number of the first of them; null where there are none. */
  get oldest(): number | null {
    const [first] = this.#packets.keys();
    return first ?? null;
  }

  get count(): number {
    return this.#packets.size;
  }

  add(sequence: number, packet: Buffer, mediaEnd: number, nowMs: number): void {
    this.#packets.set(sequence, { packet, mediaEnd, sentAtMs: nowMs, resentAtMs: nowMs });
  }

  /**
   * All packets before this one have arrived.
   * @returns whether that is news
   */
  acknowledge(before: number): boolean {
    let isNews = false;
    for (const [sequence, { mediaEnd }] of this.#packets) {
      if (stepsBetween(sequence, before) <= 0) break;
      this.#mediaAcknowledged = mediaEnd;
      this.#packets.delete(sequence);
      isNews = true;
    }
    return isNews;
  }

  /** Forgets packets whose time is over, which the other side does not wait for either. */
  forgetLate(nowMs: number): void {
    for (const [sequence, { sentAtMs }] of this.#packets) {
      if (nowMs - sentAtMs <= this.#usefulMs) break;
      this.#packets.delete(sequence);
    }
  }

  /** A packet to be sent again; null where it is not there any more, or was sent a moment ago. */
  toResend(sequence: number, nowMs: number): Buffer | null {
    const sent = this.#packets.get(sequence);
    if (!sent || nowMs - sent.resentAtMs < resendAfterMs) return null;
    sent.resentAtMs = nowMs;
    markRetransmitted(sent.packet);
    return sent.packet;
  }

  has(sequence: number): boolean {
    return this.#packets.has(sequence);
  }
}
