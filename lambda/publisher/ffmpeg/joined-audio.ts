// The sound of an item that is joined to those before and after it, while it is decoded.
import type { SoundLevel } from '../../domain/sound.ts';
import type { MediaTools } from '../media/media-tools.ts';
import { openAudioSource } from './audio-source.ts';
import type { AudioSource } from './audio-source.ts';
import { bytesOf, crossfadeSamples, fadeOf, fadeSamples, samplesOf } from './joined-samples.ts';
import { audioFormat } from './profile.ts';

/** Sound to read, from a sample of an item on. */
interface Stretch {
  readonly sourceURL: string;
  readonly startSample: number;
  readonly level: SoundLevel | null;
}

export interface JoinedAudioRequest extends Stretch {
  /** How many samples are to come. */
  readonly sampleCount: number;
  /** How long the item fades in for, or `from` is heard beneath its beginning; null: it begins at once. */
  readonly head: { readonly seconds: number; readonly from: Stretch | null } | null;
  /** How long it fades out for, which ends with the last sample; null: it ends at once. */
  readonly tailSeconds: number | null;
}

const { sampleRate, bytesPerSample } = audioFormat;

/** Opens the sound of an item with its joins; `signal` ends it as `close` does. */
export function openJoinedAudio(tools: MediaTools, request: JoinedAudioRequest, signal: AbortSignal): AudioSource {
  const { sourceURL, startSample, sampleCount, level, head, tailSeconds } = request;
  // A tenth of a second is a whole number of samples, but not always as numbers are multiplied.
  const headEnd = head ? Math.round(head.seconds * sampleRate) : 0;
  const tailSamples = tailSeconds === null ? 0 : Math.round(tailSeconds * sampleRate);
  const headSamples = head?.from && startSample < headEnd ? headEnd : 0;
  const end = startSample + sampleCount;
  // What is mixed is read as a whole, as its peaks are held down ahead.
  const ownStart = headSamples > 0 ? 0 : startSample;
  const own = openAudioSource(tools, { sourceURL, level, startSample: ownStart, sampleCount: end - ownStart }, signal);
  const from =
    head?.from && headSamples > 0 ? openAudioSource(tools, { ...head.from, sampleCount: headSamples }, signal) : null;
  const mixed = from && mix(from, own, Math.min(headSamples, end), head!.seconds);
  // A reader that has not come to it yet, or that never does, handles no failure.
  mixed?.catch(() => {});
  let position = startSample;
  return {
    ready: own.ready,
    log: () => [own.log(), from?.log() ?? ''].filter((log) => log !== '').join('\n'),
    close: async () => {
      await Promise.all([own.close(), from?.close()]);
    },
    async readSamples(count) {
      const beginning = mixed && position < headSamples ? (await mixed).subarray(position * bytesPerSample) : null;
      const begun = beginning?.subarray(0, count * bytesPerSample) ?? Buffer.alloc(0);
      const missing = count - begun.length / bytesPerSample;
      const bytes = missing > 0 ? Buffer.concat([begun, await own.readSamples(missing)]) : begun;
      const faded = fadedOver(bytes, position);
      position += count;
      return faded;
    },
  };

  function fadedOver(bytes: Buffer, first: number): Buffer {
    const last = first + bytes.length / bytesPerSample;
    const fadesIn = head && !head.from && first < headEnd;
    const fadesOut = tailSamples > 0 && last > end - tailSamples;
    if (!fadesIn && !fadesOut) return bytes;
    const samples = samplesOf(bytes);
    if (fadesIn) fadeSamples(samples, { start: -first, end: headEnd - first }, 'in');
    if (fadesOut) fadeSamples(samples, { start: end - tailSamples - first, end: end - first }, 'out');
    return bytesOf(samples);
  }
}

async function mix(from: AudioSource, to: AudioSource, count: number, seconds: number): Promise<Buffer> {
  const [before, own] = await Promise.all([readAll(from, count), readAll(to, count)]);
  return bytesOf(crossfadeSamples(before, own, fadeOf({ shape: 'crossfade', seconds, groupCount: 0 })));
}

/** Reads many samples a few at a time, as no more of them are decoded ahead. */
export async function readAll(source: AudioSource, count: number): Promise<Int16Array> {
  const bytes: Buffer[] = [];
  for (let sample = 0; sample < count; sample += audioFormat.samplesPerAacFrame)
    bytes.push(await source.readSamples(Math.min(audioFormat.samplesPerAacFrame, count - sample)));
  return samplesOf(Buffer.concat(bytes));
}
