// Reads the sound of pictures that is not in their own groups: at another level, or of the group before a later part.
import {
  firstSoundFrameFrom,
  pictureOfSoundFrame,
  soundFrameNearest,
  soundFramesOf,
} from '../../domain/playout/prepared-play-out.ts';
import type { Playing } from '../../domain/playout/prepared-play-out.ts';
import { assertGroups } from './segment-format.ts';
import { segmentFor } from './segment-sources.ts';
import type { SegmentSource, SourceSegment } from './segment-sources.ts';
import type { SegmentStore } from './segment-store.ts';
import { Span } from './span.ts';
import type { SpanRange } from './span.ts';

export type SoundBeside = Pick<SpanRange, 'sound' | 'groupBefore'>;
export const noSoundBeside: SoundBeside = { sound: null, groupBefore: null };

/** Pictures `first` to `end` of a playing, `end` not included. */
export interface PicturesRead {
  readonly store: SegmentStore;
  readonly framesPerSecond: number;
  readonly playing: Playing;
  readonly first: number;
  readonly end: number;
  /** Whether other media came before them, or comes before them at other agents. */
  readonly followOther: boolean;
  readonly onUnreadable: (segment: SourceSegment, error: unknown) => void;
}

/**
 * Reads the sound that replaces that of pictures.
 * @param sources its sources, the best one first
 * @returns null if there is none, or it cannot be read: the pictures have their own sound
 */
export async function replacedSoundOf(
  sources: readonly SegmentSource[],
  { store, framesPerSecond, playing, first, end, followOther, onUnreadable }: PicturesRead,
): Promise<Span[] | null> {
  const from = followOther
    ? soundFrameNearest(playing, first, framesPerSecond)
    : firstSoundFrameFrom(first, framesPerSecond);
  const until = Math.min(firstSoundFrameFrom(end, framesPerSecond), soundFramesOf(playing, framesPerSecond));
  const spans: Span[] = [];
  let left = sources;
  for (let next = from; next < until;) {
    const found = segmentFor(left, next);
    if (!found) return null;
    const stop = Math.min(until, found.end);
    try {
      spans.push(await loadGroups(store, found.segment, { playing, first: next, end: stop }));
      next = stop;
    } catch (error) {
      onUnreadable(found.segment, error);
      left = left.filter((source) => source !== found.source);
    }
  }
  return left.length === 0 ? null : spans;
}

/**
 * Reads the group before pictures that follow other media, if its last frame of sound is the nearest to the first one.
 * @returns null if it is not
 */
export async function groupBeforeOf(
  sources: readonly SegmentSource[],
  { store, framesPerSecond, playing, first, followOther, onUnreadable }: PicturesRead,
): Promise<Span | null> {
  if (!followOther) return null;
  const soundFrame = soundFrameNearest(playing, first, framesPerSecond);
  if (soundFrame === firstSoundFrameFrom(first, framesPerSecond)) return null;
  const picture = pictureOfSoundFrame(soundFrame, framesPerSecond);
  const found = segmentFor(sources, picture);
  if (!found) return null;
  try {
    return await loadGroups(store, found.segment, { playing, first: picture, end: picture + 1 });
  } catch (error) {
    // One missing frame of sound does less harm than a stand-in for the whole part.
    onUnreadable(found.segment, error);
    return null;
  }
}

async function loadGroups(
  store: SegmentStore,
  segment: SourceSegment,
  range: Pick<SpanRange, 'playing' | 'first' | 'end'>,
): Promise<Span> {
  const header = await store.header(segment.key);
  assertGroups(header, segment);
  return Span.load(store, segment.key, { ...range, header, ...noSoundBeside });
}
