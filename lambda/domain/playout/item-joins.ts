// The joins between items of a track: the join of the item, or the default of its stream.
import { pictureJoinSeconds, usualLook } from './look.ts';
import type { PictureJoin, StingerJoin } from './look.ts';
import { cutsItems, itemsPlayed } from './play-out.ts';
import type { PlaylistMode, TimelineEntry, TimelineItem } from './play-out.ts';
import { gapFreeSeconds, joinKinds, joinSeconds, usualSound } from './sound.ts';
import type { ItemJoin, Join, OwnJoin } from './sound.ts';
import { secondsAfterCut } from './stinger.ts';

/** A stinger, and the seconds that it covers the item that ends. */
export type ShownStinger = Omit<StingerJoin, 'kind'>;

/** Items shorter than this are followed by a cut: preparing their joins would cost as much as encoding. */
const shortestJoinedSeconds = 5;

/**
 * Adds joins to the items of a video track. A join lasts at most half of both its items. A stinger that would be cut
 * short is not played. A track with a single still image has no joins.
 * @param items items without joins
 * @param stinger null: the stream has none, so items that want one are followed by a cut
 */
export function withPictureJoins(
  items: readonly TimelineItem[],
  ofStream: PictureJoin = usualLook.join,
  stinger: ShownStinger | null = null,
  mode: PlaylistMode = 'sequential',
): TimelineItem[] {
  const longestOf = longestJoinSeconds(items, mode);
  const isStill = items.every(({ kind, uploadID }) => kind === 'image' && uploadID === items[0]!.uploadID);
  return items.map((item, index) => {
    const longest = Math.min(pictureJoinSeconds.longest, longestOf(index));
    const { kind, seconds } = item.ownJoin ?? ofStream;
    if (kind === 'cut' || isStill || item.durationSeconds < shortestJoinedSeconds) return item;
    if (kind !== 'stinger') return { ...item, join: { kind, seconds: Math.min(seconds, longest) } };
    return stinger && longestPart(stinger) <= longest ? { ...item, join: { kind, ...stinger } } : item;
  });
}

/**
 * Adds joins to the items of an audio track. A join lasts at most half of both its items, so that no more than two
 * items are heard together.
 * @param items items without joins
 */
export function withJoins(
  items: readonly TimelineItem[],
  ofStream: Join = usualSound.join,
  mode: PlaylistMode = 'sequential',
): TimelineItem[] {
  const longestOf = longestJoinSeconds(items, mode);
  return items.map((item, index) => {
    const longest = longestOf(index);
    const { kind, seconds } = item.ownJoin ?? ofStream;
    if (!isOfSound(kind)) throw new TypeError(`a sound track has no ${kind}`);
    const join = { kind, seconds: Math.min(kind === 'gap_free' ? gapFreeSeconds : seconds, longest) };
    return kind === 'cut' || join.seconds < joinSeconds.shortest ? item : { ...item, join };
  });
}

function isOfSound(kind: OwnJoin['kind']): kind is Join['kind'] {
  return joinKinds.some((each) => each === kind);
}

/** Whether a track has parts at the ends of items: joins, or ends of items that the next entry cuts off. */
export function hasJoins(entries: readonly TimelineEntry[], framesPerSecond: number): boolean {
  return (
    entries.some(({ snapshot }) => itemsPlayed(snapshot).some(({ join }) => join !== undefined)) ||
    cutsItems(entries, framesPerSecond)
  );
}

/** Whether two joins are equal. */
export function isSameJoin(one: ItemJoin | undefined, other: ItemJoin | undefined): boolean {
  return one?.kind === other?.kind && one?.seconds === other?.seconds && stingerIn(one) === stingerIn(other);
}

/**
 * The longest join of each item to the next one, by its index: half of the shorter of the two. In shuffle any item may
 * be the next one, and all laps last equally long, so it is half of the shortest of all.
 */
function longestJoinSeconds(items: readonly TimelineItem[], mode: PlaylistMode): (index: number) => number {
  const halfOf = (seconds: number) => Math.floor((Math.max(1, seconds) / 2) * 10) / 10;
  const halves = items.map(({ durationSeconds }) => halfOf(durationSeconds));
  const shortest = halves.reduce((least, half) => Math.min(least, half), Infinity);
  return (index) => (mode === 'shuffle' ? shortest : Math.min(halves[index]!, halves[(index + 1) % halves.length]!));
}

/** The longer of the times that a stinger covers the item before and the item after the cut, in seconds. */
function longestPart({ seconds, stinger: { durationSeconds } }: ShownStinger): number {
  return Math.max(seconds, secondsAfterCut(durationSeconds, seconds));
}

function stingerIn(join: ItemJoin | undefined): string | null {
  return join?.kind === 'stinger' ? join.stinger.objectKey : null;
}
