// Clips: uploads that are a part of the file of another upload. Decision D230.
import type { SourceReading } from '../shared/source-reading.ts';

/** A clip may not be shorter, as shorter items hold their last picture. */
export const shortestClipSeconds = 1;

/** A part of an upload. Times count from the upload's beginning, and are rounded to ms. */
export interface ClipTimes {
  readonly fromSeconds: number;
  readonly untilSeconds: number;
}

/** The fault of the end of a clip, with its remedy; null: none. @param durationSeconds of the whole upload */
export function faultOfClip({ fromSeconds, untilSeconds }: ClipTimes, durationSeconds: number): string | null {
  if (untilSeconds > durationSeconds) return `The upload lasts ${durationSeconds} seconds. Use at most that.`;
  return untilSeconds - fromSeconds < shortestClipSeconds
    ? `A clip lasts at least ${shortestClipSeconds} second: use a later end, or an earlier start.`
    : null;
}

/** The facts of a clip. Clips of a clip are parts of the same file. @param reading of the whole; null: the usual way */
export function clipFacts({ fromSeconds, untilSeconds }: ClipTimes, reading: SourceReading | null) {
  return {
    durationSeconds: inMs(untilSeconds - fromSeconds),
    reading: { ...reading, fromSeconds: inMs((reading?.fromSeconds ?? 0) + fromSeconds) },
  };
}

const inMs = (seconds: number) => Math.round(seconds * 1000) / 1000;
