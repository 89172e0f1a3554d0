// Previews of a stream's output: pieces of about two seconds, numbered from the run's anchor.
import { occurrenceAt } from './play-out.ts';
import type { TimelineEntry, TimelineItem } from './play-out.ts';
import { playingAt } from './prepared-play-out.ts';

/** Seconds until the address of a preview expires. Then the client requests another one. */
export const previewSeconds = 300;
/** Length of a window, which equals a GOP. A GOP begins in each window, or several if items join in it. */
export const previewPieceSeconds = 2;
/** Longest piece: a GOP that begins at the end of a window lasts into the next one. */
export const longestPieceSeconds = 2 * previewPieceSeconds;
/** Number of pieces in the playlist. */
export const previewPieces = 4;
/** Seconds before the end of the playlist at which players begin. */
export const previewHoldBackSeconds = 4;

/** Frames of a stream, beginning with a keyframe, `end` not included. They count from the anchor. */
export interface PreviewFrames {
  readonly start: number;
  readonly end: number;
}

export interface PreviewGrid {
  readonly framesPerSecond: number;
  readonly gopFrames: number;
  /** The length of an item's prepared media, in frames. */
  readonly framesOf: (item: TimelineItem) => number;
  /** Frames that show something else in place of the timeline, in order; absent: none. */
  readonly others?: readonly OtherMedia[];
}

/** Media that is shown in place of the timeline, in whole GOPs from `startFrame` on. */
export interface OtherMedia {
  /** The frame at which its first picture would be shown. */
  readonly startFrame: number;
  readonly fromFrame: number;
  /** Null: not known yet. */
  readonly toFrame: number | null;
}

/**
 * The frames of a piece: the GOPs that begin in its window of the stream's time, at least one. The pieces of a stream
 * are consecutive.
 */
export function framesOfPiece(timeline: readonly TimelineEntry[], piece: number, grid: PreviewGrid): PreviewFrames {
  const { framesPerSecond, gopFrames } = grid;
  const windowFrames = previewPieceSeconds * framesPerSecond;
  const windowEnd = (piece + 1) * windowFrames;
  let frame = piece * windowFrames;
  let [start, end] = [Infinity, frame];
  while (frame < windowEnd) {
    const playing = mediaAt(timeline, frame, grid);
    const first = Math.ceil((frame - playing.startFrame) / gopFrames) * gopFrames;
    const begins = playing.startFrame + first;
    frame = playing.startFrame + Math.min(first + gopFrames, playing.frameCount);
    if (first < playing.frameCount && begins < windowEnd) [start, end] = [Math.min(start, begins), frame];
  }
  return { start, end };
}

/** The media that is shown at a frame: its beginning, and its length up to its end or to other media. */
function mediaAt(
  timeline: readonly TimelineEntry[],
  frame: number,
  { framesPerSecond, framesOf, others = [] }: PreviewGrid,
): { readonly startFrame: number; readonly frameCount: number } {
  const other = others.findLast(({ fromFrame, toFrame }) => fromFrame <= frame && frame < (toFrame ?? Infinity));
  if (other) return { startFrame: other.startFrame, frameCount: (other.toFrame ?? Infinity) - other.startFrame };
  const occurrence = occurrenceAt(timeline, frame, framesPerSecond);
  const { startFrame, frameCount } = playingAt(occurrence, frame, framesOf(occurrence.item));
  const next = Math.min(...others.filter(({ fromFrame }) => fromFrame > frame).map(({ fromFrame }) => fromFrame));
  return { startFrame, frameCount: Math.min(frameCount, next - startFrame) };
}
