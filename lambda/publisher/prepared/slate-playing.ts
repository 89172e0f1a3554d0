// The playings of a slate: repetitions of its whole groups of pictures, with its own sound.
import { repeatedPictures, slateFormat } from '../../domain/live/slate.ts';
import type { ShownSlate } from '../../domain/live/slate.ts';
import { occurrenceAt } from '../../domain/playout/play-out.ts';
import type { TimelineEntry, TimelineItem } from '../../domain/playout/play-out.ts';
import { playingAt } from '../../domain/playout/prepared-play-out.ts';
import type { Playing } from '../../domain/playout/prepared-play-out.ts';
import { renditionOf } from '../../domain/playout/rendition.ts';
import type { PictureFormat } from '../../domain/playout/rendition.ts';
import { framesPerSecond } from '../../domain/shared/video-format.ts';
import { wholeRendition } from './segment-sources.ts';
import type { SegmentSource } from './segment-sources.ts';

/** A prepared slate. */
export interface SlateMedia {
  readonly item: TimelineItem;
  readonly contentHash: string;
}

/** A slate that is shown. */
export interface SentSlate extends ShownSlate {
  readonly media: SlateMedia;
}

/**
 * The repetition of a slate at a frame of the run, in which it stands in for the item of the timeline, and its source.
 * @param format of the pictures of the stream
 */
export function slatePlayingAt(
  { fromFrame: startFrame, toFrame, media: { item, contentHash } }: SentSlate,
  entries: readonly TimelineEntry[],
  frame: number,
  format: PictureFormat,
): { readonly playing: Playing; readonly source: SegmentSource } {
  const rendition = renditionOf(contentHash, item, slateFormat(format));
  const { entryNumber, playlistID, lap } = occurrenceAt(entries, frame, framesPerSecond[format.framerate]);
  const place = { entryNumber, playlistID, lap, startFrame, frameCount: toFrame - startFrame };
  const playing = playingAt({ item, isStandIn: true, ...place }, frame, repeatedPictures(rendition.groupCount, format));
  return { playing, source: wholeRendition(rendition) };
}
