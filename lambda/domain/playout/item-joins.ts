// The joins between items of a track: the join of the item, or the default of its stream.
import { pictureJoinSeconds, usualLook } from './look.ts';
import type { PictureJoin, StingerJoin, StreamLook } from './look.ts';
import { cutsItems, itemsPlayed } from './play-out.ts';
import type { PlaylistMode, TimelineEntry, TimelineItem } from './play-out.ts';
import type { PlaylistKind } from './playlist-words.ts';
import { gapFreeSeconds, joinKinds, joinSeconds, usualSound } from './sound.ts';
import type { ItemJoin, Join, OwnJoin, SoundSettings } from './sound.ts';
import { secondsAfterCut } from './stinger.ts';

/** A stinger, and the seconds that it covers the item that ends. */
export type ShownStinger = Omit<StingerJoin, 'kind'>;

/** Items shorter than this are followed by a cut: preparing their joins would cost as much as encoding. */
const shortestJoinedSeconds = 5;

/** The settings of a stream that join the items of a track. */
export interface TrackJoins {
  readonly track: PlaylistKind;
  readonly ofStream: OwnJoin;
  /** Null: the stream has none, so items that want one are followed by a cut. */
  readonly stinger: ShownStinger | null;
}

/** The joins of a track by the settings of its stream. */
export function trackJoins(
  track: PlaylistKind,
  { sound, look }: { readonly sound: SoundSettings | null; readonly look: StreamLook | null },
  stinger: ShownStinger | null = null,
): TrackJoins {
  const ofStream = track === 'audio' ? (sound?.join ?? usualSound.join) : (look?.join ?? usualLook.join);
  return { track, ofStream, stinger };
}

/**
 * The join of an item to the next one; undefined: a cut. A stinger that would be cut short is not played.
 * @param longestSeconds the longest join that both items have room for, in seconds
 */
export function joinWithin(
  item: Pick<TimelineItem, 'durationSeconds' | 'ownJoin'>,
  longestSeconds: number,
  { track, ofStream, stinger }: TrackJoins,
): ItemJoin | undefined {
  const { kind, seconds } = item.ownJoin ?? ofStream;
  if (track === 'audio') {
    if (!isOfSound(kind)) throw new TypeError(`a sound track has no ${kind}`);
    const join = { kind, seconds: Math.min(kind === 'gap_free' ? gapFreeSeconds : seconds, longestSeconds) };
    return kind === 'cut' || join.seconds < joinSeconds.shortest ? undefined : join;
  }
  const longest = Math.min(pictureJoinSeconds.longest, longestSeconds);
  if (kind === 'cut' || item.durationSeconds < shortestJoinedSeconds) return undefined;
  if (kind === 'stinger') return stinger && longestPart(stinger) <= longest ? { kind, ...stinger } : undefined;
  return longest < pictureJoinSeconds.shortest ? undefined : { kind, seconds: Math.min(seconds, longest) };
}

/**
 * Adds joins to the items of a video track. A join lasts at most half of both its items. A track with a single still
 * image has no joins.
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
  const joins = { track: 'video', ofStream, stinger } as const;
  return items.map((item, index) => (isStill ? item : withJoin(item, joinWithin(item, longestOf(index), joins))));
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
  const joins = { track: 'audio', ofStream, stinger: null } as const;
  return items.map((item, index) => withJoin(item, joinWithin(item, longestOf(index), joins)));
}

/** An item with its join to the next one. @param join undefined: a cut */
export function withJoin(item: TimelineItem, join: ItemJoin | undefined): TimelineItem {
  return join ? { ...item, join } : item;
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

/** The longest join at either end of an item: half of it. Both in seconds. */
export function longestJoinOf(durationSeconds: number): number {
  return Math.floor((Math.max(1, durationSeconds) / 2) * 10) / 10;
}

/**
 * The longest join of each item to the next one, by its index: half of the shorter of the two. In shuffle any item may
 * be the next one, and all laps last equally long, so it is half of the shortest of all.
 */
function longestJoinSeconds(items: readonly TimelineItem[], mode: PlaylistMode): (index: number) => number {
  const halves = items.map(({ durationSeconds }) => longestJoinOf(durationSeconds));
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
