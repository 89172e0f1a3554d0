// Posters: small pictures of what was on the air seconds ago.
// They are of fixed times of an item, so that all who look at any stream that plays it see the same ones, and are made
// many at once.
import type { Aspect } from './look.ts';
import type { TimelineItem } from './play-out.ts';

/** There is a poster of each of these windows of an item's time: of its first keyframe, or of its beginning. */
export const posterSeconds = 4;
/** So many windows that follow each other are made at once. */
export const postersPerStrip = 15;
const posterSides = { longer: 320, shorter: 180 } as const;

/** How large posters of a stream are. @param aspect undefined: 16:9 */
export function posterSizeOf(aspect: Aspect | undefined) {
  const { longer, shorter } = posterSides;
  if (aspect === '9:16') return { width: shorter, height: longer };
  return { width: aspect === '1:1' ? shorter : longer, height: shorter };
}

/** How long before a strip is needed it is asked for. */
export const stripAheadSeconds = 12;

export interface Poster {
  /** Counted from the item's beginning. */
  readonly strip: number;
  /** How many pictures the strip has. */
  readonly inStrip: number;
  /** Which of them it is. */
  readonly index: number;
  /** After so many seconds there is a newer one. */
  readonly freshSeconds: number;
}

/**
 * The poster of an item that has been on the air for so long: of the last window that is over, or of the one under way
 * where it is the first. So it shows hardly anything that has not been on the air, and is at most two windows old.
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
