// Mixes the sound of a video under the sound track: at a set level, and lower during speech in the sound track.
import { highestPeakDBTP } from '../../domain/playout/sound.ts';
import type { SoundUnder } from '../../domain/playout/sound.ts';
import { samplesOf, bytesOf } from './composed-samples.ts';
import { audioFormat } from './profile.ts';

const { channels, sampleRate } = audioFormat;
const fullScale = 32_768;
/** Attenuation of the sound under speech. */
const duckedDB = -12;
/** Sound with this power between these frequencies counts as speech. */
const speechDBFS = -40;
const speechHertz = { lowest: 200, highest: 3500 };
/** Time constants of the ducking and of its end. */
const attackSeconds = 0.05;
const releaseSeconds = 0.4;
const powerSeconds = 0.03;
const holdSeconds = 0.1;
const highestPeak = fullScale * 10 ** (highestPeakDBTP / 20);

/** The factor of an exponential moving average, per sample, for a time constant. */
function shareIn(seconds: number): number {
  return 1 - Math.exp(-1 / (seconds * sampleRate));
}

const shares = {
  power: shareIn(powerSeconds),
  hold: shareIn(holdSeconds),
  attack: shareIn(attackSeconds),
  release: shareIn(releaseSeconds),
  low: shareIn(1 / (2 * Math.PI * speechHertz.lowest)),
  high: shareIn(1 / (2 * Math.PI * speechHertz.highest)),
};
const speechPower = 10 ** (speechDBFS / 10);
const amplitudeOf = (dB: number) => 10 ** (dB / 20);

type Level = Pick<SoundUnder, 'gainDB' | 'duck'>;

/** Mixes one sound under another. Successive calls continue the same sound. */
export class UnderMixer {
  #low = 0;
  #band = 0;
  #power = 0;
  /** 0: at the set level; 1: fully ducked. */
  #ducked = 0;
  #held = 1;

  /**
   * @param over samples of the sound track, see `audioFormat`
   * @param under the same number of samples of the video
   */
  mix(over: Buffer, under: Buffer, settings: Level): Buffer {
    const mixed = samplesOf(over);
    this.mixInto(mixed, samplesOf(under), settings);
    return bytesOf(mixed);
  }

  /** Mixes `below` into `above`, in place. @param below at least as long as `above` */
  mixInto(above: Int16Array, below: Int16Array, { gainDB, duck }: Level): void {
    const gain = amplitudeOf(gainDB);
    for (let at = 0; at < above.length; at += channels) {
      const [left, right] = [above[at]!, above[at + 1]!];
      const level = gain * this.#duckingAt(left + right, duck);
      const sums = [left + level * below[at]!, right + level * below[at + 1]!] as const;
      const held = this.#holding(
        Math.max(Math.abs(sums[0]), Math.abs(sums[1])),
        Math.max(Math.abs(left), Math.abs(right)),
      );
      above[at] = Math.round(sums[0] * held);
      above[at + 1] = Math.round(sums[1] * held);
    }
  }

  /** The factor that limits a sum to the allowed peak, or to that of the sound track alone if it is higher. */
  #holding(peak: number, peakOver: number): number {
    const wanted = Math.min(1, Math.max(highestPeak, peakOver) / Math.max(1, peak));
    this.#held = Math.min(wanted, this.#held + shares.hold * (1 - this.#held));
    return this.#held;
  }

  /** The ducking factor for the sound under. @param both the sum of both channels of the sound track's sample */
  #duckingAt(both: number, ducks: boolean): number {
    const value = both / (2 * fullScale);
    this.#low += shares.low * (value - this.#low);
    this.#band += shares.high * (value - this.#low - this.#band);
    this.#power += shares.power * (this.#band * this.#band - this.#power);
    // The next video begins at its set level, however much the previous one was ducked.
    if (!ducks) this.#ducked = 0;
    const wanted = ducks && this.#power > speechPower ? 1 : 0;
    this.#ducked += (wanted > this.#ducked ? shares.attack : shares.release) * (wanted - this.#ducked);
    return this.#ducked < 0.001 ? 1 : amplitudeOf(duckedDB * this.#ducked);
  }
}
