// The samples of composed sound: fades of constant power, joins without a gap, and sums with limited peaks.
import { highestPeakDBTP } from '../../domain/playout/sound.ts';
import { headEndOf } from '../../domain/playout/composed-sound.ts';
import type { ComposedSound, Fade, Seam, Voice } from '../../domain/playout/composed-sound.ts';
import { endsInTime, gainBetween, gapFreeSamples } from './gap-free-samples.ts';
import { audioFormat } from './profile.ts';

const { channels, sampleRate } = audioFormat;
const fullScale = 32_768;
/** The limiter lowers the gain within this many samples before and after a peak. */
const reachSamples = sampleRate / 200;

/** Samples of a voice, and the number of them that are its file's own. The others are silent. */
export interface ReadSamples {
  readonly samples: Int16Array;
  readonly ownSamples: number;
}

/** Reads samples of a voice, from a sample of the item on. */
export type ReadVoice = (voice: Voice, startSample: number, count: number) => Promise<ReadSamples>;

export interface SampleStretch {
  readonly startSample: number;
  readonly count: number;
}

/** The options of a range of samples. */
export interface SamplesOptions {
  readonly read: ReadVoice;
  /** Called if an item ends too far from its planned end to be joined without a gap. */
  readonly onMisfit?: () => void;
}

/** The end of an item is searched from this long before its planned end on. */
export const lookBackSamples = sampleRate / 4;

/**
 * The first sample to read for a range. Sums are made as a whole from the beginning of a transition, as the limiter
 * looks ahead.
 */
export function readingStart(sound: ComposedSound, startSample: number): number {
  if (startSample > 0 && startSample < headEndOf(sound)) return 0;
  const over = sound.over.find((voice) => startSample > voice.startSample && startSample < voice.endSample);
  return over ? Math.min(startSample, Math.max(0, over.startSample)) : startSample;
}

/** The samples of a range of an item, with all voices. */
export async function composedSamples(
  sound: ComposedSound,
  { startSample, count }: SampleStretch,
  { read, onMisfit }: SamplesOptions,
): Promise<Int16Array> {
  const first = readingStart(sound, startSample);
  const end = startSample + count;
  const { item, before, over, follows, followed } = sound;
  const headEnd = Math.min(headEndOf(sound), end);
  const isHead = first < headEnd;
  const heardOver = over.flatMap((voice) => {
    const [from, until] = [Math.max(first, voice.startSample), Math.min(end, voice.endSample)];
    return from < until ? [{ voice, from, until }] : [];
  });
  const [{ samples: own, ownSamples }, beneath, ending, ...above] = await Promise.all([
    read(item, first, end - first),
    before && isHead ? read(before, first, headEnd - first) : null,
    follows && isHead ? read(follows.voice, endingFrom(first), lookBackSamples - endingFrom(first)) : null,
    ...heardOver.map(({ voice, from, until }) => read(voice, from, until - from)),
  ]);
  let samples = own;
  if (ending) samples = await joinedWithoutGap(follows!, ending, own);
  if (beneath) {
    const head = Math.max(0, -first) * channels;
    const fade = shiftedFade(item.fades[0]!, -Math.max(0, first));
    const mixed = crossfadeSamples(
      beneath.samples.subarray(head),
      own.subarray(head, (headEnd - first) * channels),
      fade,
    );
    samples.set(beneath.samples.subarray(0, head));
    samples.set(mixed, head);
  }
  for (const [index, { from, until }] of heardOver.entries()) {
    const part = samples.subarray((from - first) * channels, (until - first) * channels);
    part.set(samplesOver(part, above[index]!.samples));
  }
  for (const fade of item.fades)
    if (!before || fade.direction === 'out') fadeSamples(samples, shiftedFade(fade, -first), fade.direction);
  if (followed && end > followed.boundary - lookBackSamples) {
    const length = Math.min(ownSamples, followed.mediaEnd - first);
    samples = await withoutGap({ ...followed, boundary: followed.boundary - first }, samples, length);
  }
  return samples.subarray((startSample - first) * channels);

  /** The end of the previous item, and this item, which follows without a gap. */
  async function joinedWithoutGap(seam: Seam, { samples: from, ownSamples: read }: ReadSamples, to: Int16Array) {
    const begins = endingFrom(first);
    const length = Math.min(read, seam.mediaEnd - begins);
    const boundary = -begins;
    if (!endsInTime({ length, boundary })) {
      onMisfit?.();
      return to;
    }
    const gain = gainBetween(item.level, seam.voice.level);
    const glide = Math.round(seam.glideSeconds * sampleRate);
    const following = to.subarray(Math.max(0, -first) * channels);
    const request = { from, length, boundary, to: following, glide, gain, count: end - begins };
    return (await gapFreeSamples(request)).subarray((first - begins) * channels);
  }

  /** The item to its end, and the voice that follows without a gap. @param length the item's own samples */
  async function withoutGap(seam: Seam, from: Int16Array, length: number): Promise<Int16Array> {
    const { boundary, voice, glideSeconds } = seam;
    if (!endsInTime({ length, boundary })) {
      onMisfit?.();
      return from;
    }
    const { samples: to } = await read(voice, voice.startSample, end - first);
    const gain = gainBetween(voice.level, item.level);
    const glide = Math.round(glideSeconds * sampleRate);
    return gapFreeSamples({ from, length, boundary, to, glide, gain, count: end - first });
  }
}

/** The first sample of the end of an item that is joined without a gap. */
function endingFrom(first: number): number {
  return Math.min(first, -lookBackSamples);
}

export function shiftedFade({ direction, start, end }: Fade, by: number): Fade {
  return { direction, start: start + by, end: end + by };
}

/** Fades samples in place, in from silence or out to silence, by a quarter of a sine. */
export function fadeSamples(
  samples: Int16Array,
  { start, end }: Pick<Fade, 'start' | 'end'>,
  direction: Fade['direction'],
): void {
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
function crossfadeSamples(from: Int16Array, to: Int16Array, fade: Fade): Int16Array {
  const first = fade.start * channels;
  const end = Math.max(first, Math.min(to.length, fade.end * channels));
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
function samplesOver(item: Int16Array, over: Int16Array): Int16Array {
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
function gainsAt(
  sample: number,
  { start, end }: Pick<Fade, 'start' | 'end'>,
): { readonly from: number; readonly to: number } {
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
