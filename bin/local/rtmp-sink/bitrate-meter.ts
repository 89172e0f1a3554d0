// Measures a bitrate over the last few seconds.

const windowSeconds = 5;

/**
 * Counts bytes by whole seconds. The current second is not part of the bitrate. Times are milliseconds of any monotonic
 * clock.
 */
export class BitrateMeter {
  readonly #firstSecond: number;
  readonly #bytesBySecond = new Map<number, number>();

  constructor(nowMs: number) {
    this.#firstSecond = Math.floor(nowMs / 1000);
  }

  add(bytes: number, nowMs: number): void {
    const second = Math.floor(nowMs / 1000);
    this.#bytesBySecond.set(second, (this.#bytesBySecond.get(second) ?? 0) + bytes);
    for (const old of this.#bytesBySecond.keys()) {
      if (old < second - windowSeconds) this.#bytesBySecond.delete(old);
    }
  }

  /** Kilobits per second, over the last five whole seconds, or fewer at the beginning. */
  kbps(nowMs: number): number {
    const second = Math.floor(nowMs / 1000);
    const seconds = Math.min(windowSeconds, second - this.#firstSecond);
    if (seconds === 0) return 0;
    let bytes = 0;
    for (let past = second - seconds; past < second; past++) bytes += this.#bytesBySecond.get(past) ?? 0;
    return Math.round((bytes * 8) / 1000 / seconds);
  }
}
