// The short video that is played over where items of pictures follow one another, often with transparency.
import type { DynamicRange } from '../shared/video-format.ts';

/** What a stream says of its stinger. */
export interface StingerSettings {
  readonly uploadID: string;
  /** When it covers all, so that the item beneath it changes. */
  readonly cutSeconds: number;
}

/** So long before the item changes, and so long after that: a join takes the place of a GOP of the next item. */
export const stingerCutSeconds = { shortest: 0.2, longest: 2, step: 0.1 } as const;
/** What lasts longer than its file says is played for so long as well. */
export const longestAfterCutSeconds = 2;
export const usualStingerCutSeconds = 1;

/** A stinger as items of a timeline have it, with every fact that whoever plays it needs. */
export interface Stinger {
  readonly uploadID: string;
  readonly objectKey: string;
  readonly contentHash: string;
  readonly durationSeconds: number;
  readonly hasAudio: boolean;
  /** Which decoder it takes depends on it, as most know nothing of transparency. */
  readonly videoCodec: string;
  readonly dynamicRange?: DynamicRange;
}

/** What is known of an upload that a stream names as its stinger. */
export interface StingerFacts {
  readonly probeState: 'pending' | 'completed' | 'failed';
  /** Null where it is no video. */
  readonly durationSeconds: number | null;
  /** As its stream says. */
  readonly cutSeconds: number;
}

/** Whether an upload can be played as a stinger: a video that has been examined, and is over soon after its cut. */
export function canBeStinger({ probeState, durationSeconds, cutSeconds }: StingerFacts): boolean {
  if (probeState !== 'completed' || durationSeconds === null) return false;
  const afterCut = secondsAfterCut(durationSeconds, cutSeconds);
  return afterCut >= 0 && afterCut <= longestAfterCutSeconds;
}

/** How long a stinger goes on over the next item. Files say their length to a few milliseconds at best. */
export function secondsAfterCut(durationSeconds: number, cutSeconds: number): number {
  return Math.round((durationSeconds - cutSeconds) * 100) / 100;
}
