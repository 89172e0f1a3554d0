// Tells when an encoder is about to fall behind: by how much media is encoded and not due yet.

/** Below the first for a while, pictures are late soon; above the second they are not. Encoders work 1.5 s ahead. */
const littleSeconds = 0.6;
const enoughSeconds = 1.2;
/** Shorter than this, a join on a busy machine looks like an encoder that is too slow. */
const sureAfterMs = 2000;
/** A stream that begins has little in hand at first. */
const beginsForMs = 3000;

export class MediaInHand {
  readonly #onShort: (isShort: boolean) => void;
  /** Since when there has been little; null while there is not. */
  #littleSinceMs: number | null = null;
  #beganAtMs: number | null = null;
  #isShort = false;

  /** @param onShort told when media becomes short, and when there is enough again */
  constructor(onShort: (isShort: boolean) => void) {
    this.#onShort = onShort;
  }

  /** To be called several times a second. @param seconds of media in hand; negative: so late is what is sent */
  note(seconds: number, nowMs: number): void {
    this.#beganAtMs ??= nowMs;
    if (seconds >= (this.#isShort ? enoughSeconds : littleSeconds)) {
      this.#littleSinceMs = null;
      if (this.#isShort) this.#tell(false);
      return;
    }
    this.#littleSinceMs ??= Math.max(nowMs, this.#beganAtMs + beginsForMs);
    if (!this.#isShort && nowMs - this.#littleSinceMs >= sureAfterMs) this.#tell(true);
  }

  /** The destination takes so little that what is in hand says nothing about the encoder. */
  leaveOut(): void {
    this.#littleSinceMs = null;
  }

  #tell(isShort: boolean): void {
    this.#isShort = isShort;
    this.#onShort(isShort);
  }
}
