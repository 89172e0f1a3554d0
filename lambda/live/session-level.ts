// Brings the sound of a session slowly to the loudness of its stream, sample by sample and without a delay.
import { highestPeakDBTP } from '../domain/playout/sound.ts';
import { audioFormat } from '../publisher/ffmpeg/profile.ts';

const { sampleRate, channels } = audioFormat;
const blockSamples = sampleRate / 10;
/** Loudness is that of these last blocks: a sentence, and not a word. */
const measuredBlocks = 60;
/** Blocks that decide before the first change. Viewers see no session before it has lasted two seconds. */
const leastBlocks = 5;
/** Quieter blocks are pauses, whose noise is not made louder (the absolute gate of ITU-R BS.1770-5 is lower). */
const pauseLUFS = -50;
/** Blocks this far below the mean do not count, as in ITU-R BS.1770-5, annex 1. */
const gateLU = 10;
const mostGainDB = 15;
const mostCutDB = 30;
/** Change of the gain in a block: 3 dB a second. */
const stepDB = 0.3;
/** The first samples of a peak are bent; then the gain is down. */
const limitedSamples = 64;
/** Time in which the gain returns after a peak. */
const releaseSamples = sampleRate / 5;
const ceiling = 32_767 * 10 ** (highestPeakDBTP / 20);
/** Samples above this part of the ceiling are bent towards it. */
const knee = 0.9;

/** The two filters of K-weighting at 48 kHz (ITU-R BS.1770-5, annex 1, tables 1 and 2). */
const kWeighting = [
  { b: [1.53512485958697, -2.69169618940638, 1.19839281085285], a: [-1.69065929318241, 0.73248077421585] },
  { b: [1, -2, 1], a: [-1.99004745483398, 0.99007225036621] },
] as const;

export class SessionLevel {
  readonly #targetLUFS: number;
  /** State of the filters: two values of each, for each channel. */
  readonly #filters = Array.from({ length: channels }, () => new Float64Array(2 * kWeighting.length));
  /** Loudness of the last blocks that are no pauses. */
  readonly #blocks: number[] = [];
  #energy = 0;
  #blockLength = 0;
  #gainDB = 0;
  #nextGainDB = 0;
  #isDecided = false;
  /** Gain that keeps peaks below the ceiling, up to 1. */
  #reduction = 1;

  constructor(targetLUFS: number) {
    this.#targetLUFS = targetLUFS;
  }

  /** @param sound whole samples, which are changed in place */
  apply(sound: Buffer): void {
    const count = sound.length / audioFormat.bytesPerSample;
    for (let from = 0; from < count;) {
      const until = Math.min(count, from + limitedSamples, from + blockSamples - this.#blockLength);
      this.#level(sound, from, until);
      from = until;
    }
  }

  /** Levels samples of one block. */
  #level(sound: Buffer, from: number, until: number): void {
    let peak = 0;
    for (let sample = from; sample < until; sample++)
      for (let channel = 0; channel < channels; channel++) {
        const value = sound.readInt16LE(2 * (sample * channels + channel));
        peak = Math.max(peak, Math.abs(value));
        this.#energy += this.#weighted(channel, value / 32_768) ** 2;
      }
    const [first, last] = [this.#gainAt(this.#blockLength), this.#gainAt(this.#blockLength + until - from)];
    const before = this.#reduction;
    const released = Math.min(1, before + (until - from) / releaseSamples);
    this.#reduction = Math.min(released, ceiling / Math.max(1, peak * Math.max(first, last)));
    for (let sample = from; sample < until; sample++) {
      const place = (sample - from) / (until - from);
      const gain = (first + (last - first) * place) * (before + (this.#reduction - before) * place);
      for (let channel = 0; channel < channels; channel++) {
        const at = 2 * (sample * channels + channel);
        sound.writeInt16LE(Math.round(bent(sound.readInt16LE(at) * gain)), at);
      }
    }
    this.#blockLength += until - from;
    if (this.#blockLength === blockSamples) this.#endBlock();
  }

  #gainAt(sampleOfBlock: number): number {
    const dB = this.#gainDB + ((this.#nextGainDB - this.#gainDB) * sampleOfBlock) / blockSamples;
    return 10 ** (dB / 20);
  }

  #endBlock(): void {
    const loudness = -0.691 + 10 * Math.log10(this.#energy / blockSamples + 1e-12);
    [this.#energy, this.#blockLength, this.#gainDB] = [0, 0, this.#nextGainDB];
    if (loudness < pauseLUFS) return;
    this.#blocks.push(loudness);
    if (this.#blocks.length > measuredBlocks) this.#blocks.shift();
    if (this.#blocks.length < leastBlocks) return;
    const distance = this.#targetLUFS - gatedMean(this.#blocks);
    const wanted = Math.max(-mostCutDB, Math.min(mostGainDB, distance));
    const step = this.#isDecided ? stepDB : Infinity;
    this.#isDecided = true;
    this.#nextGainDB += Math.max(-step, Math.min(step, wanted - this.#nextGainDB));
  }

  #weighted(channel: number, value: number): number {
    const state = this.#filters[channel]!;
    let weighted = value;
    for (let index = 0; index < kWeighting.length; index++) {
      const { b, a } = kWeighting[index]!;
      const output = b[0] * weighted + state[2 * index]!;
      state[2 * index] = b[1] * weighted - a[0] * output + state[2 * index + 1]!;
      state[2 * index + 1] = b[2] * weighted - a[1] * output;
      weighted = output;
    }
    return weighted;
  }
}

/** A sample, bent towards the ceiling near it. */
function bent(value: number): number {
  const size = Math.abs(value) / ceiling;
  if (size <= knee) return value;
  return Math.sign(value) * ceiling * (knee + (1 - knee) * Math.tanh((size - knee) / (1 - knee)));
}

/** The mean loudness of blocks, without those far below the mean of all. */
function gatedMean(blocks: readonly number[]): number {
  const gate = meanOf(blocks) - gateLU;
  return meanOf(blocks.filter((loudness) => loudness >= gate));
}

function meanOf(blocks: readonly number[]): number {
  return 10 * Math.log10(blocks.reduce((sum, loudness) => sum + 10 ** (loudness / 10), 0) / blocks.length);
}
