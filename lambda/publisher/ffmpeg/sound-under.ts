// The sound of a video under that of the audio track: at a level, and lower while somebody speaks over it.
import { highestPeakDBTP } from '../../domain/playout/sound.ts';
import type { SoundUnder } from '../../domain/playout/sound.ts';
import { samplesOf, bytesOf } from './joined-samples.ts';
import { audioFormat } from './profile.ts';

const { channels, sampleRate } = audioFormat;
const fullScale = 32_768;
/** By so much less the sound under speech is heard. */
const duckedDB = -12;
/** Speech is taken to be sound with this power between these frequencies. */
const speechDBFS = -40;
const speechHertz = { lowest: 200, highest: 3500 };
/** How fast the sound gives way, and comes back. */
const attackSeconds = 0.05;
const releaseSeconds = 0.4;
const powerSeconds = 0.03;
const holdSeconds = 0.1;
const highestPeak = fullScale * 10 ** (highestPeakDBTP / 20);

/** The share by which a value that follows another comes nearer to it with each sample. */
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

/** Mixes one sound under another, samples that follow each other. */
export class UnderMixer {
  #low = 0;
  #band = 0;
  #power = 0;
  /** From 0, as loud as it is set, to 1, as low as it gets. */
  #ducked = 0;
  #held = 1;

  /**
   * @param over what is heard, in the form of `audioFormat`
   * @param under as long
   */
  mix(over: Buffer, under: Buffer, settings: Level): Buffer {
    const mixed = samplesOf(over);
    this.mixInto(mixed, samplesOf(under), settings);
    return bytesOf(mixed);
  }

  /** As `mix`, in place. @param below as long as `above`, or longer */
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

  /** What a sum is multiplied by so that it peaks no higher than it may, or than what is heard by itself. */
  #holding(peak: number, peakOver: number): number {
    const wanted = Math.min(1, Math.max(highestPeak, peakOver) / Math.max(1, peak));
    this.#held = Math.min(wanted, this.#held + shares.hold * (1 - this.#held));
    return this.#held;
  }

  /** What the sound under is multiplied by at a sample of both channels of the other, added up. */
  #duckingAt(both: number, ducks: boolean): number {
    const value = both / (2 * fullScale);
    this.#low += shares.low * (value - this.#low);
    this.#band += shares.high * (value - this.#low - this.#band);
    this.#power += shares.power * (this.#band * this.#band - this.#power);
    // Another video begins as loud as it is set, whatever the one before gave way to.
    if (!ducks) this.#ducked = 0;
    const wanted = ducks && this.#power > speechPower ? 1 : 0;
    this.#ducked += (wanted > this.#ducked ? shares.attack : shares.release) * (wanted - this.#ducked);
    return this.#ducked < 0.001 ? 1 : amplitudeOf(duckedDB * this.#ducked);
  }
}
