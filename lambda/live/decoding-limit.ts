// The bound of the pixels that a session has decoded, by our clock: a contributor may write any times.
// Decision D290.
import { mostPixelsPerSecond } from '../domain/live/live-source.ts';

/** Seconds of pixels that may come at once: after a pause of the network, a contributor sends all that it has kept. */
const burstSeconds = 10;

export class DecodingLimit {
  #pixels = 0;
  #countedAtMs = -Infinity;

  /** Counts a picture. @returns whether the session has more of them than one may have */
  exceededBy(pixels: number, nowMs: number): boolean {
    const allowed = (mostPixelsPerSecond * (nowMs - this.#countedAtMs)) / 1000;
    this.#pixels = Math.max(0, this.#pixels - allowed) + pixels;
    this.#countedAtMs = nowMs;
    return this.#pixels > burstSeconds * mostPixelsPerSecond;
  }
}
