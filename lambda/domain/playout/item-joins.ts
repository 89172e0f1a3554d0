// The joins between items of a track: the join of the item, or the default of its stream.
import { pictureJoinSeconds, usualLook } from './look.ts';
import type { PictureJoin, StingerJoin } from './look.ts';
import { itemsPlayed } from './play-out.ts';
import type { TimelineEntry, TimelineItem } from './play-out.ts';
import { gapFreeSeconds, joinKinds, joinSeconds, usualSound } from './sound.ts';
import type { ItemJoin, Join, OwnJoin } from './sound.ts';
import { secondsAfterCut } from './stinger.ts';

/** A stinger, and the seconds that it covers the item that ends. */
export type ShownStinger = Omit<StingerJoin, 'kind'>;

/** Items shorter than this are followed by a cut: preparing their joins would cost as much as encoding. */
const shortestJoinedSeconds = 5;

/**
 * Adds joins to the items of a video track. A join lasts at most half of the shortest item. A stinger that would
 * be cut short is not played. A track with a single still image has no joins.
 * @param items items without joins
 * @param stinger null: the stream has none, so items that want one are followed by a cut
 */
export function withPictureJoins(
  items: readonly TimelineItem[],
  ofStream: PictureJoin = usualLook.join,
  stinger: ShownStinger | null = null,
): TimelineItem[] {
  const longest = Math.min(pictureJoinSeconds.longest, longestJoinSeconds(items));
  const isStill = items.every(({ kind, uploadID }) => kind === 'image' && uploadID === items[0]!.uploadID);
  return items.map((item) => {
    const { kind, seconds } = item.ownJoin ?? ofStream;
    if (kind === 'cut' || isStill || item.durationSeconds < shortestJoinedSeconds) return item;
    if (kind !== 'stinger') return { ...item, join: { kind, seconds: Math.min(seconds, longest) } };
    return stinger && longestPart(stinger) <= longest ? { ...item, join: { kind, ...stinger } } : item;
  });
}

/**
 * Adds joins to the items of an audio track. A join lasts at most half of the shortest item, so that no more than two
 * items are heard together, in any order.
 * @param items items without joins
 */
export function withJoins(items: readonly TimelineItem[], ofStream: Join = usualSound.join): TimelineItem[] {
  const longest = longestJoinSeconds(items);
  return items.map((item) => {
    const { kind, seconds } = item.ownJoin ?? ofStream;
    if (!isOfSound(kind)) throw new TypeError(`a sound track has no ${kind}`);
    const join = { kind, seconds: Math.min(kind === 'gap_free' ? gapFreeSeconds : seconds, longest) };
    return kind === 'cut' || join.seconds < joinSeconds.shortest ? item : { ...item, join };
  });
}

function isOfSound(kind: OwnJoin['kind']): kind is Join['kind'] {
  return joinKinds.some((each) => each === kind);
}

/** Whether any item of a track has a join. */
export function hasJoins(entries: readonly TimelineEntry[]): boolean {
  return entries.some(({ snapshot }) => itemsPlayed(snapshot).some(({ join }) => join !== undefined));
}

/** Whether two joins are equal. */
export function isSameJoin(one: ItemJoin | undefined, other: ItemJoin | undefined): boolean {
  return one?.kind === other?.kind && one?.seconds === other?.seconds && stingerIn(one) === stingerIn(other);
}

function longestJoinSeconds(items: readonly TimelineItem[]): number {
  const shortest = Math.min(...items.map(({ durationSeconds }) => Math.max(1, durationSeconds)));
  return Math.floor((shortest / 2) * 10) / 10;
}

/** The longer of the times that a stinger covers the item before and the item after the cut, in seconds. */
function longestPart({ seconds, stinger: { durationSeconds } }: ShownStinger): number {
  return Math.max(seconds, secondsAfterCut(durationSeconds, seconds));
}

function stingerIn(join: ItemJoin | undefined): string | null {
  return join?.kind === 'stinger' ? join.stinger.objectKey : null;
}
