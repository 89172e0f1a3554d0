// Joins two items of sound without a gap, and shifts the second one gradually onto the stream's grid of frames.
import { setImmediate } from 'node:timers/promises';
import { highestPeakDBTP } from '../../domain/playout/sound.ts';
import type { SoundLevel } from '../../domain/playout/sound.ts';
import { audioFormat } from './profile.ts';

const { channels, sampleRate } = audioFormat;
const fullScale = 32_768;
/** If an item ends further than this from its planned end, its measured length was wrong. */
const mostOffSamples = 0.15 * sampleRate;

export interface GapFreeRequest {
  /** Sound of the first item, from a time before its end on. */
  readonly from: Int16Array;
  /** The number of its own samples. Those after them are silent. */
  readonly length: number;
  /** The sample of `from` at which the second item is due. */
  readonly boundary: number;
  /** The second item, from its beginning on. */
  readonly to: Int16Array;
  /** Samples over which the second item is shifted onto the grid. */
  readonly glide: number;
  /**
   * Factor for the second item at its beginning, so that it is as loud as the first one. It becomes 1 over the glide.
   */
  readonly gain: number;
  /** The number of samples to return, from the first of `from` on. */
  readonly count: number;
}

/** Whether the first item ends close enough to the time when the second one is due. */
export function endsInTime({ length, boundary }: Pick<GapFreeRequest, 'length' | 'boundary'>): boolean {
  return Math.abs(length - boundary) <= mostOffSamples;
}

/** The factor that brings sound of one level to another. */
export function gainBetween(level: SoundLevel | null, wanted: SoundLevel | null): number {
  return 10 ** (((wanted?.gainDB ?? 0) - (level?.gainDB ?? 0)) / 20);
}

/**
 * The first item up to its last sample, then the second one from its first sample on, a little faster or slower until
 * it is on the grid. Yields to other work after each second of sound.
 */
export async function gapFreeSamples(request: GapFreeRequest): Promise<Int16Array> {
  const { from, length, boundary, to, count } = request;
  // The interpolation needs some samples after the last position.
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

/** The largest factor that keeps all samples within the limit for peaks. */
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
  /** The samples before the first of `samples`. */
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
