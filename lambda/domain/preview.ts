// Previews of what a stream sends: pieces of about two seconds, numbered from the run's anchor.
import { occurrenceAt } from './play-out.ts';
import type { TimelineEntry, TimelineItem } from './play-out.ts';
import { playingAt } from './prepared-play-out.ts';
import type { Playing } from './prepared-play-out.ts';

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

/** Pictures `first` to `end` of a playing: a GOP, or what is played of it. */
export interface PreviewGop {
  readonly playing: Playing;
  readonly first: number;
  readonly end: number;
}

export interface PreviewGrid {
  readonly framesPerSecond: number;
  readonly gopFrames: number;
  /** The length of what is prepared of an item, in frames. */
  readonly framesOf: (item: TimelineItem) => number;
}

/** The GOPs that begin in a window of the stream's time, of which there is at least one. They follow each other. */
export function gopsOfPiece(timeline: readonly TimelineEntry[], piece: number, grid: PreviewGrid): PreviewGop[] {
  const { framesPerSecond, gopFrames, framesOf } = grid;
  const windowFrames = previewPieceSeconds * framesPerSecond;
  const windowEnd = (piece + 1) * windowFrames;
  const gops: PreviewGop[] = [];
  let frame = piece * windowFrames;
  while (frame < windowEnd) {
    const occurrence = occurrenceAt(timeline, frame, framesPerSecond);
    const playing = playingAt(occurrence, frame, framesOf(occurrence.item));
    const first = Math.ceil((frame - playing.startFrame) / gopFrames) * gopFrames;
    const end = Math.min(first + gopFrames, playing.frameCount);
    if (first < playing.frameCount && playing.startFrame + first < windowEnd) gops.push({ playing, first, end });
    frame = playing.startFrame + end;
  }
  return gops;
}

/** Where GOPs that follow each other begin and end, in frames since the anchor. */
export function framesOfGops(gops: readonly PreviewGop[]): { readonly start: number; readonly end: number } {
  const [first, last] = [gops[0]!, gops.at(-1)!];
  return { start: first.playing.startFrame + first.first, end: last.playing.startFrame + last.end };
}
