// A stinger: a short video, often with transparency, that plays over the cut between two video items.
import type { SourceReading } from '../shared/source-reading.ts';
import type { DynamicRange } from '../shared/video-format.ts';

/** The stinger settings of a stream. */
export interface StingerSettings {
  readonly uploadID: string;
  /** Time in the stinger when it covers the whole picture, so that the item under it changes. */
  readonly cutSeconds: number;
}

/** Time before the cut, and after it: a join replaces a GOP of the next item. */
export const stingerCutSeconds = { shortest: 0.2, longest: 2, step: 0.1 } as const;
/** The most time that a stinger covers the next item. */
export const longestAfterCutSeconds = 2;
export const usualStingerCutSeconds = 1;

/** A stinger in items of a timeline, with every fact that the publisher needs. */
export interface Stinger {
  readonly uploadID: string;
  readonly objectKey: string;
  readonly contentHash: string;
  readonly durationSeconds: number;
  readonly hasAudio: boolean;
  /** Codec, which decides the decoder: most decoders ignore transparency. */
  readonly videoCodec: string;
  readonly dynamicRange?: DynamicRange;
  /** How the file is read; absent: the usual way. */
  readonly reading?: SourceReading;
}

/** The facts about an upload that a stream uses as its stinger. */
export interface StingerFacts {
  readonly probeState: 'pending' | 'completed' | 'failed';
  /** Duration; null: the upload is no video. */
  readonly durationSeconds: number | null;
  /** The cut time in the settings of the stream. */
  readonly cutSeconds: number;
}

/** Whether an upload can be played as a stinger: an examined video that ends soon after its cut. */
export function canBeStinger({ probeState, durationSeconds, cutSeconds }: StingerFacts): boolean {
  if (probeState !== 'completed' || durationSeconds === null) return false;
  const afterCut = secondsAfterCut(durationSeconds, cutSeconds);
  return afterCut >= 0 && afterCut <= longestAfterCutSeconds;
}

/** Seconds that a stinger covers the next item. Files state their length to a few milliseconds at best. */
export function secondsAfterCut(durationSeconds: number, cutSeconds: number): number {
  return Math.round((durationSeconds - cutSeconds) * 100) / 100;
}
