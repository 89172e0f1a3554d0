// What of a run was on the air, as far as destinations acknowledged it: stretches of frames, by output.
import type { ItemOccurrence } from './play-out.ts';

/** Pictures that a destination took without a gap. Frames count from the anchor of the run. */
export interface AiredFrames {
  /** Null: the stream's only output. */
  readonly outputID: string | null;
  readonly fromFrame: number;
  /** The first one after it. */
  readonly toFrame: number;
  /** What was sent with them, as the destination's system acknowledged it. */
  readonly bytes: number;
  /** What played in place of the item that the timeline has there; null: that item. */
  readonly standInUploadID: string | null;
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
  const endFrame = startFrame + frameCount;
  const inItem = aired
    .filter(({ fromFrame, toFrame }) => fromFrame < endFrame && toFrame > startFrame)
    .map((frames) => ({
      ...frames,
      fromFrame: Math.max(frames.fromFrame, startFrame),
      toFrame: Math.min(frames.toFrame, endFrame),
    }));
  return joined(inItem).map(({ outputID, fromFrame, toFrame, standInUploadID }) => ({
    outputID,
    fromSeconds: secondsOf(fromFrame - startFrame, framesPerSecond),
    toSeconds: secondsOf(toFrame - startFrame, framesPerSecond),
    standInUploadID,
  }));
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

/** What became of a run so far, whoever published it. */
export interface RunSummary {
  readonly airedSeconds: number;
  /** Between the first and the last frame that a destination took. */
  readonly offAirSeconds: number;
  readonly interruptions: number;
  readonly bytesAcknowledged: number;
}

/** @param aired of one run */
export function summaryOf(aired: readonly AiredFrames[], framesPerSecond: number): RunSummary {
  const anything = aired.map((frames) => ({ ...frames, outputID: null, standInUploadID: null }));
  const stretches = joined(anything);
  const airedFrames = stretches.reduce((sum, { fromFrame, toFrame }) => sum + toFrame - fromFrame, 0);
  const wholeFrames = (stretches.at(-1)?.toFrame ?? 0) - (stretches[0]?.fromFrame ?? 0);
  return {
    airedSeconds: secondsOf(airedFrames, framesPerSecond),
    offAirSeconds: secondsOf(wholeFrames - airedFrames, framesPerSecond),
    interruptions: Math.max(0, stretches.length - 1),
    bytesAcknowledged: aired.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

function isOfSame(a: AiredFrames, b: AiredFrames): boolean {
  return a.outputID === b.outputID && a.standInUploadID === b.standInUploadID;
}

/** To the microsecond, which tells frames at every rate apart. */
function secondsOf(frames: number, framesPerSecond: number): number {
  return Math.round((frames / framesPerSecond) * 1e6) / 1e6;
}
