// What is measured while a content is looked through, piece by piece: kept between the pieces, and bounded.
import type { LoudnessCounts } from '../playout/loudness.ts';
import type { Stretch } from '../shared/stretches.ts';

export interface Measurements {
  /** Up to where pictures and sound are counted, in seconds; 0 where there are none. */
  readonly picturesUntil: number;
  readonly soundUntil: number;
  /** Where sound begins; null until there is some. */
  readonly soundFrom: number | null;
  readonly black: readonly Stretch[];
  readonly frozen: readonly Stretch[];
  readonly silent: readonly Stretch[];
  readonly pictures: number;
  /** Of the pictures: those that do not come when the average rate has them come. */
  readonly unevenPictures: number;
  /** Of the pictures: those whose lines are of two moments, and of one. Of the rest it cannot be told. */
  readonly interlacedPictures: number;
  readonly progressivePictures: number;
  readonly momentary: LoudnessCounts;
  readonly shortTerm: LoudnessCounts;
  /** The highest sample of all channels, 1 for full scale. */
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

/** Shorter stretches are no finding: cuts, fades and pauses. ffmpeg is asked for those that last as long. */
export const shortestSeconds = { black: 2, frozen: 5, silent: 5 } as const;

/**
 * A piece begins so long before the end of the one before. Whatever begins before that end is found by either piece:
 * the longest that a stretch has to last, with a second to spare. Loudness looks back for 3 s.
 */
export const overlapSeconds = Math.max(...Object.values(shortestSeconds)) + 1;
