// Limits the packets that a listener may send: it has only acknowledgements and reports of losses to send.

/** A listener acknowledges 100 times a second. It reports each loss at once, and all losses 50 times a second. */
const packetsPerSecond = 1000;
const burstSeconds = 4;

export class InboundPackets {
  #allowed = packetsPerSecond * burstSeconds;
  #countedAtMs = performance.now();

  /** Counts one packet. @returns false if the listener has sent too many */
  take(nowMs: number): boolean {
    const grown = ((nowMs - this.#countedAtMs) / 1000) * packetsPerSecond;
    this.#allowed = Math.min(this.#allowed + grown, packetsPerSecond * burstSeconds) - 1;
    this.#countedAtMs = nowMs;
    return this.#allowed >= 0;
  }
}
