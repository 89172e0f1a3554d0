// Which items of pictures are heard under a sound track, and how.
import type { TimelineItem } from './play-out.ts';
import { usualSound } from './sound.ts';
import type { SoundUnder } from './sound.ts';

/**
 * Items of a track of pictures with how they are heard under a sound track: as they say, else as their stream.
 * @param items without
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
