// Joins two items of sound: fades of constant power, and a limiter for the peaks of their sum.
import { highestPeakDBTP } from '../../domain/playout/sound.ts';
import type { JoinRecipe } from '../../domain/playout/sound-joins.ts';
import { audioFormat } from './profile.ts';

const { channels, sampleRate, samplesPerAacFrame } = audioFormat;
const fullScale = 32_768;
/** The limiter lowers the gain within this many samples before and after a peak. */
const reachSamples = sampleRate / 200;

/** The samples of a fade: `start` to `end`, without `end`. */
export interface Fade {
  readonly start: number;
  readonly end: number;
}

/**
 * The samples of a join that fade, if the join's first sample is `firstSample`. AAC frames overlap: the first frame of
 * a join is also heard in the frame before it, so it must equal the item; and an item's media may end a little before
 * or after its frames.
 */
export function fadeOf(
  { shape, seconds, groupCount }: Pick<JoinRecipe, 'shape' | 'seconds' | 'groupCount'>,
  firstSample = 0,
): Fade {
  const length = Math.round(seconds * sampleRate);
  const end = firstSample + groupCount * samplesPerAacFrame;
  if (shape === 'fadeIn') return { start: firstSample, end: firstSample + length };
  if (shape === 'fadeOut') return { start: end - length, end };
  return { start: firstSample + samplesPerAacFrame, end: firstSample + length - 2 * samplesPerAacFrame };
}

/** Fades samples in place, in from silence or out to silence, by a quarter of a sine. */
export function fadeSamples(samples: Int16Array, { start, end }: Fade, direction: 'in' | 'out'): void {
  for (let sample = 0; sample < samples.length / channels; sample++) {
    const gains = gainsAt(sample, { start, end });
    const gain = direction === 'in' ? gains.to : gains.from;
    for (let channel = 0; channel < channels; channel++) {
      const at = sample * channels + channel;
      samples[at] = Math.round(samples[at]! * gain);
    }
  }
}

/**
 * Crossfades from one item's samples to the other's. Both begin at the same time; `from` may end after the fade. Before
 * and after the fade the samples equal those of `from` and of `to` bit by bit.
 */
export function crossfadeSamples(from: Int16Array, to: Int16Array, fade: Fade): Int16Array {
  const first = fade.start * channels;
  const end = Math.min(to.length, fade.end * channels);
  const mixed = new Float32Array(end - first);
  for (let at = first; at < end; at++) {
    const gains = gainsAt(Math.floor(at / channels), fade);
    mixed[at - first] = (from[at] ?? 0) * gains.from + to[at]! * gains.to;
  }
  holdPeaks(mixed, Math.max(peakOf(from), peakOf(to), fullScale * 10 ** (highestPeakDBTP / 20)));
  const result = Int16Array.from(to);
  result.set(from.subarray(0, first));
  for (let at = first; at < end; at++) result[at] = Math.round(mixed[at - first]!);
  return result;
}

/**
 * Mixes sound over an item. Both begin at the same time. While `over` is silent, the samples equal those of the item
 * bit by bit.
 */
export function samplesOver(item: Int16Array, over: Int16Array): Int16Array {
  const mixed = Float32Array.from(item, (sample, at) => sample + (over[at] ?? 0));
  holdPeaks(mixed, Math.max(peakOf(item), fullScale * 10 ** (highestPeakDBTP / 20)));
  return Int16Array.from(mixed, (sample) => Math.round(sample));
}

/** Converts a buffer that ffmpeg wrote to numbers. */
export function samplesOf(bytes: Buffer): Int16Array {
  const samples = new Int16Array(bytes.length / 2);
  for (let at = 0; at < samples.length; at++) samples[at] = bytes.readInt16LE(at * 2);
  return samples;
}

/** Converts samples to a buffer that ffmpeg can read. */
export function bytesOf(samples: Int16Array): Buffer {
  const bytes = Buffer.alloc(samples.length * 2);
  for (const [at, sample] of samples.entries()) bytes.writeInt16LE(sample, at * 2);
  return bytes;
}

/** Gains whose powers add up to 1. */
function gainsAt(sample: number, { start, end }: Fade): { readonly from: number; readonly to: number } {
  const share = Math.min(1, Math.max(0, (sample - start) / (end - start)));
  return { from: Math.cos((share * Math.PI) / 2), to: Math.sin((share * Math.PI) / 2) };
}

/** The highest peak of any channel, also between samples, by a cubic through four of them. */
function peakOf(samples: ArrayLike<number>): number {
  let highest = 0;
  for (let sample = 0; sample < samples.length / channels; sample++)
    highest = Math.max(highest, peakFrom(samples, sample));
  return highest;
}

/** The highest peak from a sample to the next one. */
function peakFrom(samples: ArrayLike<number>, sample: number): number {
  let highest = 0;
  for (let channel = 0; channel < channels; channel++) {
    const at = sample * channels + channel;
    const [before, here] = [samples[at - channels] ?? 0, samples[at]!];
    const [next, after] = [samples[at + channels] ?? 0, samples[at + 2 * channels] ?? 0];
    for (const share of [0, 0.25, 0.5, 0.75]) {
      const slope = next - before + share * (2 * before - 5 * here + 4 * next - after);
      const value = here + (share / 2) * (slope + share * share * (3 * (here - next) + after - before));
      highest = Math.max(highest, Math.abs(value));
    }
  }
  return highest;
}

/** Limits peaks by a gain that changes smoothly. */
function holdPeaks(samples: Float32Array, limit: number): void {
  const count = samples.length / channels;
  const wanted = Float32Array.from({ length: count }, (_, sample) => Math.min(1, limit / peakFrom(samples, sample)));
  if (wanted.every((gain) => gain === 1)) return;
  const lowest = new Float32Array(count).fill(1);
  for (let sample = 0; sample < count; sample++) {
    if (wanted[sample] === 1) continue;
    const [first, end] = [Math.max(0, sample - reachSamples), Math.min(count, sample + reachSamples + 1)];
    for (let near = first; near < end; near++) lowest[near] = Math.min(lowest[near]!, wanted[sample]!);
  }
  // The mean of the lowest gains within half the reach never exceeds the gain that a peak needs.
  const half = Math.floor(reachSamples / 2);
  const sums = new Float64Array(count + 1);
  for (let sample = 0; sample < count; sample++) sums[sample + 1] = sums[sample]! + lowest[sample]!;
  for (let sample = 0; sample < count; sample++) {
    const [first, end] = [Math.max(0, sample - half), Math.min(count, sample + half + 1)];
    const gain = (sums[end]! - sums[first]!) / (end - first);
    for (let channel = 0; channel < channels; channel++) samples[sample * channels + channel]! *= gain;
  }
}
