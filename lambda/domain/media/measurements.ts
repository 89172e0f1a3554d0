// Measurements of an inspection, piece by piece: kept between the pieces, and bounded.
import type { LoudnessCounts } from '../playout/loudness.ts';
import type { Stretch } from '../shared/stretches.ts';

export interface Measurements {
  /** End of the counted pictures, in seconds; 0 without pictures. Sound has its own field. */
  readonly picturesUntil: number;
  readonly soundUntil: number;
  /** Begin of the sound; null until there is some. */
  readonly soundFrom: number | null;
  readonly black: readonly Stretch[];
  readonly frozen: readonly Stretch[];
  readonly silent: readonly Stretch[];
  readonly pictures: number;
  /** Number of pictures that do not come when the average rate expects them. */
  readonly unevenPictures: number;
  /** Numbers of pictures whose lines are of two moments, and of one. All other pictures are undecided. */
  readonly interlacedPictures: number;
  readonly progressivePictures: number;
  readonly momentary: LoudnessCounts;
  readonly shortTerm: LoudnessCounts;
  /** Highest sample of all channels; 1 is full scale. */
  readonly truePeak: number;
}

export const nothingMeasured: Measurements = {
  picturesUntil: 0,
  soundUntil: 0,
  soundFrom: null,
  black: [],
  frozen: [],
  silent: [],
  pictures: 0,
  unevenPictures: 0,
  interlacedPictures: 0,
  progressivePictures: 0,
  momentary: {},
  shortTerm: {},
  truePeak: 0,
};

/** Least seconds of a finding; shorter stretches are cuts, fades and pauses. ffmpeg gets the same limits. */
export const shortestSeconds = { black: 2, frozen: 5, silent: 5 } as const;

/**
 * Overlap of two pieces, in seconds. A stretch that begins before the end of the first piece is found by one of them:
 * the longest of the least lengths, and a second. Loudness looks back for 3 s.
 */
export const overlapSeconds = Math.max(...Object.values(shortestSeconds)) + 1;
