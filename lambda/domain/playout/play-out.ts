// What a stream plays at a time: a pure function of its timeline.
// Agents store no position in it: after a crash, any agent computes the same frame again.
import type { FramingName } from './look.ts';
import type { DrawingName, Overlays, VariantName } from './overlays.ts';
import { overlapFrames } from './sound.ts';
import type { ItemJoin, OwnJoin, SoundSettings, SoundUnder, TimedLevel } from './sound.ts';
import type { Titles } from './titles.ts';
import type { DynamicRange } from '../shared/video-format.ts';

export const playlistModes = ['sequential', 'shuffle'] as const;
export type PlaylistMode = (typeof playlistModes)[number];

/**
 * One thing to play, with every fact that the publisher needs. Later edits and
 * deletions of the upload do not change it.
 */
export interface TimelineItem {
  readonly itemID: string;
  readonly uploadID: string;
  /** Of the upload, when the snapshot was made; absent in snapshots of the release before. */
  readonly name?: string;
  /** Of the upload, when the snapshot was made; absent where it had none. */
  readonly titles?: Titles;
  /** The hash of its file of captions, when the snapshot was made; absent where it had none. */
  readonly captions?: string;
  /** As `contentHashOf` in rendition.ts; absent where it was not known then. */
  readonly contentHash?: string;
  readonly objectKey: string;
  readonly kind: 'video' | 'audio' | 'image';
  readonly durationSeconds: number;
  readonly hasAudio: boolean;
  /** Absent means SDR. */
  readonly dynamicRange?: DynamicRange;
  /** As `decodeCost` in source-limits.ts says it; absent without moving pictures, and where it is not known. */
  readonly decodeCost?: number;
  /** How its pictures are put into those of the stream; absent: with black bars, or they fill these. */
  readonly framing?: FramingName;
  /** What is drawn over all of its pictures; absent: nothing. */
  readonly drawn?: DrawingName;
  /** What is drawn over some of its pictures besides, the first one above the others; absent: nothing. */
  readonly variants?: readonly VariantName[];
  /** How loud it is; absent: as the stream's. */
  readonly sound?: SoundSettings;
  /** How it is followed by the next item, whatever the stream says; absent: as that says. */
  readonly ownJoin?: OwnJoin;
  /** How it is followed by the next item; absent: by a cut. */
  readonly join?: ItemJoin;
  /** How its sound is heard under that of the sound track, whatever the stream says; absent: as that says. */
  readonly ownUnder?: SoundUnder;
  /** How its sound is heard under that of the sound track; absent: not at all. */
  readonly under?: SoundUnder;
  /** By their times. They are rows of the run, and no part of the snapshot. */
  readonly levels?: readonly TimedLevel[];
}

/** A playlist, or a single upload, as it was when the draft was published or the stream was started. */
export interface TimelineSnapshot {
  readonly mode: PlaylistMode;
  /** A random number that is drawn when the snapshot is made. The shuffled orders of all its laps follow from it. */
  readonly seed: number;
  readonly items: readonly TimelineItem[];
  /** Absent: nothing is drawn over its pictures. */
  readonly overlays?: TimelineOverlays;
}

/** What is drawn over pictures, with every fact that the publisher needs. */
export interface TimelineOverlays extends Overlays {
  /** Where the image of the logo is kept; null without one. */
  readonly logoKey: string | null;
}

/** The snapshot loops from `offsetSeconds` after the anchor of the run until the next entry begins. */
export interface TimelineEntry {
  readonly number: number;
  readonly offsetSeconds: number;
  readonly playlistID: string | null;
  readonly snapshot: TimelineSnapshot;
}

/** One playing of an item, in one lap, on the frame grid of the stream. Frames count from the anchor of the run. */
export interface ItemOccurrence {
  readonly item: TimelineItem;
  readonly entryNumber: number;
  readonly playlistID: string | null;
  readonly lap: number;
  readonly startFrame: number;
  readonly frameCount: number;
  /** The item plays in place of the one that the timeline has there. */
  readonly isStandIn?: true;
}

/**
 * What changes while a stream is live takes effect where an item begins, at the earliest after this time, so that each
 * of its agents has read of it before.
 */
export const effectiveAheadSeconds = 10;
/** A still image in a playlist is shown for this long. */
export const imageDurationSeconds = 10;
/**
 * A shorter clip stays on its last frame for the rest, so that a playlist of one-frame files does not join each frame.
 */
const shortestItemSeconds = 1;

/** The length of an item in frames: that of its media, rounded to the frame grid. Encoders deliver exactly as many. */
export function frameCountOf(item: Pick<TimelineItem, 'durationSeconds'>, framesPerSecond: number): number {
  return Math.round(Math.max(item.durationSeconds, shortestItemSeconds) * framesPerSecond);
}

/** How long an item plays before the next one begins, in frames: of a crossfade, up to where that begins. */
export function framesUntilNext(item: Pick<TimelineItem, 'durationSeconds' | 'join'>, framesPerSecond: number): number {
  return frameCountOf(item, framesPerSecond) - overlapFrames(item.join, framesPerSecond);
}

/**
 * The items that a snapshot plays, in the order of the playlist. Every reader takes items from here, so that a snapshot
 * can play more than its playlist lists.
 * @param snapshot undefined: nothing is played
 */
export function itemsPlayed(snapshot: Pick<TimelineSnapshot, 'items'> | undefined): readonly TimelineItem[] {
  return snapshot?.items ?? [];
}

/** The items of a lap in the order in which they are played. For shuffle, a permutation seeded by snapshot and lap. */
export function orderOfLap(snapshot: TimelineSnapshot, lap: number): readonly TimelineItem[] {
  if (snapshot.mode === 'sequential' || snapshot.items.length < 2) return snapshot.items;
  const order = permutation(snapshot, lap);
  // An item that ended the lap before must not begin this one. Then the first two change places; the last item stays as
  // the permutation has it, so that the next lap can be compared with the permutation alone.
  const repeats = lap > 0 && permutation(snapshot, lap - 1).at(-1) === order[0];
  if (repeats && order.length > 2) [order[0], order[1]] = [order[1]!, order[0]!];
  return order;
}

/** The occurrence of an item that contains `frame`, counted from the anchor. */
export function occurrenceAt(
  timeline: readonly TimelineEntry[],
  frame: number,
  framesPerSecond: number,
): ItemOccurrence {
  const entry = timeline.findLast((candidate) => entryStartFrame(candidate, framesPerSecond) <= frame) ?? timeline[0];
  if (!entry || itemsPlayed(entry.snapshot).length === 0)
    throw new RangeError('a timeline needs an entry with an item');
  const lapFrames = lapFramesOf(entry, framesPerSecond);
  const origin = entryStartFrame(entry, framesPerSecond);
  const lap = Math.max(0, Math.floor((frame - origin) / lapFrames));
  let startFrame = origin + lap * lapFrames;
  for (const item of orderOfLap(entry.snapshot, lap)) {
    const frameCount = framesUntilNext(item, framesPerSecond);
    if (frame < startFrame + frameCount) {
      return { item, entryNumber: entry.number, playlistID: entry.playlistID, lap, startFrame, frameCount };
    }
    startFrame += frameCount;
  }
  throw new RangeError('a lap is as long as its items');
}

/** The occurrence that contains `frame`, counted from the anchor, and all after it, without end. */
export function* occurrencesFrom(
  timeline: readonly TimelineEntry[],
  frame: number,
  framesPerSecond: number,
): Generator<ItemOccurrence> {
  const first = occurrenceAt(timeline, frame, framesPerSecond);
  const from = timeline.findIndex(({ number }) => number === first.entryNumber);
  for (const [index, entry] of timeline.slice(from).entries()) {
    const next = timeline[from + index + 1];
    const end = next ? entryStartFrame(next, framesPerSecond) : Infinity;
    let startFrame = entryStartFrame(entry, framesPerSecond);
    if (index === 0) startFrame += first.lap * lapFramesOf(entry, framesPerSecond);
    for (let lap = index === 0 ? first.lap : 0; startFrame < end; lap++) {
      for (const item of orderOfLap(entry.snapshot, lap)) {
        const frameCount = framesUntilNext(item, framesPerSecond);
        if (startFrame < end && startFrame + frameCount > frame)
          yield { item, entryNumber: entry.number, playlistID: entry.playlistID, lap, startFrame, frameCount };
        startFrame += frameCount;
      }
    }
  }
}

/** The occurrence that plays until another one begins; null: that is the first one of a run. */
export function occurrenceBefore(
  timeline: readonly TimelineEntry[],
  { startFrame }: Pick<ItemOccurrence, 'startFrame'>,
  framesPerSecond: number,
): ItemOccurrence | null {
  if (startFrame === 0) return null;
  const before = occurrenceAt(timeline, startFrame - 1, framesPerSecond);
  return before.startFrame + before.frameCount === startFrame ? before : null;
}

/**
 * The first frame at or after `frame` where an item begins, so that a new entry of the timeline may take over there.
 */
export function boundaryAfter(timeline: readonly TimelineEntry[], frame: number, framesPerSecond: number): number {
  const { startFrame, frameCount } = occurrenceAt(timeline, frame, framesPerSecond);
  return startFrame === frame ? frame : startFrame + frameCount;
}

function lapFramesOf({ snapshot }: TimelineEntry, framesPerSecond: number): number {
  return itemsPlayed(snapshot).reduce((sum, item) => sum + framesUntilNext(item, framesPerSecond), 0);
}

function entryStartFrame(entry: TimelineEntry, framesPerSecond: number): number {
  return Math.round(entry.offsetSeconds * framesPerSecond);
}

function permutation(snapshot: TimelineSnapshot, lap: number): TimelineItem[] {
  const random = mulberry32((snapshot.seed ^ Math.imul(lap + 1, 0x9e3779b1)) >>> 0);
  const order = [...snapshot.items];
  for (let last = order.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [order[last], order[other]] = [order[other]!, order[last]!];
  }
  return order;
}

/** A 32-bit generator with a full period, the same on every machine (T. Ettinger's public-domain mulberry32). */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
  };
}
