// The frames of a run that aired: acknowledged by destinations, as stretches by output.
// Decision D145.
import type { ItemOccurrence } from './play-out.ts';

/** Consecutive pictures that a destination acknowledged, without a gap. Frames count from the anchor of the run. */
export interface AiredFrames {
  /** Null: the stream's managed platform, or its deprecated stream key. */
  readonly outputID: string | null;
  readonly fromFrame: number;
  /** The first frame after the stretch. */
  readonly toFrame: number;
  /** The bytes that were sent with these frames and acknowledged by the destination's system. */
  readonly bytes: number;
  /** The upload, or the session of a contributor, in place of the item in the timeline; null: the item itself. */
  readonly standInID: string | null;
}

/** Aired frames as agents report them with their measurements. */
export interface AiredStretch {
  readonly from: number;
  /** The first frame after the stretch. */
  readonly to: number;
  /** The bytes that were sent with these frames and acknowledged by the destination's system. */
  readonly bytes: number;
  /** The upload, or the session of a contributor, in place of the item in the timeline; null: the item itself. */
  readonly standIn: string | null;
  /** The stand-in of the audio track; null: the item itself, or no such track. */
  readonly soundStandIn: string | null;
}

/** A part of an occurrence that aired, in seconds after its beginning. */
export interface AiredPart {
  readonly outputID: string | null;
  readonly fromSeconds: number;
  readonly toSeconds: number;
  /** See `AiredFrames`. */
  readonly standInID: string | null;
}

/**
 * The parts of an occurrence that aired, by time, for each output. A part that two connections of an output sent, such
 * as a stream and its backup, counts once.
 */
export function airedPartsOf(
  { startFrame, frameCount }: Pick<ItemOccurrence, 'startFrame' | 'frameCount'>,
  aired: readonly AiredFrames[],
  framesPerSecond: number,
): AiredPart[] {
  const inItem = within(aired, startFrame, startFrame + frameCount);
  return joined(inItem).map(({ outputID, fromFrame, toFrame, standInID }) => ({
    outputID,
    fromSeconds: secondsOf(fromFrame - startFrame, framesPerSecond),
    toSeconds: secondsOf(toFrame - startFrame, framesPerSecond),
    standInID,
  }));
}

/** The stretches clipped to a range of frames. A clipped stretch keeps its bytes in proportion. */
export function within(aired: readonly AiredFrames[], fromFrame: number, toFrame: number): AiredFrames[] {
  return aired
    .filter((frames) => frames.fromFrame < toFrame && frames.toFrame > fromFrame)
    .map((frames) => {
      const [from, to] = [Math.max(frames.fromFrame, fromFrame), Math.min(frames.toFrame, toFrame)];
      const share = (to - from) / (frames.toFrame - frames.fromFrame);
      return { ...frames, fromFrame: from, toFrame: to, bytes: Math.round(frames.bytes * share) };
    });
}

/** Merges stretches of one output and stand-in that overlap or have no gap between them, and adds up their bytes. */
export function joined(aired: readonly AiredFrames[]): AiredFrames[] {
  const sorted = aired.toSorted((a, b) => a.fromFrame - b.fromFrame);
  const result: AiredFrames[] = [];
  for (const next of sorted) {
    const before = result.findLastIndex((one) => isOfSame(one, next));
    const known = result[before];
    if (known && known.toFrame >= next.fromFrame)
      result[before] = {
        ...known,
        toFrame: Math.max(known.toFrame, next.toFrame),
        bytes: known.bytes + next.bytes,
      };
    else result.push(next);
  }
  return result;
}

function isOfSame(a: AiredFrames, b: AiredFrames): boolean {
  return a.outputID === b.outputID && a.standInID === b.standInID;
}

/** Seconds, rounded to microseconds: precise enough to distinguish frames at every framerate. */
export function secondsOf(frames: number, framesPerSecond: number): number {
  return Math.round((frames / framesPerSecond) * 1e6) / 1e6;
}
