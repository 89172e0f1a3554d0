// Bounds how many packets a listener may send us: it has nothing to send but acknowledgements and reports of losses.

/** A listener acknowledges a hundred times a second, and reports losses fifty times a second, and each at once. */
const packetsPerSecond = 1000;
const burstSeconds = 4;

export class InboundPackets {
  #allowed = packetsPerSecond * burstSeconds;
  #countedAtMs = performance.now();

  /** Counts one packet. @returns false when there were too many */
  take(nowMs: number): boolean {
    const grown = ((nowMs - this.#countedAtMs) / 1000) * packetsPerSecond;
    this.#allowed = Math.min(this.#allowed + grown, packetsPerSecond * burstSeconds) - 1;
    this.#countedAtMs = nowMs;
    return this.#allowed >= 0;
  }
}
