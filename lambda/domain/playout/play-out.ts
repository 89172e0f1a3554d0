// The item that a stream plays at a time: a pure function of its timeline.
// Agents store no position in it: after a crash, any agent computes the same frame again.
import type { FramingName } from './look.ts';
import type { DrawingName, Overlays, VariantName } from './overlays.ts';
import { orderOfLap } from './lap-order.ts';
import type { Ordered } from './lap-order.ts';
import { overlapFrames } from './sound.ts';
import type { ItemJoin, OwnJoin, SoundSettings, SoundUnder, TimedLevel } from './sound.ts';
import type { ItemOrder } from './item-order.ts';
import type { Titles } from './titles.ts';
import type { PlannedFacts, RowKind } from './planned-facts.ts';
import type { SourceReading } from '../shared/source-reading.ts';
import type { DynamicRange } from '../shared/video-format.ts';

export const playlistModes = ['sequential', 'shuffle'] as const;
export type PlaylistMode = (typeof playlistModes)[number];

/**
 * One item to play, with every fact that the publisher needs. Later edits or deletion of the upload do not change it.
 */
export interface TimelineItem {
  readonly itemID: string;
  readonly uploadID: string;
  /** Name of the upload when the snapshot was made. */
  readonly name: string;
  /** Titles of the upload when the snapshot was made; absent: it had none. */
  readonly titles?: Titles;
  /** Hash of the caption file when the snapshot was made; absent: there was none. */
  readonly captions?: string;
  /** Result of `contentHashOf` in rendition.ts; absent: not known at that time. */
  readonly contentHash?: string;
  readonly objectKey: string;
  readonly kind: 'video' | 'audio' | 'image';
  readonly durationSeconds: number;
  readonly hasAudio: boolean;
  /** Absent: SDR. */
  readonly dynamicRange?: DynamicRange;
  /** How the file is read; absent: the usual way. */
  readonly reading?: SourceReading;
  /** Result of `decodeCost` in source-limits.ts; absent: no moving pictures, or not known. */
  readonly decodeCost?: number;
  /** How the item fills the stream's frame; absent: with black bars, or without framing. */
  readonly framing?: FramingName;
  /** Drawing over all pictures; absent: none. */
  readonly drawn?: DrawingName;
  /** Additional drawings over some pictures; the first one takes precedence. Absent: none. */
  readonly variants?: readonly VariantName[];
  /** Loudness settings; absent: those of the stream. */
  readonly sound?: SoundSettings;
  /** The item's own setting for the join to the next item; absent: the setting of the stream. */
  readonly ownJoin?: OwnJoin;
  /** The join to the next item; absent: a cut. */
  readonly join?: ItemJoin;
  /** The item's own setting for its sound under the audio track; absent: the setting of the stream. */
  readonly ownUnder?: SoundUnder;
  /** How its sound is heard under the audio track; absent: it is silent. */
  readonly under?: SoundUnder;
  /** The order of an advertiser that it belongs to; absent: none. */
  readonly order?: ItemOrder;
  /** Gains by time. They are rows of the run, and no part of the snapshot. */
  readonly levels?: readonly TimedLevel[];
}

/** The part of an item between two breaks. Both times are on the grid of keyframes. */
export interface ItemPart {
  /** Seconds of the item before it. */
  readonly fromSeconds: number;
  /** Null: the end of the item. */
  readonly untilSeconds: number | null;
}

/** A playlist, or a single upload, as it was when the draft was published or the stream was started. */
export interface TimelineSnapshot extends Ordered<TimelineItem> {
  /** Graphics over the pictures; absent: none. */
  readonly overlays?: TimelineOverlays;
  /** The facts of its rows in the order of a lap; absent: no programme has planned it. */
  readonly planned?: readonly PlannedFacts[];
  /** The parts that its rows play, in the order of a lap; null: the whole item. Absent: all rows play whole items. */
  readonly parts?: readonly (ItemPart | null)[];
  /** Its item plays once, between two parts of a list; absent: the snapshot loops. See queued-items.ts. */
  readonly isQueued?: true;
}

/** Graphics over pictures, with every fact that the publisher needs. */
export interface TimelineOverlays extends Overlays {
  /** Object key of the logo's image; null: no logo. */
  readonly logoKey: string | null;
}

/** The snapshot loops from `offsetSeconds` after the anchor of the run until the next entry begins. */
export interface TimelineEntry {
  readonly number: number;
  readonly offsetSeconds: number;
  readonly playlistID: string | null;
  readonly snapshot: TimelineSnapshot;
}

/**
 * One playback of an item, in one lap, on the frame grid of the stream. Frames count from the anchor of the run. The
 * beginning of the next entry cuts an item off.
 */
export interface ItemOccurrence {
  /** The item of the snapshot; without its join if the next entry cuts it off. */
  readonly item: TimelineItem;
  readonly entryNumber: number;
  readonly playlistID: string | null;
  readonly lap: number;
  readonly startFrame: number;
  readonly frameCount: number;
  /** Absent: the whole item. */
  readonly part?: ItemPart;
  /** Frames of the item before its part; absent: none. See `fromOrigin`. */
  readonly skippedFrames?: number;
  /** Absent: no programme has planned it. */
  readonly planned?: PlannedFacts;
  /** It plays once, between two parts of a list; absent: it is an item of the list or of a programme. */
  readonly isQueued?: true;
  /** The item replaces the item in the timeline. */
  readonly isStandIn?: true;
  /** The session of a contributor that is sent in place of the item; absent: the item itself is sent. */
  readonly sessionID?: string;
}

/** The id of that which is sent in place of an item: an upload or a session; null: the item itself is sent. */
export function sentInPlace({
  item,
  isStandIn,
  sessionID,
}: Pick<ItemOccurrence, 'item' | 'isStandIn' | 'sessionID'>): string | null {
  return sessionID ?? (isStandIn ? item.uploadID : null);
}

/** The kind of a row of a timeline; null: an item of a list. */
export function rowKindOf({ planned, isQueued }: Pick<ItemOccurrence, 'planned' | 'isQueued'>): RowKind | null {
  return planned?.kind ?? (isQueued ? 'queued' : null);
}

/**
 * Changes to a live stream take effect at the beginning of an item, at the earliest after this time. By then each of
 * its agents has read the change.
 */
export const effectiveAheadSeconds = 10;
/** A still image in a playlist is shown for this long. */
export const imageDurationSeconds = 10;
/**
 * Shortest time on air. A shorter clip holds its last frame, so that a playlist of one-frame files need not join each
 * frame.
 */
const shortestItemSeconds = 1;

/**
 * The length of an item in frames: the length of its media, rounded to the frame grid. Encoders produce exactly this.
 */
export function frameCountOf(item: Pick<TimelineItem, 'durationSeconds'>, framesPerSecond: number): number {
  return Math.round(Math.max(item.durationSeconds, shortestItemSeconds) * framesPerSecond);
}

/** Frames from an item's beginning to that of the next one, which begins before the end of a crossfade. */
export function framesUntilNext(item: Pick<TimelineItem, 'durationSeconds' | 'join'>, framesPerSecond: number): number {
  return frameCountOf(item, framesPerSecond) - overlapFrames(item.join, framesPerSecond);
}

/**
 * The frames of an occurrence from the first one of its item on, as if that had played up to here without a break. All
 * positions in the media of an occurrence count from this `startFrame`; the first `skippedFrames` do not play.
 */
export function fromOrigin({ startFrame, frameCount, skippedFrames = 0 }: OccurrenceFrames) {
  return { startFrame: startFrame - skippedFrames, frameCount: skippedFrames + frameCount, skippedFrames };
}

type OccurrenceFrames = Pick<ItemOccurrence, 'startFrame' | 'frameCount' | 'skippedFrames'>;

/** An item, with the part of it that a row plays. */
export interface PlayedItem<Item = TimelineItem> {
  readonly item: Item;
  readonly part?: ItemPart | null | undefined;
}

/** The frames of an item before a part, and from the beginning of the part to that of the next row. */
export function framesOfPart(
  { item, part }: PlayedItem<Pick<TimelineItem, 'durationSeconds' | 'join'>>,
  framesPerSecond: number,
) {
  const whole = framesUntilNext(item, framesPerSecond);
  if (!part) return { skippedFrames: 0, frameCount: whole };
  const skippedFrames = Math.round(part.fromSeconds * framesPerSecond);
  const end = part.untilSeconds === null ? whole : Math.round(part.untilSeconds * framesPerSecond);
  return { skippedFrames, frameCount: end - skippedFrames };
}

/**
 * The items that a snapshot plays, in the order of the playlist, or each once if a programme has planned them. All code
 * reads items through this function, so that a snapshot can play more items than its playlist lists.
 * @param snapshot undefined: nothing is played
 */
export function itemsPlayed(snapshot: Pick<TimelineSnapshot, 'items'> | undefined): readonly TimelineItem[] {
  return snapshot?.items ?? [];
}

/** The occurrence of an item that contains `frame`, counted from the anchor. */
export function occurrenceAt(
  timeline: readonly TimelineEntry[],
  frame: number,
  framesPerSecond: number,
): ItemOccurrence {
  const place = timeline.findLastIndex((candidate) => entryStartFrame(candidate, framesPerSecond) <= frame);
  const entry = timeline[Math.max(0, place)];
  if (!entry || itemsPlayed(entry.snapshot).length === 0)
    throw new RangeError('a timeline needs an entry with an item');
  const end = endFrameOf(timeline, Math.max(0, place), framesPerSecond);
  const { lap, startFrame: lapStart } = lapAt(entry, frame, framesPerSecond);
  let startFrame = lapStart;
  for (const row of rowsOfLap(entry.snapshot, lap, framesPerSecond)) {
    if (frame < startFrame + row.frameCount) return cutOff({ entry, lap, startFrame, ...row }, end);
    startFrame += row.frameCount;
  }
  throw new RangeError('a lap is as long as its items');
}

/** The occurrence that contains `frame`, counted from the anchor, and all later occurrences, without end. */
export function* occurrencesFrom(
  timeline: readonly TimelineEntry[],
  frame: number,
  framesPerSecond: number,
): Generator<ItemOccurrence> {
  const first = occurrenceAt(timeline, frame, framesPerSecond);
  const from = timeline.findIndex(({ number }) => number === first.entryNumber);
  for (const [index, entry] of timeline.slice(from).entries()) {
    const end = endFrameOf(timeline, from + index, framesPerSecond);
    let { startFrame } = lapAt(entry, index === 0 ? frame : entryStartFrame(entry, framesPerSecond), framesPerSecond);
    for (let lap = index === 0 ? first.lap : 0; startFrame < end; lap++) {
      for (const row of rowsOfLap(entry.snapshot, lap, framesPerSecond)) {
        if (startFrame < end && startFrame + row.frameCount > frame)
          yield cutOff({ entry, lap, startFrame, ...row }, end);
        startFrame += row.frameCount;
      }
    }
  }
}

/** Whether the next entry begins before the item of an occurrence, or the part of it, would end. */
export function isCutOff({ item, part, frameCount }: ItemOccurrence, framesPerSecond: number): boolean {
  return frameCount < framesOfPart({ item, part }, framesPerSecond).frameCount;
}

/** Whether any entry of a timeline cuts an item off. */
export function cutsItems(timeline: readonly TimelineEntry[], framesPerSecond: number): boolean {
  return timeline.slice(1).some((entry) => {
    const frame = entryStartFrame(entry, framesPerSecond) - 1;
    return frame >= 0 && isCutOff(occurrenceAt(timeline, frame, framesPerSecond), framesPerSecond);
  });
}

/** The occurrence before another one; null: that is the first one of a run. */
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
 * The first frame at or after `frame` at which an item begins, so that a new entry of the timeline may start there.
 */
export function boundaryAfter(timeline: readonly TimelineEntry[], frame: number, framesPerSecond: number): number {
  const { startFrame, frameCount } = occurrenceAt(timeline, frame, framesPerSecond);
  return startFrame === frame ? frame : startFrame + frameCount;
}

/** An item in a lap, with its frames if nothing cuts it off. */
interface LapRow extends PlayedItem {
  /** Its place in the lap. */
  readonly place: number;
  readonly skippedFrames: number;
  readonly frameCount: number;
}

/** The items of a lap, in the order in which they play. */
function* rowsOfLap(snapshot: TimelineSnapshot, lap: number, framesPerSecond: number): Generator<LapRow> {
  for (const [place, item] of orderOfLap(snapshot, lap).entries()) {
    const part = snapshot.parts?.[place];
    yield { place, item, part, ...framesOfPart({ item, part }, framesPerSecond) };
  }
}

interface WholeOccurrence extends LapRow, Pick<ItemOccurrence, 'lap' | 'startFrame'> {
  readonly entry: TimelineEntry;
}

/** An occurrence up to the frame at which the next entry begins. An item that is cut off has no join. */
function cutOff(
  { entry, place, item, part, skippedFrames, ...whole }: WholeOccurrence,
  endFrame: number,
): ItemOccurrence {
  const { number: entryNumber, playlistID, snapshot } = entry;
  const planned = snapshot.planned?.[place];
  const found = {
    ...whole,
    entryNumber,
    playlistID,
    ...(part && { part }),
    ...(skippedFrames > 0 && { skippedFrames }),
    ...(planned && { planned }),
    ...(snapshot.isQueued && { isQueued: true as const }),
  };
  if (whole.startFrame + whole.frameCount <= endFrame) return { ...found, item };
  const { join: _, ...unjoined } = item;
  return { ...found, item: unjoined, frameCount: endFrame - whole.startFrame };
}

/** The frame at which the entry after another one begins; Infinity: that is the last one. */
function endFrameOf(timeline: readonly TimelineEntry[], index: number, framesPerSecond: number): number {
  const next = timeline[index + 1];
  return next ? entryStartFrame(next, framesPerSecond) : Infinity;
}

/** The lap of an entry that contains a frame. The lap that an earlier entry has begun is shorter than the others. */
function lapAt(
  entry: TimelineEntry,
  frame: number,
  framesPerSecond: number,
): Pick<ItemOccurrence, 'lap' | 'startFrame'> {
  const { snapshot } = entry;
  const origin = entryStartFrame(entry, framesPerSecond);
  const framesOf = (lap: number) =>
    rowsOfLap(snapshot, lap, framesPerSecond).reduce((sum, { frameCount }) => sum + frameCount, 0);
  const begun = snapshot.lapUnderWay ? framesOf(0) : null;
  if (begun !== null && frame < origin + begun) return { lap: 0, startFrame: origin };
  const [firstLap, firstFrame] = begun === null ? [0, origin] : [1, origin + begun];
  // All laps are equally long, in whichever order.
  const lapFrames = framesOf(firstLap);
  const laps = Math.max(0, Math.floor((frame - firstFrame) / lapFrames));
  return { lap: firstLap + laps, startFrame: firstFrame + laps * lapFrames };
}

function entryStartFrame(entry: TimelineEntry, framesPerSecond: number): number {
  return Math.round(entry.offsetSeconds * framesPerSecond);
}
