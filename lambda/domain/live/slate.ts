// Slates: uploads that streams show after the loss of a contributor, until it returns or its grace is over.
import { gopSeconds } from '../playout/rendition.ts';
import type { PictureFormat } from '../playout/rendition.ts';
import { framesPerSecond } from '../shared/video-format.ts';
import type { TakeoverInterval } from './takeover-intervals.ts';

/** Frames of a run that show a slate, up to `toFrame` or the next session. */
export interface ShownSlate {
  readonly uploadID: string;
  readonly fromFrame: number;
  readonly toFrame: number;
}

/** The slate that is shown at a frame; null: the timeline or a session is. */
export function slateAt(intervals: readonly TakeoverInterval[], frame: number): ShownSlate | null {
  const begun = ({ fromFrame, toFrame }: TakeoverInterval) => fromFrame <= frame && fromFrame < (toFrame ?? Infinity);
  const last = intervals.findLast(begun);
  if (!last?.slate || last.toFrame === null || frame < last.toFrame) return null;
  const { uploadID, toFrame } = last.slate;
  return toFrame !== null && frame < toFrame ? { uploadID, fromFrame: last.toFrame, toFrame } : null;
}

/** The frames that show slates, in order. */
export function shownSlates(intervals: readonly TakeoverInterval[]): ShownSlate[] {
  const shown = intervals.filter(({ fromFrame, toFrame }) => fromFrame < (toFrame ?? Infinity));
  return shown.flatMap(({ slate, toFrame: fromFrame }, index): ShownSlate[] => {
    if (!slate || fromFrame === null) return [];
    const toFrame = Math.min(slate.toFrame ?? 0, shown[index + 1]?.fromFrame ?? Infinity);
    return toFrame > fromFrame ? [{ uploadID: slate.uploadID, fromFrame, toFrame }] : [];
  });
}

/**
 * The format in which a slate is prepared: its pictures can be left after each, as the loop has its keyframes anywhere.
 * It is shown whole, with black bars, so that it stays prepared when the look of its stream changes.
 * @param format of the stream
 */
export function slateFormat({ quality, framerate, videoCodec, aspect }: PictureFormat): PictureFormat {
  return { quality, framerate, videoCodec, ...(aspect && { aspect }), inOrder: true };
}

/** Why a slate cannot be shown: it is being prepared, it could not be, or the codec of its stream has none. */
export type SlateFault = 'preparing' | 'failed' | 'codec';

/**
 * @param state of its rendition in `slateFormat`; null: none was requested
 * @returns null if it can be shown
 */
export function slateFault(
  state: 'preparing' | 'ready' | 'failed' | null,
  { videoCodec }: Pick<PictureFormat, 'videoCodec'>,
): SlateFault | null {
  if (videoCodec !== 'h264') return 'codec';
  if (state === 'ready') return null;
  return state === 'failed' ? 'failed' : 'preparing';
}

/** The pictures of a slate that are repeated: whole groups, so that all its keyframes are on one grid. */
export function repeatedPictures(groupCount: number, { framerate }: Pick<PictureFormat, 'framerate'>): number {
  const gopFrames = gopSeconds * framesPerSecond[framerate];
  return groupCount < gopFrames ? groupCount : groupCount - (groupCount % gopFrames);
}
