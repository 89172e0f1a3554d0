// What a stream plays at a time: a pure function of its timeline. Agents keep no cursor; after a crash any of them computes the same frame.
import type { DynamicRange } from './video-format.ts';

export const playlistModes = ['sequential', 'shuffle'] as const;
export type PlaylistMode = (typeof playlistModes)[number];

/** One thing to play, with every fact that the publisher needs; later edits and deletions do not reach into it. */
export interface TimelineItem {
  readonly itemID: string;
  readonly uploadID: string;
  readonly objectKey: string;
  readonly kind: 'video' | 'audio' | 'image';
  readonly durationSeconds: number;
  readonly hasAudio: boolean;
  /** SDR where it is absent. */
  readonly dynamicRange?: DynamicRange;
}

/** A playlist, or a single upload, frozen when it was published or started. */
export interface TimelineSnapshot {
  readonly mode: PlaylistMode;
  /** Fixed when the snapshot is made; shuffle orders of all laps follow from it. */
  readonly seed: number;
  readonly items: readonly TimelineItem[];
}

/** From `offsetSeconds` after the run's anchor on, the snapshot loops, until the next entry begins. */
export interface TimelineEntry {
  readonly number: number;
  readonly offsetSeconds: number;
  readonly playlistID: string | null;
  readonly snapshot: TimelineSnapshot;
}

/** An occurrence of an item on the frame grid of the stream. Frames count from the anchor of the run. */
export interface Occurrence {
  readonly item: TimelineItem;
  readonly entryNumber: number;
  readonly playlistID: string | null;
  readonly lap: number;
  readonly startFrame: number;
  readonly frameCount: number;
}

/** A still image in a playlist is shown this long; as a stream's only video its laps join without a seam. */
export const imageDurationSeconds = 10;
/** A clip shorter than this is held on its last frame, so that a playlist of one-frame files does not become thousands of joins. */
const shortestItemSeconds = 1;

/** Length of an item in frames: its media rounded to the grid, which every encoder must then deliver exactly. */
export function frameCountOf(item: Pick<TimelineItem, 'durationSeconds'>, framesPerSecond: number): number {
  return Math.round(Math.max(item.durationSeconds, shortestItemSeconds) * framesPerSecond);
}

/** The items of a lap in the order in which they are played: a permutation seeded by (snapshot, lap) for shuffle. */
export function orderOfLap(snapshot: TimelineSnapshot, lap: number): readonly TimelineItem[] {
  if (snapshot.mode === 'sequential' || snapshot.items.length < 2) return snapshot.items;
  const order = permutation(snapshot, lap);
  // Nothing plays twice in a row over the end of a lap. Only the first two change places, so that the last of a lap, which
  // decides this for the lap after it, stays what its permutation says.
  const repeats = lap > 0 && permutation(snapshot, lap - 1).at(-1) === order[0];
  if (repeats && order.length > 2) [order[0], order[1]] = [order[1]!, order[0]!];
  return order;
}

/** The occurrence that contains `frame`, counted from the anchor. */
export function occurrenceAt(timeline: readonly TimelineEntry[], frame: number, framesPerSecond: number): Occurrence {
  const entry = timeline.findLast((candidate) => entryStartFrame(candidate, framesPerSecond) <= frame) ?? timeline[0];
  if (!entry || entry.snapshot.items.length === 0) throw new RangeError('a timeline needs an entry with an item');
  const lapFrames = entry.snapshot.items.reduce((sum, item) => sum + frameCountOf(item, framesPerSecond), 0);
  const origin = entryStartFrame(entry, framesPerSecond);
  const lap = Math.max(0, Math.floor((frame - origin) / lapFrames));
  let startFrame = origin + lap * lapFrames;
  for (const item of orderOfLap(entry.snapshot, lap)) {
    const frameCount = frameCountOf(item, framesPerSecond);
    if (frame < startFrame + frameCount) {
      return { item, entryNumber: entry.number, playlistID: entry.playlistID, lap, startFrame, frameCount };
    }
    startFrame += frameCount;
  }
  throw new RangeError('a lap is as long as its items');
}

/** The first item boundary at or after `frame`: where an entry published now may take over. */
export function boundaryAfter(timeline: readonly TimelineEntry[], frame: number, framesPerSecond: number): number {
  const { startFrame, frameCount } = occurrenceAt(timeline, frame, framesPerSecond);
  return startFrame === frame ? frame : startFrame + frameCount;
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
