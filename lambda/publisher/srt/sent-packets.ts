// The packets that the other side has not acknowledged, while it can still use them.
import { markRetransmitted, stepsBetween } from './packet.ts';

interface SentPacket {
  readonly packet: Buffer;
  /** Bytes of media sent up to the end of this packet. */
  readonly mediaEnd: number;
  readonly sentAtMs: number;
  resentAtMs: number;
}

/**
 * Listeners repeat a report of losses until the packet arrives. So a packet that was just sent again is reported again.
 */
const resendAfterMs = 20;

export class SentPackets {
  readonly #packets = new Map<number, SentPacket>();
  /** Age limit: the listener has already played the time of an older packet. */
  readonly #usefulMs: number;
  #mediaAcknowledged = 0;

  constructor(usefulMs: number) {
    this.#usefulMs = usefulMs;
  }

  /** Bytes of media that have arrived, or are too late to arrive. */
  get mediaAcknowledged(): number {
    return this.#mediaAcknowledged;
  }

  /** The sequence number of the oldest packet; null without packets. */
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
   * Removes the packets before this one, which have arrived.
   * @returns true if any of them was not acknowledged before
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

  /** Removes the packets that are too old: the listener does not wait for them either. */
  forgetLate(nowMs: number): void {
    for (const [sequence, { sentAtMs }] of this.#packets) {
      if (nowMs - sentAtMs <= this.#usefulMs) break;
      this.#packets.delete(sequence);
    }
  }

  /** A packet to send again; null if it was removed, or was sent again a moment ago. */
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
