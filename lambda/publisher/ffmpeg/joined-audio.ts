// The sound of an item with its joins to the items before and after it, mixed while it is decoded.
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

/** The join at the beginning of an item. */
interface Head {
  readonly seconds: number;
  /** The sound of the previous item, beneath the beginning or up to it; null: silence. */
  readonly from: Stretch | null;
  /** The last sample of the item that this one follows without a gap; null: another kind of join. */
  readonly endsAt: number | null;
}

/** Sound that is mixed over an item. */
interface Over extends Stretch {
  /** The sample of the item at which it begins. */
  readonly overSample: number;
  readonly sampleCount: number;
}

export interface JoinedAudioRequest extends Omit<Stretch, 'sourceURL'> {
  /** Null: the item is silent. */
  readonly sourceURL: string | null;
  /** The number of samples to return. */
  readonly sampleCount: number;
  /** The fade in or crossfade at the beginning; null: it begins at once. */
  readonly head: Head | null;
  /** Seconds of the fade out; null: it ends at once. */
  readonly tailSeconds: number | null;
  /** The sample at which the item ends, and its fade out is complete. */
  readonly lastSample: number;
  /** The sample at which its media ends. */
  readonly endSample: number;
  /**
   * Sound that is mixed over the item; null: none. It is mixed from its own beginning, even if reading begins later.
   */
  readonly over: Over | null;
  /** The item that follows without a gap, and the seconds that it takes to come into step; null: another join. */
  readonly next: (Stretch & { readonly seconds: number }) | null;
}

const { sampleRate, bytesPerSample } = audioFormat;
/** The end of an item is searched in this many samples before its planned end. */
const lookBackSamples = sampleRate / 4;

/** Opens the sound of an item with its joins. `signal` ends it like `close`. */
export function openJoinedAudio(tools: MediaTools, request: JoinedAudioRequest, signal: AbortSignal): AudioSource {
  const { sourceURL, startSample, sampleCount, level, head, tailSeconds, lastSample, over, next } = request;
  const open = (
    { sourceURL: url, ...stretch }: Omit<Stretch, 'sourceURL'> & { readonly sourceURL: string | null },
    count: number,
  ) => (url === null ? silence : openAudioSource(tools, { ...stretch, sourceURL: url, sampleCount: count }, signal));
  // Rounded, as the product of floating-point numbers may not be a whole number of samples.
  const headEnd = head ? Math.round(head.seconds * sampleRate) : 0;
  const tailSamples = tailSeconds === null ? 0 : Math.round(tailSeconds * sampleRate);
  const headSamples = head?.from && startSample < headEnd ? headEnd : 0;
  const end = startSample + sampleCount;
  const heardOver = over && startSample < over.overSample + over.sampleCount ? over : null;
  // Mixed sound is read as a whole, as the limiter looks ahead.
  const ownStart = headSamples > 0 ? 0 : (heardOver?.overSample ?? startSample);
  const mixedEnd = headSamples > 0 ? headSamples : heardOver ? heardOver.overSample + heardOver.sampleCount : 0;
  const own = open({ sourceURL, level, startSample: ownStart }, end - ownStart);
  const [from, mixed] =
    headSamples > 0 ? joinHead(Math.min(headSamples, end)) : heardOver ? joinOver(heardOver) : [null, null];
  // `readSamples` throws the failure, if it gets there.
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

  /** Bytes of a buffer that begins with sample `first`: from the current position to sample `until`. */
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

  /** The last samples; if the item ends before them, with the beginning of the next one. */
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

/** Reads many samples a few at a time, as the source decodes only a little ahead. */
export async function readAll(source: AudioSource, count: number): Promise<Int16Array> {
  const bytes: Buffer[] = [];
  for (let sample = 0; sample < count; sample += audioFormat.samplesPerAacFrame)
    bytes.push(await source.readSamples(Math.min(audioFormat.samplesPerAacFrame, count - sample)));
  return samplesOf(Buffer.concat(bytes));
}
