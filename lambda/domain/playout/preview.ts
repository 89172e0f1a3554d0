// Previews of what a stream sends: pieces of about two seconds, numbered from the run's anchor.
import { occurrenceAt } from './play-out.ts';
import type { TimelineEntry, TimelineItem } from './play-out.ts';
import { playingAt } from './prepared-play-out.ts';

/** How long the address of a preview opens it. Whoever looks for longer asks for another one. */
export const previewSeconds = 300;
/** As long as a GOP: in each of these windows of the stream's time one begins, or several where items join. */
export const previewPieceSeconds = 2;
/** A GOP that begins at the end of a window lasts into the next one. */
export const longestPieceSeconds = 2 * previewPieceSeconds;
/** So many pieces are listed. */
export const previewPieces = 4;
/** Players begin so long before the end of what is listed. */
export const previewHoldBackSeconds = 4;

/** Frames of a stream from a keyframe on, until before `end`, counted from the anchor. */
export interface PreviewFrames {
  readonly start: number;
  readonly end: number;
}

export interface PreviewGrid {
  readonly framesPerSecond: number;
  readonly gopFrames: number;
  /** The length of what is prepared of an item, in frames. */
  readonly framesOf: (item: TimelineItem) => number;
}

/**
 * The frames of a piece: of the GOPs that begin in its window of the stream's time, of which there is at least one. The
 * pieces of a stream follow each other.
 */
export function framesOfPiece(timeline: readonly TimelineEntry[], piece: number, grid: PreviewGrid): PreviewFrames {
  const { framesPerSecond, gopFrames, framesOf } = grid;
  const windowFrames = previewPieceSeconds * framesPerSecond;
  const windowEnd = (piece + 1) * windowFrames;
  let frame = piece * windowFrames;
  let [start, end] = [Infinity, frame];
  while (frame < windowEnd) {
    const occurrence = occurrenceAt(timeline, frame, framesPerSecond);
    const playing = playingAt(occurrence, frame, framesOf(occurrence.item));
    const first = Math.ceil((frame - playing.startFrame) / gopFrames) * gopFrames;
    const begins = playing.startFrame + first;
    frame = playing.startFrame + Math.min(first + gopFrames, playing.frameCount);
    if (first < playing.frameCount && begins < windowEnd) [start, end] = [Math.min(start, begins), frame];
  }
  return { start, end };
}
