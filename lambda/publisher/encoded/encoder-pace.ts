// Chooses the preset of an agent's software encoder: a faster one, with a worse picture, if streams fall behind.
import type { EncoderSettings } from '../ffmpeg/encoder-arguments.ts';

/** Presets of x264, each faster than the one before, and with a slightly worse picture at the same bitrate. */
const presets = ['veryfast', 'superfast', 'ultrafast'];
/** A preset applies to items that begin later, so its effect takes a while to show. */
const stepEveryMs = 10_000;

export class EncoderPace {
  readonly #chosen: EncoderSettings;
  readonly #steadyClock: () => number;
  readonly #onChange: (encoder: EncoderSettings) => void;
  #encoder: EncoderSettings;
  #steppedAtMs = -Infinity;

  /** @param chosen the settings while the agent keeps up */
  constructor(chosen: EncoderSettings, steadyClock: () => number, onChange: (encoder: EncoderSettings) => void) {
    this.#chosen = chosen;
    this.#encoder = chosen;
    this.#steadyClock = steadyClock;
    this.#onChange = onChange;
  }

  /** The settings for an item that begins now. */
  get encoder(): EncoderSettings {
    return this.#encoder;
  }

  /** Chooses the next faster preset, if it is time. Call it while a stream has little encoded media ahead. */
  speedUp(): void {
    if (this.#encoder.codec !== 'libx264') return;
    const next = presets[presets.indexOf(this.#encoder.preset) + 1];
    if (next === undefined || this.#steadyClock() - this.#steppedAtMs < stepEveryMs) return;
    this.#steppedAtMs = this.#steadyClock();
    this.#change({ ...this.#encoder, preset: next });
  }

  /** Returns to the original settings. Call it when the agent has nothing to encode. */
  relax(): void {
    if (this.#encoder !== this.#chosen) this.#change(this.#chosen);
  }

  #change(encoder: EncoderSettings): void {
    this.#encoder = encoder;
    this.#onChange(encoder);
  }
}
