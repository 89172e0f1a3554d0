// The place at which a track is read: groups of one playing, with the sources that they can be read from.
import { isSameJoin } from '../../domain/playout/item-joins.ts';
import { occurrenceAt } from '../../domain/playout/play-out.ts';
import type { TimelineEntry } from '../../domain/playout/play-out.ts';
import {
  firstSoundFrameFrom,
  pictureOfSoundFrame,
  soundFramesOf,
  soundOriginOf,
} from '../../domain/playout/prepared-play-out.ts';
import type { Playing } from '../../domain/playout/prepared-play-out.ts';
import { isSound } from '../../domain/playout/rendition.ts';
import type { RenditionFormat } from '../../domain/playout/rendition.ts';
import type { MixSources } from './mix-sources.ts';
import type { SegmentSource } from './segment-sources.ts';
import type { SentSegment } from './session-segments.ts';
import type { SentSlate } from './slate-playing.ts';

export interface Position {
  readonly playing: Playing;
  /** The sources without the unreadable ones, the best one first. */
  sources: readonly SegmentSource[];
  /** The sources of sound that replaces the pictures' own; empty: their own is sent. */
  sounds: readonly SegmentSource[];
  /** The mixes that replace parts of a sound track; null for pictures. */
  readonly mixes: MixSources | null;
  /** Groups `next` to `end` of the playing are still to be read: pictures, or frames of sound. */
  next: number;
  readonly end: number;
  /** The first group, if it follows other media; null: it continues, or begins within a playing. */
  readonly firstAfterOther: number | null;
  /** The frame of the run at which the next position begins. */
  readonly endFrame: number;
  /** The timeline that the item was found in last; null: a session or a slate is sent. */
  entries: readonly TimelineEntry[] | null;
  /** The segment of a session; null: an item of the timeline, or a slate. */
  readonly sent: SentSegment | null;
  /** Absent: it is no slate. */
  readonly slate?: SentSlate;
}

interface ReadTrack {
  readonly format: RenditionFormat;
  readonly framesPerSecond: number;
}

/** The frame of the run during which the next group of a position begins. */
export function frameOf({ playing, next }: Pick<Position, 'playing' | 'next'>, track: ReadTrack): number {
  const { format, framesPerSecond } = track;
  return playing.startFrame + (isSound(format) ? pictureOfSoundFrame(next, framesPerSecond) : next);
}

/** The groups of a playing: its frames of sound, or its pictures. */
export function groupCountOf(playing: Playing, { format, framesPerSecond }: ReadTrack): number {
  return isSound(format) ? soundFramesOf(playing, framesPerSecond) : playing.frameCount;
}

/** The frame of the sound's grid that follows the groups of a playing up to `end`. */
export function soundEndOf(playing: Playing, end: number, { format, framesPerSecond }: ReadTrack): number {
  const origin = soundOriginOf(playing, framesPerSecond);
  if (isSound(format)) return origin + end;
  return origin + Math.min(firstSoundFrameFrom(end, framesPerSecond), soundFramesOf(playing, framesPerSecond));
}

/** Whether the item of a position, which nothing stands in for, has another end or another join in a timeline. */
export function endsOtherwise(position: Position, entries: readonly TimelineEntry[], track: ReadTrack): boolean {
  const { occurrence: was } = position.playing;
  if (was.isStandIn) return false;
  const now = occurrenceAt(entries, frameOf(position, track), track.framesPerSecond);
  const isSameEnd = now.startFrame === was.startFrame && now.frameCount === was.frameCount;
  return !isSameEnd || !isSameJoin(now.item.join, was.item.join);
}
