// Makes a mix: AAC frames of a sound track's item, with the sound of the videos of that time under it.
import { mixLeadGroups } from '../../domain/playout/mixed-sound.ts';
import type { HeardSound, MixRecipe } from '../../domain/playout/mixed-sound.ts';
import { isTail } from '../../domain/playout/sound-joins.ts';
import { bytesOf } from '../ffmpeg/joined-samples.ts';
import { audioFormat } from '../ffmpeg/profile.ts';
import { UnderMixer } from '../ffmpeg/sound-under.ts';
import type { MediaTools } from '../media/media-tools.ts';
import { encodeSound, prerollFrames, readSamples, samplesOfJoin, soundSegment } from './prepare-join.ts';
import type { JoinRequest } from './prepare-join.ts';

export interface MixRequest extends Pick<JoinRequest, 'urlOf'> {
  readonly recipe: MixRecipe;
}

const { samplesPerAacFrame, channels } = audioFormat;

/**
 * @returns the bytes of the mix's object: a segment whose groups are numbered as those of the item
 * @throws the errors of `prepareJoin`
 */
export async function prepareMix(tools: MediaTools, request: MixRequest, signal: AbortSignal): Promise<Buffer> {
  const { recipe } = request;
  const samplesFor = (latencySamples: number) => mixedSamples(tools, request, latencySamples, signal);
  return soundSegment(recipe, await encodeSound(tools, recipe, samplesFor, signal));
}

/** The mixed sound from `prerollFrames` before the mix to `latencySamples` after it. */
async function mixedSamples(
  tools: MediaTools,
  { recipe, urlOf }: MixRequest,
  latencySamples: number,
  signal: AbortSignal,
): Promise<Buffer> {
  const { firstGroup, groupCount, under } = recipe;
  const read = (sound: HeardSound, startSample: number, count: number) =>
    heardSamples(tools, { ...sound, urlOf, startSample, count, latencySamples }, signal);
  const lead = mixLeadGroups * samplesPerAacFrame;
  const count = lead + groupCount * samplesPerAacFrame + latencySamples;
  const mixed = await read(recipe, firstGroup * samplesPerAacFrame - lead, count);
  const mixer = new UnderMixer();
  for (const { gainDB, duck, startSample, fromSample, sampleCount, ...sound } of under) {
    const at = lead + fromSample;
    const heard = Math.min(sampleCount, count - at);
    if (heard <= 0) continue;
    const below = await read(sound, startSample, heard);
    mixer.mixInto(mixed.subarray(at * channels, (at + heard) * channels), below, { gainDB, duck });
  }
  return bytesOf(mixed.subarray((lead - prerollFrames * samplesPerAacFrame) * channels));
}

interface Heard extends HeardSound, Pick<JoinRequest, 'urlOf'> {
  readonly startSample: number;
  readonly count: number;
  readonly latencySamples: number;
}

/** Samples of an item, in which its joins replace its own sound. */
async function heardSamples(
  tools: MediaTools,
  { item, joins, urlOf, startSample, count, latencySamples }: Heard,
  signal: AbortSignal,
): Promise<Int16Array> {
  const stretch = { sourceURL: urlOf(item.contentHash), level: item.level, startSample, count };
  const { samples } = item.isSilent
    ? { samples: new Int16Array(count * channels) }
    : await readSamples(tools, stretch, signal);
  for (const join of joins) {
    const joined = await samplesOfJoin(tools, { recipe: join, urlOf }, latencySamples, signal);
    // A join at the beginning also has samples before it, and one at the end after it: those of the neighbours.
    const first = join.firstGroup * samplesPerAacFrame;
    const windowStart = first - prerollFrames * samplesPerAacFrame;
    const windowEnd = windowStart + joined.length / channels;
    const from = Math.max(startSample, isTail(join.shape) ? first : windowStart);
    const end = Math.min(startSample + count, isTail(join.shape) ? windowEnd : windowEnd - latencySamples);
    if (from >= end) continue;
    const part = joined.subarray((from - windowStart) * channels, (end - windowStart) * channels);
    samples.set(part, (from - startSample) * channels);
  }
  return samples;
}
