// The sound of an item: voices with gain curves, from the item before it to the item after it.
import type { SourceReading } from '../shared/source-reading.ts';
import { fromOrigin } from './play-out.ts';
import type { ItemOccurrence, TimelineEntry, TimelineItem } from './play-out.ts';
import { firstSoundFrameFrom, soundFramesOf, soundGridFrame } from './prepared-play-out.ts';
import type { PictureFormat } from './rendition.ts';
import { isThroughSilence, levelAt, overlaps } from './sound.ts';
import type { ItemJoin, SoundLevel } from './sound.ts';
import { longestAfterCutSeconds } from './stinger.ts';
import type { Stinger } from './stinger.ts';

export const soundSampleRate = 48_000;
export const samplesPerSoundFrame = 1024;

/** A fade from silence to full volume, or back, from a frame or sample to a later one, which is not included. */
export interface Fade {
  readonly direction: 'in' | 'out';
  readonly start: number;
  readonly end: number;
}

/** A file that is heard. All samples count from the beginning of the item, at 48 kHz. */
export interface Voice {
  /** The name of the file in its track; null: silence. */
  readonly source: string | null;
  /** How the file is read; absent: the usual way. */
  readonly reading?: SourceReading;
  /** The gain; null: the file plays unchanged. */
  readonly level: SoundLevel | null;
  /** The sample at which the file begins; negative: before the item begins. */
  readonly startSample: number;
  readonly fades: readonly Fade[];
}

/** A passage without a gap: the second voice begins when the media of the first one ends, then glides into step. */
export interface Seam {
  readonly voice: Voice;
  /** The sample at which the media of the first voice ends. */
  readonly mediaEnd: number;
  /** The sample at which the second voice is due. */
  readonly boundary: number;
  readonly glideSeconds: number;
}

/** The sound of an item. Fades have constant power. A limiter reduces the peaks of sums. */
export interface ComposedSound {
  readonly item: Voice;
  /** The voice that fades out under the beginning of the item; null: there is none. */
  readonly before: Voice | null;
  /** Voices that are mixed with the item, each until its `endSample`. */
  readonly over: readonly (Voice & { readonly endSample: number })[];
  /** The voice that the item follows without a gap; null: it follows none. */
  readonly follows: Seam | null;
  /** The voice that follows the item without a gap; null: none does. */
  readonly followed: Seam | null;
}

/** A track of a run, and the files of its items. */
export interface ComposedTrack {
  readonly entries: readonly TimelineEntry[];
  /** The contents of uploads by id, which name files; absent: files are named by the keys of objects. */
  readonly contentHashes?: ReadonlyMap<string, string>;
  /** The audio track, if the texts over these pictures show its titles. */
  readonly heard?: readonly TimelineEntry[];
  /** The pictures whose own sound is heard under this audio track, and their format; absent: there are none. */
  readonly under?: { readonly pictures: ComposedTrack; readonly format: PictureFormat };
}

/** An occurrence of a track with its neighbours. The files of the neighbours that it is joined to are known. */
export interface PlacedItem {
  readonly track: ComposedTrack;
  readonly occurrence: ItemOccurrence;
  readonly before: ItemOccurrence | null;
  readonly after: ItemOccurrence;
  /** The join from `before` to this occurrence. */
  readonly joinBefore: ItemJoin | undefined;
  /** The join from this occurrence to `after`. */
  readonly join: ItemJoin | undefined;
}

/** The grid that sound is counted on. `frames`: the frames of the pictures. The others: AAC frames of a rendition. */
export type SoundGrid = 'frames' | 'aac of pictures' | 'aac of sound';

/** AAC frames after a fade until an encoder that started at a join gives the same output as for the item alone. */
const settlingGroups = 8;
/** The most AAC frames that the media of an item may lack at its end if the next item follows without a gap. */
const gapFreeEndGroups = 8;

/** @returns null if the file of the item is not known */
export function sourceOf({ contentHashes }: ComposedTrack, item: Pick<TimelineItem, 'uploadID' | 'objectKey'>) {
  return contentHashes ? (contentHashes.get(item.uploadID) ?? null) : item.objectKey;
}

export function sourceOfStinger({ contentHashes }: ComposedTrack, { contentHash, objectKey }: Stinger): string {
  return contentHashes ? contentHash : objectKey;
}

export function composedSound(placed: PlacedItem, framesPerSecond: number, grid: SoundGrid): ComposedSound {
  const { track, occurrence, before, after, joinBefore, join } = placed;
  const { item } = occurrence;
  const { startFrame, frameCount } = fromOrigin(occurrence);
  const samplesAt = (frames: number) => (frames * soundSampleRate) / framesPerSecond;
  const endSample = endOf(occurrence, framesPerSecond, grid);
  const voice = (of: ItemOccurrence, startSample: number, fades: readonly Fade[] = []): Voice => {
    const source = of.item.hasAudio ? sourceOf(track, of.item) : null;
    const { reading } = of.item;
    return {
      source,
      ...(source && reading && { reading }),
      level: levelAt(of.item, of.startFrame, framesPerSecond),
      startSample,
      fades,
    };
  };
  const over = ({ stinger }: { readonly stinger: Stinger }, start: number, end: number) =>
    stinger.hasAudio
      ? [
          {
            source: sourceOfStinger(track, stinger),
            ...(stinger.reading && { reading: stinger.reading }),
            level: null,
            startSample: start,
            fades: [],
            endSample: end,
          },
        ]
      : [];
  const cutSamples = ({ seconds }: ItemJoin) => samplesAt(Math.round(seconds * framesPerSecond));
  const afterCut = longestAfterCutSeconds * soundSampleRate;
  const fades: Fade[] = [];
  if (joinBefore && overlaps(joinBefore)) fades.push({ direction: 'in', ...crossing(joinBefore) });
  if (joinBefore && isThroughSilence(joinBefore)) fades.push({ direction: 'in', start: 0, end: lengthOf(joinBefore) });
  if (join && isThroughSilence(join))
    fades.push({ direction: 'out', start: endSample - lengthOf(join), end: endSample });
  const beforeAt = before && -distance(fromOrigin(before).startFrame, startFrame, framesPerSecond, grid);
  const mediaEndOf = (of: TimelineItem) => Math.round(of.durationSeconds * soundSampleRate);
  return {
    item: voice(occurrence, 0, fades),
    before:
      joinBefore && overlaps(joinBefore)
        ? voice(before!, beforeAt!, [{ direction: 'out', ...crossing(joinBefore) }])
        : null,
    over: [
      ...(joinBefore?.kind === 'stinger' ? over(joinBefore, -cutSamples(joinBefore), afterCut) : []),
      ...(join?.kind === 'stinger'
        ? over(join, samplesAt(frameCount) - cutSamples(join), samplesAt(frameCount) + afterCut)
        : []),
    ],
    follows:
      joinBefore?.kind === 'gap_free'
        ? {
            voice: voice(before!, beforeAt!),
            mediaEnd: beforeAt! + mediaEndOf(before!.item),
            boundary: 0,
            glideSeconds: joinBefore.seconds,
          }
        : null,
    followed:
      join?.kind === 'gap_free'
        ? {
            voice: voice(after, endSample),
            mediaEnd: mediaEndOf(item),
            boundary: endSample,
            glideSeconds: join.seconds,
          }
        : null,
  };
}

/** The first sample that is not mixed with the item before; 0: the beginning of the item is not mixed. */
export function headEndOf({ before, follows }: ComposedSound): number {
  const crossed = before ? before.fades[0]!.end + 2 * samplesPerSoundFrame : 0;
  return Math.max(crossed, follows ? Math.round(follows.glideSeconds * soundSampleRate) : 0);
}

/** The part of a composed sound from one sample to another. */
export function soundWithin(sound: ComposedSound, first: number, end: number): ComposedSound {
  const { item, before, over, follows, followed } = sound;
  const isHeadWithin = first < headEndOf(sound);
  return {
    item: { ...item, fades: item.fades.filter((fade) => fade.start < end && fade.end > first) },
    before: isHeadWithin ? before : null,
    over: over.filter(({ startSample, endSample }) => startSample < end && endSample > first),
    follows: isHeadWithin ? follows : null,
    followed: followed && end > followed.boundary - gapFreeEndGroups * samplesPerSoundFrame ? followed : null,
  };
}

/** The files that are heard, each once. */
export function sourcesOfSound({ item, before, over, follows, followed }: ComposedSound): string[] {
  const voices = [item, before, follows?.voice, followed?.voice, ...over];
  return [...new Set(voices.flatMap((voice) => voice?.source ?? []))];
}

/** The AAC frames at the beginning and end of an audio item that differ from the frames of its rendition. */
export function joinedGroups(
  { joinBefore, join }: Pick<PlacedItem, 'joinBefore' | 'join'>,
  groups: number,
): { readonly firstGroup: number; readonly groupCount: number }[] {
  const head = joinBefore && groupsIn(joinBefore.seconds) + settlingGroups;
  const isTail = join?.kind === 'fade' || join?.kind === 'gap_free';
  const tail = isTail ? Math.min(groups, join.kind === 'fade' ? groupsIn(join.seconds) + 1 : gapFreeEndGroups) : null;
  return [
    ...(head === undefined ? [] : [{ firstGroup: 0, groupCount: head }]),
    ...(tail === null ? [] : [{ firstGroup: groups - tail, groupCount: tail }]),
  ];
}

function groupsIn(seconds: number): number {
  return Math.ceil((seconds * soundSampleRate) / samplesPerSoundFrame);
}

function lengthOf({ seconds }: ItemJoin): number {
  return Math.round(seconds * soundSampleRate);
}

/**
 * The curve of a crossfade. AAC frames overlap, so the first frame of a join has to be a frame of the item before. The
 * media of the item before may end a little earlier than its frames.
 */
function crossing(join: ItemJoin): Pick<Fade, 'start' | 'end'> {
  return { start: samplesPerSoundFrame, end: lengthOf(join) - 2 * samplesPerSoundFrame };
}

/** The samples from a frame of the run to a later one. */
function distance(from: number, to: number, framesPerSecond: number, grid: SoundGrid): number {
  if (grid === 'frames') return ((to - from) * soundSampleRate) / framesPerSecond;
  return (soundGridFrame(to, framesPerSecond) - soundGridFrame(from, framesPerSecond)) * samplesPerSoundFrame;
}

function endOf(occurrence: ItemOccurrence, framesPerSecond: number, grid: SoundGrid): number {
  const played = fromOrigin(occurrence);
  if (grid === 'frames') return (played.frameCount * soundSampleRate) / framesPerSecond;
  if (grid === 'aac of sound') return soundFramesOf(played, framesPerSecond) * samplesPerSoundFrame;
  return firstSoundFrameFrom(played.frameCount, framesPerSecond) * samplesPerSoundFrame;
}
