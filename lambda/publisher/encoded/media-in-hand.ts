// Detects when an encoder is about to fall behind, by the seconds of media that are encoded and not due yet.

/** Seconds ahead: below the first for a while, pictures are late soon; above the second, not. Encoders reach 1.5 s. */
const littleSeconds = 0.6;
const enoughSeconds = 1.2;
/** With a shorter time, a join on a busy machine would look like an encoder that is too slow. */
const sureAfterMs = 2000;
/** A stream has little media ahead while it begins. */
const beginsForMs = 3000;

export class MediaInHand {
  readonly #onShort: (isShort: boolean) => void;
  /** The time since which there is too little; null if there is enough. */
  #littleSinceMs: number | null = null;
  #beganAtMs: number | null = null;
  #isShort = false;

  /** @param onShort called when media becomes short, and when there is enough again */
  constructor(onShort: (isShort: boolean) => void) {
    this.#onShort = onShort;
  }

  /** Takes a sample; call it several times a second. @param seconds of media ahead; negative: media is this late */
  sample(seconds: number, nowMs: number): void {
    this.#beganAtMs ??= nowMs;
    if (seconds >= (this.#isShort ? enoughSeconds : littleSeconds)) {
      this.#littleSinceMs = null;
      if (this.#isShort) this.#change(false);
      return;
    }
    this.#littleSinceMs ??= Math.max(nowMs, this.#beganAtMs + beginsForMs);
    if (!this.#isShort && nowMs - this.#littleSinceMs >= sureAfterMs) this.#change(true);
  }

  /** Skips a sample, because the destination is too slow to judge the encoder. */
  leaveOut(): void {
    this.#littleSinceMs = null;
  }

  #change(isShort: boolean): void {
    this.#isShort = isShort;
    this.#onShort(isShort);
  }
}
