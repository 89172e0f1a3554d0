// The items of pictures that are heard under an audio track, and how.
import type { TimelineItem } from './play-out.ts';
import { usualSound } from './sound.ts';
import type { SoundUnder } from './sound.ts';

/**
 * Adds to video items how they are heard under an audio track: by their own setting, or by the stream's.
 * @param items items without this field
 */
export function withSoundUnder(
  items: readonly TimelineItem[],
  ofStream: SoundUnder = usualSound.under,
): TimelineItem[] {
  return items.map((item) => {
    const under = item.ownUnder ?? ofStream;
    return under.enabled && item.hasAudio ? { ...item, under } : item;
  });
}

export function isSameUnder(one: SoundUnder | undefined, other: SoundUnder | undefined): boolean {
  return one?.gainDB === other?.gainDB && one?.duck === other?.duck;
}
