// Posters: small pictures of the media that aired seconds ago.
// They show fixed times of an item. So all viewers of all streams that play an item share them, and many are made in
// one step.
import type { Aspect } from './look.ts';
import type { TimelineItem } from './play-out.ts';

/** Length of a window. Each window of an item has a poster: its first keyframe, or the beginning of the item. */
export const posterSeconds = 4;
/** Number of consecutive windows whose posters are made in one step. */
export const postersPerStrip = 15;
const posterSides = { longer: 320, shorter: 180 } as const;

export interface PosterSize {
  /** In pixels. */
  readonly width: number;
  readonly height: number;
}

/** The size of a stream's posters. @param aspect undefined: 16:9 */
export function posterSizeOf(aspect: Aspect | undefined): PosterSize {
  const { longer, shorter } = posterSides;
  if (aspect === '9:16') return { width: shorter, height: longer };
  return { width: aspect === '1:1' ? shorter : longer, height: shorter };
}

/** Seconds from the request of a strip until it is needed. */
export const stripAheadSeconds = 12;

export interface Poster {
  /** Number of the strip, from the item's beginning. */
  readonly strip: number;
  /** The number of pictures in the strip. */
  readonly inStrip: number;
  /** The index of the poster in the strip. */
  readonly index: number;
  /** Seconds until a newer poster exists. */
  readonly freshSeconds: number;
}

/** The number of a poster, from the beginning of its media. */
export const posterNumber = ({ strip, index }: Poster): number => strip * postersPerStrip + index;

/**
 * The poster for a time of an item: the last complete window, or the first window if none is complete. So it shows
 * hardly anything that has not aired yet, and is at most two windows old.
 */
export function posterAt(elapsedSeconds: number, item: Pick<TimelineItem, 'kind' | 'durationSeconds'>): Poster {
  const window = Math.floor(elapsedSeconds / posterSeconds);
  const windows = item.kind === 'image' ? 1 : Math.max(1, Math.ceil(item.durationSeconds / posterSeconds));
  const shown = Math.min(Math.max(0, window - 1), windows - 1);
  const strip = Math.floor(shown / postersPerStrip);
  return {
    strip,
    inStrip: Math.min(postersPerStrip, windows - strip * postersPerStrip),
    index: shown % postersPerStrip,
    freshSeconds: (Math.max(1, window) + 1) * posterSeconds - elapsedSeconds,
  };
}
