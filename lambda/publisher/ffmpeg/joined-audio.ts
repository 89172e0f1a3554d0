// The sound of an item that is joined to those before and after it, while it is decoded.
import type { SoundLevel } from '../../domain/playout/sound.ts';
import type { MediaTools } from '../media/media-tools.ts';
import { openAudioSource, silence } from './audio-source.ts';
import type { AudioSource } from './audio-source.ts';
import { endsInTime, gainBetween, gapFreeSamples } from './gap-free-samples.ts';
import { bytesOf, crossfadeSamples, fadeOf, fadeSamples, samplesOf, samplesOver } from './joined-samples.ts';
import { audioFormat } from './profile.ts';

/** Sound to read, from a sample of an item on. */
interface Stretch {
  readonly sourceURL: string;
  readonly startSample: number;
  readonly level: SoundLevel | null;
}

/** How an item begins. */
interface Head {
  readonly seconds: number;
  /** What is heard beneath its beginning, or until then; null: silence. */
  readonly from: Stretch | null;
  /** The sample with which what it follows without a gap ends; null: it does not. */
  readonly endsAt: number | null;
}

/** What is heard together with an item. */
interface Over extends Stretch {
  /** Samples of the item, the first of which this begins over. */
  readonly overSample: number;
  readonly sampleCount: number;
}

export interface JoinedAudioRequest extends Omit<Stretch, 'sourceURL'> {
  /** Null: the item is silent. */
  readonly sourceURL: string | null;
  /** How many samples are to come. */
  readonly sampleCount: number;
  /** How long the item fades in for, or `from` is heard beneath its beginning; null: it begins at once. */
  readonly head: Head | null;
  /** How long it fades out for; null: it ends at once. */
  readonly tailSeconds: number | null;
  /** The sample with which the item is over: with which it has faded out. */
  readonly lastSample: number;
  /** The sample with which its media ends. */
  readonly endSample: number;
  /** A stretch that begins in the midst of it, or with it, is mixed from its beginning; null: nothing is. */
  readonly over: Over | null;
  /** What follows it without a gap, and how long that takes to come into step; null: nothing does. */
  readonly next: (Stretch & { readonly seconds: number }) | null;
}

const { sampleRate, bytesPerSample } = audioFormat;
/** Where an item ends is looked for so long before it should. */
const lookBackSamples = sampleRate / 4;

/** Opens the sound of an item with its joins; `signal` ends it as `close` does. */
export function openJoinedAudio(tools: MediaTools, request: JoinedAudioRequest, signal: AbortSignal): AudioSource {
  const { sourceURL, startSample, sampleCount, level, head, tailSeconds, lastSample, over, next } = request;
  const open = (
    { sourceURL: url, ...stretch }: Omit<Stretch, 'sourceURL'> & { readonly sourceURL: string | null },
    count: number,
  ) => (url === null ? silence : openAudioSource(tools, { ...stretch, sourceURL: url, sampleCount: count }, signal));
  // A tenth of a second is a whole number of samples, but not always as numbers are multiplied.
  const headEnd = head ? Math.round(head.seconds * sampleRate) : 0;
  const tailSamples = tailSeconds === null ? 0 : Math.round(tailSeconds * sampleRate);
  const headSamples = head?.from && startSample < headEnd ? headEnd : 0;
  const end = startSample + sampleCount;
  const heardOver = over && startSample < over.overSample + over.sampleCount ? over : null;
  // What is mixed is read as a whole, as its peaks are held down ahead.
  const ownStart = headSamples > 0 ? 0 : (heardOver?.overSample ?? startSample);
  const mixedEnd = headSamples > 0 ? headSamples : heardOver ? heardOver.overSample + heardOver.sampleCount : 0;
  const own = open({ sourceURL, level, startSample: ownStart }, end - ownStart);
  const [from, mixed] =
    headSamples > 0 ? joinHead(Math.min(headSamples, end)) : heardOver ? joinOver(heardOver) : [null, null];
  // A reader that has not come to it yet, or that never does, handles no failure.
  mixed?.catch(() => {});
  const following = next && sampleCount > lookBackSamples ? open(next, lookBackSamples) : null;
  const tailStart = following ? end - lookBackSamples : Infinity;
  let tail: Promise<Buffer> | null = null;
  let position = startSample;
  return {
    ready: own.ready,
    log: () => [own, from, following].flatMap((source) => source?.log() || []).join('\n'),
    close: async () => {
      await Promise.all([own.close(), from?.close(), following?.close()]);
    },
    async readSamples(count) {
      const until = position + count;
      const parts: Buffer[] = [];
      if (mixed && position < mixedEnd) parts.push(between(await mixed, ownStart, until));
      const ownFrom = Math.max(position, mixed ? mixedEnd : position);
      const ownUntil = Math.min(until, tailStart);
      if (ownFrom < ownUntil) parts.push(await own.readSamples(ownUntil - ownFrom));
      if (until > tailStart) parts.push(between(await (tail ??= joinTail()), tailStart, until));
      const faded = fadedOver(parts.length === 1 ? parts[0]! : Buffer.concat(parts), position);
      position = until;
      return faded;
    },
  };

  /** Bytes of a buffer that begins with sample `first`, from the position on up to a sample. */
  function between(bytes: Buffer, first: number, until: number): Buffer {
    const from = Math.max(position, first) - first;
    return bytes.subarray(from * bytesPerSample, (until - first) * bytesPerSample);
  }

  function joinHead(count: number): [AudioSource, Promise<Buffer>] {
    const { from: under, seconds, endsAt } = head!;
    if (endsAt === null) {
      const source = open(under!, headSamples);
      return [source, mix(source, own, count, seconds)];
    }
    const boundary = Math.min(lookBackSamples, under!.startSample);
    const source = open({ ...under!, startSample: under!.startSample - boundary }, 2 * lookBackSamples);
    const joined = async () => {
      const ending = await readAll(source, 2 * lookBackSamples);
      const to = await readAll(own, count);
      const length = Math.min(source.ownSamples(), endsAt - under!.startSample + boundary);
      if (!endsInTime({ length, boundary })) return bytesOf(to);
      const gain = gainBetween(level, under!.level);
      const glide = { from: ending, length, boundary, to, glide: headEnd, gain, count: boundary + count };
      return bytesOf(await gapFreeSamples(glide)).subarray(boundary * bytesPerSample);
    };
    return [source, joined()];
  }

  function joinOver(above: Over): [AudioSource, Promise<Buffer>] {
    const count = Math.min(mixedEnd, end) - ownStart;
    const source = open(above, count);
    const joined = async () => {
      const [item, heard] = await Promise.all([readAll(own, count), readAll(source, count)]);
      return bytesOf(samplesOver(item, heard));
    };
    return [source, joined()];
  }

  /** The last samples, with what follows where the item ends before them. */
  async function joinTail(): Promise<Buffer> {
    const samples = await readAll(own, lookBackSamples);
    const silent = Math.max(end - ownStart - own.ownSamples(), end - request.endSample, 0);
    const ending = { from: samples, length: Math.max(0, lookBackSamples - silent), boundary: lookBackSamples };
    if (silent === 0 || !endsInTime(ending)) return bytesOf(samples);
    const to = await readAll(following!, lookBackSamples);
    const gain = gainBetween(next!.level, level);
    const glide = Math.round(next!.seconds * sampleRate);
    return bytesOf(await gapFreeSamples({ ...ending, to, glide, gain, count: lookBackSamples }));
  }

  function fadedOver(bytes: Buffer, first: number): Buffer {
    const last = first + bytes.length / bytesPerSample;
    const fadesIn = head && !head.from && first < headEnd;
    const fadesOut = tailSamples > 0 && last > lastSample - tailSamples;
    if (!fadesIn && !fadesOut) return bytes;
    const samples = samplesOf(bytes);
    if (fadesIn) fadeSamples(samples, { start: -first, end: headEnd - first }, 'in');
    if (fadesOut) fadeSamples(samples, { start: lastSample - tailSamples - first, end: lastSample - first }, 'out');
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
