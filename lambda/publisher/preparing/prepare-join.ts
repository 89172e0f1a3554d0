// Makes a join: the AAC frames of an item in which it fades, or in which the item before is still heard.
import { soundOffsetMs } from '../../domain/playout/prepared-play-out.ts';
import type { JoinedSound, JoinRecipe } from '../../domain/playout/sound-joins.ts';
import { openAudioEncoder } from '../ffmpeg/audio-encoder.ts';
import { openAudioSource } from '../ffmpeg/audio-source.ts';
import { endsInTime, gainBetween, gapFreeSamples } from '../ffmpeg/gap-free-samples.ts';
import { readAll } from '../ffmpeg/joined-audio.ts';
import { bytesOf, crossfadeSamples, fadeOf, fadeSamples, samplesOver } from '../ffmpeg/joined-samples.ts';
import { audioFormat } from '../ffmpeg/profile.ts';
import { MediaError } from '../media/media-error.ts';
import type { MediaTools } from '../media/media-tools.ts';
import { deltaChunks } from '../prepared/delta-chunks.ts';
import { writeSegment } from '../prepared/segment-format.ts';
import { mediaChunkSize } from '../rtmp/message.ts';
import type { Encoded } from './prepare-segment.ts';

export interface JoinRequest {
  readonly recipe: JoinRecipe;
  /** Where the file of a content can be read: a signed http(s) address, or a path. */
  readonly urlOf: (contentHash: string) => string;
}

/** The encoder begins so many frames before the join, as `limitedPrerollFrames` of segments; these are thrown away. */
export const prerollFrames = 48;
const { sampleRate, samplesPerAacFrame, bytesPerSample, bitrateKbps } = audioFormat;

/**
 * @returns the bytes of the join's object: a segment whose groups are numbered as those of the item
 * @throws {MediaError} when nothing of an item can be decoded; {ToolError} when ffmpeg or the source failed; the
 * signal's reason
 */
export async function prepareJoin(tools: MediaTools, request: JoinRequest, signal: AbortSignal): Promise<Buffer> {
  return soundSegment(request.recipe, await encodeSoundOfJoin(tools, request, signal));
}

/** Frames of sound that take the place of an item's. */
interface SoundPlace {
  readonly firstGroup: number;
  readonly groupCount: number;
}

/** @returns the bytes of an object with frames of sound alone */
export function soundSegment({ firstGroup }: SoundPlace, { messages, sequenceHeader }: Encoded): Buffer {
  const facts = {
    chunkSize: mediaChunkSize,
    framesPerSecond: null,
    gopFrames: 1,
    firstGroup,
    videoSequenceHeader: null,
    audioSequenceHeader: sequenceHeader,
  };
  return writeSegment(
    facts,
    messages.map((message) => ({ video: null, sound: [message] })),
  );
}

/** The frames of sound of a join. @throws as `prepareJoin` */
export function encodeSoundOfJoin(tools: MediaTools, request: JoinRequest, signal: AbortSignal): Promise<Encoded> {
  const samples = async (latencySamples: number) =>
    bytesOf(await samplesOfJoin(tools, request, latencySamples, signal));
  return encodeSound(tools, request.recipe, samples, signal);
}

/**
 * @param samplesFor the sound from `prerollFrames` before the place to so many samples after it
 * @throws as that does; {ToolError} when ffmpeg failed; the signal's reason
 */
export async function encodeSound(
  tools: MediaTools,
  { firstGroup, groupCount }: SoundPlace,
  samplesFor: (latencySamples: number) => Promise<Buffer>,
  signal: AbortSignal,
): Promise<Encoded> {
  const encoder = openAudioEncoder(tools, { bitrateKbps }, signal);
  try {
    const samples = await samplesFor(encoder.latencySamples);
    const messages: Buffer[] = [];
    const frameBytes = samplesPerAacFrame * bytesPerSample;
    let written = 0;
    // The encoder's first frame only primes decoders.
    for (let frame = -prerollFrames - 1; frame < groupCount; frame++) {
      const needed = (frame + 1 + prerollFrames) * samplesPerAacFrame + encoder.latencySamples;
      for (; written < needed; written += samplesPerAacFrame) {
        const at = written * bytesPerSample;
        encoder.write(Buffer.concat([samples.subarray(at, at + frameBytes)], frameBytes));
      }
      const body = await encoder.readFrame();
      if (frame >= 0) messages.push(deltaChunks('audio', sinceBefore(firstGroup + frame), body));
    }
    return { messages, sequenceHeader: await encoder.sequenceHeader };
  } finally {
    await encoder.close();
  }
}

/** The sound from `prerollFrames` before the join to `latencySamples` after it. */
export async function samplesOfJoin(
  tools: MediaTools,
  { recipe, urlOf }: JoinRequest,
  latencySamples: number,
  signal: AbortSignal,
): Promise<Int16Array> {
  const { shape, item, firstGroup, groupCount, from, to, over } = recipe;
  const count = (prerollFrames + groupCount) * samplesPerAacFrame + latencySamples;
  const read = async ({ contentHash, level, isSilent }: JoinedSound, startSample: number) =>
    isSilent
      ? { samples: new Int16Array(count * audioFormat.channels), ownSamples: 0 }
      : readSamples(tools, { sourceURL: urlOf(contentHash), level, startSample, count }, signal);
  const prerollSamples = prerollFrames * samplesPerAacFrame;
  const readFrom = (sound: JoinedSound, group: number) => read(sound, group * samplesPerAacFrame - prerollSamples);
  const gapFree = async (ends: JoinedSound, group: number, begins: JoinedSound, boundary: number) => {
    const { samples, ownSamples } = await readFrom(ends, group);
    const said = Math.round(ends.durationSeconds * sampleRate) - group * samplesPerAacFrame + prerollSamples;
    const ending = { from: samples, length: Math.min(said, ownSamples), boundary };
    if (!endsInTime(ending)) throw new MediaError('damaged', 'The sound has another length than was said of it.');
    const { samples: next } = await read(begins, 0);
    const glide = Math.round(recipe.seconds * sampleRate);
    return gapFreeSamples({ ...ending, to: next, glide, gain: gainBetween(begins.level, ends.level), count });
  };
  if (shape === 'gapFreeStart') return gapFree(from!, from!.group, item, prerollSamples);
  const endOfItem = prerollSamples + groupCount * samplesPerAacFrame;
  if (shape === 'gapFreeEnd') return gapFree(item, firstGroup, to!, endOfItem);
  const { samples: own } = await readFrom(item, firstGroup);
  if (over) return samplesOver(own, (await read(over, over.startSample - prerollSamples)).samples);
  if (shape === 'plain') return own;
  const fade = fadeOf(recipe, prerollSamples);
  if (from) return crossfadeSamples((await readFrom(from, from.group)).samples, own, fade);
  fadeSamples(own, fade, shape === 'fadeIn' ? 'in' : 'out');
  return own;
}

interface Stretch {
  readonly sourceURL: string;
  readonly level: JoinedSound['level'];
  /** Before the beginning of a file there is silence. */
  readonly startSample: number;
  readonly count: number;
}

export async function readSamples(
  tools: MediaTools,
  { startSample, count, ...source }: Stretch,
  signal: AbortSignal,
): Promise<{ samples: Int16Array; ownSamples: number }> {
  const silent = Math.max(0, -startSample);
  const sampleCount = count - silent;
  const request = { ...source, startSample: Math.max(0, startSample), sampleCount, background: true };
  const audio = openAudioSource(tools, request, signal);
  try {
    await audio.ready;
    const samples = new Int16Array(count * audioFormat.channels);
    samples.set(await readAll(audio, sampleCount), silent * audioFormat.channels);
    return { samples, ownSamples: silent + audio.ownSamples() };
  } finally {
    await audio.close();
  }
}

/** Milliseconds since the message before, in the item's own count. */
function sinceBefore(group: number): number {
  return group === 0 ? 0 : soundOffsetMs(group) - soundOffsetMs(group - 1);
}
