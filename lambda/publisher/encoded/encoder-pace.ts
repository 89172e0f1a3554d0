// How fast an agent's encoder in software works: faster, with a plainer picture, before streams fall behind.
import type { EncoderSettings } from '../ffmpeg/encoder-arguments.ts';

/** Presets of x264 that take less and less of the processor. The same bitrate looks a little worse with each. */
const presets = ['veryfast', 'superfast', 'ultrafast'];
/** A preset changes with the items that begin from then on, so what it does takes a while to show. */
const stepEveryMs = 10_000;

export class EncoderPace {
  readonly #chosen: EncoderSettings;
  readonly #steadyClock: () => number;
  readonly #onChange: (encoder: EncoderSettings) => void;
  #encoder: EncoderSettings;
  #steppedAtMs = -Infinity;

  /** @param chosen what the agent encodes with while it has time */
  constructor(chosen: EncoderSettings, steadyClock: () => number, onChange: (encoder: EncoderSettings) => void) {
    this.#chosen = chosen;
    this.#encoder = chosen;
    this.#steadyClock = steadyClock;
    this.#onChange = onChange;
  }

  /** What an item that begins now is encoded with. */
  get encoder(): EncoderSettings {
    return this.#encoder;
  }

  /** To be called while a stream has little media in hand. */
  speedUp(): void {
    if (this.#encoder.codec !== 'libx264') return;
    const next = presets[presets.indexOf(this.#encoder.preset) + 1];
    if (next === undefined || this.#steadyClock() - this.#steppedAtMs < stepEveryMs) return;
    this.#steppedAtMs = this.#steadyClock();
    this.#change({ ...this.#encoder, preset: next });
  }

  /** To be called when the agent has nothing to encode: what comes next has the machine as it was measured. */
  relax(): void {
    if (this.#encoder !== this.#chosen) this.#change(this.#chosen);
  }

  #change(encoder: EncoderSettings): void {
    this.#encoder = encoder;
    this.#onChange(encoder);
  }
}
