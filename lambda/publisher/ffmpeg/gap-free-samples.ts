// What is heard where one item of sound follows another without a gap, and how the second comes into step with frames.
import { setImmediate } from 'node:timers/promises';
import { highestPeakDBTP } from '../../domain/playout/sound.ts';
import type { SoundLevel } from '../../domain/playout/sound.ts';
import { audioFormat } from './profile.ts';

const { channels, sampleRate } = audioFormat;
const fullScale = 32_768;
/** An item that ends further from where the next one is due has another length than was said of it. */
const mostOffSamples = 0.15 * sampleRate;

export interface GapFreeRequest {
  /** Sound of the first item, from before its end on. */
  readonly from: Int16Array;
  /** How many samples of it there are; after them it is silent. */
  readonly length: number;
  /** The sample of `from` with which the second item is due. */
  readonly boundary: number;
  /** The second item, from its beginning on. */
  readonly to: Int16Array;
  /** How long the second item takes to come into step, in samples. */
  readonly glide: number;
  /** What the second item is multiplied by at its beginning to be as loud as the first one; 1 after the glide. */
  readonly gain: number;
  /** How many samples are to come, from the first of `from` on. */
  readonly count: number;
}

/** Whether the first item ends near enough to where the second one is due. */
export function endsInTime({ length, boundary }: Pick<GapFreeRequest, 'length' | 'boundary'>): boolean {
  return Math.abs(length - boundary) <= mostOffSamples;
}

/** What sound of one level is multiplied by to be at another. */
export function gainBetween(level: SoundLevel | null, wanted: SoundLevel | null): number {
  return 10 ** (((wanted?.gainDB ?? 0) - (level?.gainDB ?? 0)) / 20);
}

/**
 * The first item to its last sample, then the second one from its first sample on, a little faster or slower until it
 * is where it is due. It lets others work between seconds.
 */
export async function gapFreeSamples(request: GapFreeRequest): Promise<Int16Array> {
  const { from, length, boundary, to, count } = request;
  // What is read up to there is enough for the values between its last samples.
  const glide = request.glide - taps;
  const samples = new Int16Array(count * channels);
  samples.set(from.subarray(0, Math.min(length, count) * channels));
  const inStep = boundary + glide;
  const speed = glide / (inStep - length);
  const gain = Math.min(request.gain, Math.max(1, limitOf(to, glide)));
  const before = from.subarray(Math.max(0, length - taps) * channels, length * channels);
  for (let at = length; at < count; at++) {
    if (at % sampleRate === 0) await setImmediate();
    const position = at < inStep ? (at - length) * speed : at - boundary;
    const level = at < inStep ? gain ** (1 - position / glide) : 1;
    for (let channel = 0; channel < channels; channel++) {
      const value = Math.round(level * interpolated({ before, samples: to }, position, channel));
      samples[at * channels + channel] = Math.max(-fullScale, Math.min(fullScale - 1, value));
    }
  }
  return samples;
}

/** By how much samples can be multiplied until the highest is as high as peaks may be. */
function limitOf(samples: Int16Array, count: number): number {
  let highest = 1;
  for (let at = 0; at < Math.min(samples.length, count * channels); at++)
    highest = Math.max(highest, Math.abs(samples[at]!));
  return (fullScale * 10 ** (highestPeakDBTP / 20)) / highest;
}

const taps = 16;
const phases = 512;
/** A sinc in a Hann window, for each phase between two samples. */
const kernels = Array.from({ length: phases + 1 }, (_, phase) =>
  Float64Array.from({ length: taps }, (_unused, tap) => {
    const distance = tap - taps / 2 + 1 - phase / phases;
    const sinc = distance === 0 ? 1 : Math.sin(Math.PI * distance) / (Math.PI * distance);
    return sinc * Math.cos((Math.PI * distance) / taps) ** 2;
  }),
);

interface Followed {
  /** What is heard before the first of the samples. */
  readonly before: Int16Array;
  readonly samples: Int16Array;
}

/** The value between two samples. */
function interpolated({ before, samples }: Followed, position: number, channel: number): number {
  const whole = Math.floor(position);
  const phase = (position - whole) * phases;
  if (phase === 0) return samples[whole * channels + channel] ?? 0;
  const [kernel, next] = [kernels[Math.floor(phase)]!, kernels[Math.ceil(phase)]!];
  const share = phase - Math.floor(phase);
  let sum = 0;
  for (let tap = 0; tap < taps; tap++) {
    const at = (whole + tap - taps / 2 + 1) * channels + channel;
    const value = at < 0 ? before[before.length + at] : samples[at];
    sum += (value ?? 0) * (kernel[tap]! * (1 - share) + next[tap]! * share);
  }
  return sum;
}
