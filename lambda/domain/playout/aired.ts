// What of a run was on the air, as far as destinations acknowledged it: stretches of frames, by output.
import type { ItemOccurrence } from './play-out.ts';

/** Pictures that a destination took without a gap. Frames count from the anchor of the run. */
export interface AiredFrames {
  /** Null: the stream's managed platform, or its deprecated stream key. */
  readonly outputID: string | null;
  readonly fromFrame: number;
  /** The first one after it. */
  readonly toFrame: number;
  /** What was sent with them, as the destination's system acknowledged it. */
  readonly bytes: number;
  /** What played in place of the item that the timeline has there; null: that item. */
  readonly standInUploadID: string | null;
}

/** The same as agents say it with their figures. */
export interface AiredStretch {
  readonly from: number;
  /** The first one after it. */
  readonly to: number;
  /** What was sent with them, as the destination's system acknowledged it. */
  readonly bytes: number;
  /** The upload that played in place of the item that the timeline has there; null: that item. */
  readonly standIn: string | null;
  /** The same of the track of sound; absent in what the release before noted. */
  readonly soundStandIn?: string | null;
}

/** A part of an item that was on the air, in seconds after the beginning of the item. */
export interface AiredPart {
  readonly outputID: string | null;
  readonly fromSeconds: number;
  readonly toSeconds: number;
  readonly standInUploadID: string | null;
}

/**
 * The parts of an item's playing that were on the air, in the order of time, for each output. What two connections of
 * an output have sent, as a stream and its backup do, counts once.
 */
export function airedPartsOf(
  { startFrame, frameCount }: Pick<ItemOccurrence, 'startFrame' | 'frameCount'>,
  aired: readonly AiredFrames[],
  framesPerSecond: number,
): AiredPart[] {
  const inItem = within(aired, startFrame, startFrame + frameCount);
  return joined(inItem).map(({ outputID, fromFrame, toFrame, standInUploadID }) => ({
    outputID,
    fromSeconds: secondsOf(fromFrame - startFrame, framesPerSecond),
    toSeconds: secondsOf(toFrame - startFrame, framesPerSecond),
    standInUploadID,
  }));
}

/** What of it is between two frames. Of what reaches beyond them, the bytes are those of the part, in proportion. */
export function within(aired: readonly AiredFrames[], fromFrame: number, toFrame: number): AiredFrames[] {
  return aired
    .filter((frames) => frames.fromFrame < toFrame && frames.toFrame > fromFrame)
    .map((frames) => {
      const [from, to] = [Math.max(frames.fromFrame, fromFrame), Math.min(frames.toFrame, toFrame)];
      const share = (to - from) / (frames.toFrame - frames.fromFrame);
      return { ...frames, fromFrame: from, toFrame: to, bytes: Math.round(frames.bytes * share) };
    });
}

/** Joins what overlaps or follows without a gap, of the same output and stand-in, with the bytes of all of it. */
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
  return a.outputID === b.outputID && a.standInUploadID === b.standInUploadID;
}

/** To the microsecond, which tells frames at every rate apart. */
export function secondsOf(frames: number, framesPerSecond: number): number {
  return Math.round((frames / framesPerSecond) * 1e6) / 1e6;
}
