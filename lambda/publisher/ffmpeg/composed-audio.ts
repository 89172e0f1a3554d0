// The composed sound of an item, mixed while it is decoded. The item itself is read once, from beginning to end.
import { headEndOf } from '../../domain/playout/composed-sound.ts';
import type { ComposedSound, Voice } from '../../domain/playout/composed-sound.ts';
import type { MediaTools } from '../media/media-tools.ts';
import { openAudioSource, silence } from './audio-source.ts';
import type { AudioSource, CountedAudioSource } from './audio-source.ts';
import {
  bytesOf,
  composedSamples,
  fadeSamples,
  lookBackSamples,
  readingStart,
  samplesOf,
  shiftedFade,
} from './composed-samples.ts';
import type { ReadSamples, SampleStretch } from './composed-samples.ts';
import { audioFormat } from './profile.ts';

/** Returns a file's signed http(s) address, or its path. */
export type FileAddress = (source: string) => string;

export interface ComposedAudioRequest extends SampleStretch {
  readonly sound: ComposedSound;
  readonly urlOf: FileAddress;
}

const { bytesPerSample, channels } = audioFormat;

/** Opens samples of an item with all its voices. `signal` ends it like `close`. */
export function openComposedAudio(
  tools: MediaTools,
  { sound, startSample, count, urlOf }: ComposedAudioRequest,
  signal: AbortSignal,
): AudioSource {
  const { item, followed } = sound;
  const end = startSample + count;
  const others: CountedAudioSource[] = [];
  const open = ({ source, reading, level }: Voice, start: number, sampleCount: number) =>
    source === null
      ? silence
      : openAudioSource(tools, { sourceURL: urlOf(source), reading, level, startSample: start, sampleCount }, signal);
  const first = readingStart(sound, startSample);
  const own = open(item, first, end - first);
  let ownRead = first;
  const read = async (voice: Voice, from: number, sampleCount: number): Promise<ReadSamples> => {
    if (voice === item) {
      const samples = await readAll(own, sampleCount);
      const ownSamples = first + own.ownSamples() - ownRead;
      ownRead += sampleCount;
      return { samples, ownSamples: Math.min(sampleCount, Math.max(0, ownSamples)) };
    }
    const silent = Math.max(0, voice.startSample - from);
    const source = open(voice, from + silent - voice.startSample, sampleCount - silent);
    others.push(source);
    const samples = new Int16Array(sampleCount * channels);
    samples.set(await readAll(source, sampleCount - silent), silent * channels);
    return { samples, ownSamples: silent + source.ownSamples() };
  };
  // The beginning is mixed as a whole, and so is the end of an item with a successor without a gap.
  const overEnds = sound.over.map((voice) => (voice.startSample <= startSample ? voice.endSample : 0));
  const headEnd = Math.min(end, Math.max(headEndOf(sound), ...overEnds));
  const headCount = headEnd - startSample;
  const head = headCount > 0 ? composedSamples(sound, { startSample, count: headCount }, { read }).then(bytesOf) : null;
  // `readSamples` throws the failure, if it gets there.
  head?.catch(() => {});
  const tailStart = followed && end === followed.boundary && count > lookBackSamples ? end - lookBackSamples : Infinity;
  let tail: Promise<Buffer> | null = null;
  let position = startSample;
  return {
    ready: own.ready,
    close: async () => {
      await Promise.all([own.close(), ...others.map((source) => source.close())]);
    },
    async readSamples(sampleCount) {
      const until = position + sampleCount;
      const parts: Buffer[] = [];
      if (head && position < headEnd) parts.push(between(await head, startSample, Math.min(until, headEnd)));
      const from = Math.max(position, headCount > 0 ? headEnd : position);
      const ownUntil = Math.min(until, tailStart);
      if (from < ownUntil) parts.push(await faded(from, ownUntil - from));
      if (until > tailStart) parts.push(between(await (tail ??= readTail()), tailStart, until));
      position = until;
      return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
    },
  };

  /** Bytes of a buffer that begins with sample `begins`: from the current position up to a sample. */
  function between(bytes: Buffer, begins: number, until: number): Buffer {
    const from = Math.max(position, begins) - begins;
    return bytes.subarray(from * bytesPerSample, (until - begins) * bytesPerSample);
  }

  async function faded(from: number, sampleCount: number): Promise<Buffer> {
    const bytes = await own.readSamples(sampleCount);
    ownRead += sampleCount;
    const fades = item.fades.filter((fade) => fade.start < from + sampleCount && fade.end > from);
    if (fades.length === 0) return bytes;
    const samples = samplesOf(bytes);
    for (const fade of fades) fadeSamples(samples, shiftedFade(fade, -from), fade.direction);
    return bytesOf(samples);
  }

  async function readTail(): Promise<Buffer> {
    return bytesOf(await composedSamples(sound, { startSample: tailStart, count: lookBackSamples }, { read }));
  }
}

/** Reads many samples a few at a time, as the source decodes only a little ahead. */
export async function readAll(source: AudioSource, count: number): Promise<Int16Array> {
  const bytes: Buffer[] = [];
  for (let sample = 0; sample < count; sample += audioFormat.samplesPerAacFrame)
    bytes.push(await source.readSamples(Math.min(audioFormat.samplesPerAacFrame, count - sample)));
  return samplesOf(Buffer.concat(bytes));
}
