// The place at which a track is read: groups of one playing, with the sources that they can be read from.
import type { Playing } from '../../domain/playout/prepared-play-out.ts';
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
  /** The segment of a session; null: an item of the timeline, or a slate. */
  readonly sent: SentSegment | null;
  /** Absent: it is no slate. */
  readonly slate?: SentSlate;
}
