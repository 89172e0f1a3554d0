// Reads one track of a stream from its renditions, span after span, even if some are missing or damaged.
//
// States:
// - searching (`#position` is null): at `#frame`. `next` looks up the item that plays there, and its sources: reading.
// - reading: `next` returns the spans of one item. Its end leads to searching at the next item; `skipTo` leads to
//   searching at any frame, and a pending read is dropped.
// - A segment that cannot be read is requested again (`onLost`), and the next best source is used. Without one, another
//   item stands in for 10 s: searching again (`stand-ins.ts`).
import type { Log } from '../../log.ts';
import {
  firstSoundFrameFrom,
  firstSoundFrameOf,
  pictureOfSoundFrame,
  playingAt,
  soundFramesOf,
  soundOriginOf,
} from '../../domain/playout/prepared-play-out.ts';
import type { Playing } from '../../domain/playout/prepared-play-out.ts';
import { isSound, renditionOf, soundAt } from '../../domain/playout/rendition.ts';
import type { Rendition, RenditionFormat } from '../../domain/playout/rendition.ts';
import { levelAt } from '../../domain/playout/sound.ts';
import { chunkOf } from '../../domain/playout/composition-parts.ts';
import { ObjectNotFound } from '../../ports/object-store/object-store.ts';
import { profileOf } from '../ffmpeg/profile.ts';
import { MixSources } from './mix-sources.ts';
import { assertGroups, SegmentDamaged } from './segment-format.ts';
import {
  isSentAsDrawn,
  joinSources,
  renditionsOf,
  segmentFor,
  variantSources,
  wholeRendition,
} from './segment-sources.ts';
import type { FoundSegment, MadeFrom, SegmentSource, SentTrack, SourceSegment, WantedLook } from './segment-sources.ts';
import type { SegmentStore } from './segment-store.ts';
import { Span } from './span.ts';
import { StandIns } from './stand-ins.ts';

/** A track of a stream, with the contents of its items. */
export interface PreparedTimeline extends SentTrack {
  /** By upload: its prepared formats. Absent: the stream's format, without framing. */
  readonly formats?: ReadonlyMap<string, readonly RenditionFormat[]>;
  /**
   * By `lookKey`: the earliest time of the run at which a rendition with drawings is sent, in seconds. Absent: none.
   */
  readonly looks?: ReadonlyMap<string, number>;
}

export interface TrackReaderOptions {
  readonly store: SegmentStore;
  readonly format: RenditionFormat;
  readonly framesPerSecond: number;
  /** Loads the timeline. Called for every item, to apply playlists that were published meanwhile. */
  readonly loadTimeline: () => Promise<PreparedTimeline>;
  /** Called when a segment is damaged or missing, and must be prepared again. */
  readonly onLost: (uploadID: string, lost: MadeFrom) => void;
  readonly log: Log;
}

interface Position {
  readonly playing: Playing;
  /** The sources without the unreadable ones, the best one first. */
  sources: readonly SegmentSource[];
  /** The sources of sound that replaces the pictures' own; empty: their own is sent. */
  sounds: readonly SegmentSource[];
  /** The mixes that replace parts of a sound track; null for pictures. */
  readonly mixes: MixSources | null;
  /** Groups `next` to `end` of the playing are still to be read: pictures, or frames of sound. */
  next: number;
  readonly end: number;
  /** The frame of the run at which the next position begins. */
  readonly endFrame: number;
}

/** A playing, and the renditions that it can be sent from, the best one first. */
interface FoundPlaying {
  readonly playing: Playing;
  readonly contentHash: string;
  readonly look: WantedLook;
  readonly renditions: readonly Rendition[];
}

/** The longest span. */
const spanSeconds = 1;
/** An unreadable item is replaced for this long. Then it is tried again. */
const standInSeconds = 10;

export class TrackReader {
  readonly #options: TrackReaderOptions;
  /** The number of frames from keyframe to keyframe. */
  readonly #gopFrames: number;
  readonly #spanGroups: number;
  /** The frame at which to search, if there is no position. */
  #frame: number;
  /** Whether nothing has been read yet. Only then may pictures begin before the wanted frame. */
  #isFirst = true;
  #position: Position | null = null;
  readonly #standIns: StandIns;

  /** @param startFrame first frame to read, counted from the anchor; pictures begin at the keyframe at or before it */
  constructor(options: TrackReaderOptions, startFrame: number) {
    this.#options = options;
    const { format, framesPerSecond } = options;
    this.#frame = startFrame;
    this.#standIns = new StandIns(framesPerSecond);
    this.#gopFrames = isSound(format) ? 1 : profileOf(format).gopFrames;
    this.#spanGroups = isSound(format)
      ? firstSoundFrameFrom(spanSeconds * framesPerSecond, framesPerSecond)
      : spanSeconds * framesPerSecond;
  }

  /**
   * The next span. One call at a time.
   * @throws {MediaError} when no item of the timeline is prepared
   * @throws {NothingReadable} when no prepared item can be read
   */
  async next(): Promise<Span> {
    const { store, loadTimeline } = this.#options;
    for (;;) {
      this.#position ??= await this.#find();
      const position = this.#position;
      const { playing, next, sources, mixes } = position;
      const mixed = mixes?.at(await loadTimeline(), next);
      const found = segmentFor([...(mixed?.sources ?? []), ...sources], next)!;
      const spanEnd = next + this.#spanGroups - (next % this.#spanGroups);
      const end = Math.min(position.end, mixed?.end ?? Infinity, found.end, spanEnd);
      try {
        const header = await store.header(found.segment.key);
        assertGroups(header, found.segment);
        const hasOther = position.sounds.length > 0 && !found.source.keepsSound;
        const sound = hasOther ? await this.#soundOf(position, next, end) : null;
        const groupBefore = sound ? null : await this.#groupBefore(position);
        const range = { playing, header, first: next, end, sound, groupBefore };
        const span = await Span.load(store, found.segment.key, range);
        // After a skip meanwhile, this span is no longer wanted.
        if (this.#position !== position) continue;
        position.next = end;
        this.#standIns.wasRead(playing.occurrence.item);
        if (end === position.end) this.skipTo(position.endFrame);
        return span;
      } catch (error) {
        if (this.#position === position) this.#fail(position, found, error);
      }
    }
  }

  /** Continues at `frame`. Pictures begin with the next keyframe, or with the next item if that comes first. */
  skipTo(frame: number): void {
    this.#frame = frame;
    this.#position = null;
  }

  /** Finds the position to read at `#frame`. Playings without a group to send from there on are passed. */
  async #find(): Promise<Position> {
    const timeline = await this.#options.loadTimeline();
    const wantedFrame = this.#frame;
    for (;;) {
      const found = this.#playingAt(timeline, this.#frame);
      const { playing } = found;
      const next = this.#firstGroupFrom(wantedFrame, playing);
      if (next < this.#groupCountOf(playing)) {
        this.#isFirst = false;
        return this.#positionAt(timeline, found, next);
      }
      this.#frame = playing.startFrame + playing.frameCount;
    }
  }

  /** The playing at a frame of the run, with the renditions that it can be sent from, the best one first. */
  #playingAt(timeline: PreparedTimeline, frame: number): FoundPlaying {
    const { format, framesPerSecond } = this.#options;
    const { contentHashes, formats, looks } = timeline;
    const occurrence = this.#standIns.occurrenceAt(frame, timeline);
    const { uploadID } = occurrence.item;
    const contentHash = contentHashes.get(uploadID)!;
    const look = { occurrence, format, framesPerSecond, looks };
    const renditions = renditionsOf(contentHash, formats?.get(uploadID), look);
    const { groupCount } = renditions[0]!;
    const frameCount = isSound(format) ? pictureOfSoundFrame(groupCount, framesPerSecond) : groupCount;
    return { playing: playingAt(occurrence, frame, frameCount), contentHash, look, renditions };
  }

  /** The groups of a playing: its frames of sound, or its pictures. */
  #groupCountOf(playing: Playing): number {
    const { format, framesPerSecond } = this.#options;
    return isSound(format) ? soundFramesOf(playing, framesPerSecond) : playing.frameCount;
  }

  /** The position in a playing from group `next` on, with all sources of its groups. */
  #positionAt(
    timeline: PreparedTimeline,
    { playing, contentHash, look, renditions }: FoundPlaying,
    next: number,
  ): Position {
    const { format, framesPerSecond } = this.#options;
    const { item, startFrame } = playing.occurrence;
    const level = levelAt(item, startFrame, framesPerSecond);
    const levelled = level ? [wholeRendition(renditionOf(contentHash, item, soundAt(level.targetLUFS)))] : [];
    const base = renditions.map(wholeRendition);
    const joins = isSentAsDrawn(contentHash, look)
      ? joinSources(timeline, playing, next, { format, framesPerSecond })
      : [];
    if (isSound(format)) {
      const mixes = new MixSources(playing, framesPerSecond);
      const end = this.#groupCountOf(playing);
      const endFrame = playing.startFrame + playing.frameCount;
      return { playing, sources: [...joins, ...levelled, ...base], sounds: [], mixes, next, end, endFrame };
    }
    const sources = [...joins, ...variantSources(contentHash, look, playing), ...base];
    // Titles of the sound track are only known some minutes ahead, so a long item is read in chunks.
    const end = timeline.heard ? chunkOf(playing, next, framesPerSecond).end : this.#groupCountOf(playing);
    return { playing, sources, sounds: levelled, mixes: null, next, end, endFrame: playing.startFrame + end };
  }

  /** The first group of a playing to read when the reader continues at a frame. */
  #firstGroupFrom(frame: number, playing: Playing): number {
    const { startFrame, skippedFrames } = playing;
    const { format, framesPerSecond } = this.#options;
    if (isSound(format)) {
      const first = firstSoundFrameOf(playing, framesPerSecond);
      // A playing that follows another begins with its first frame of sound.
      if (frame === startFrame + skippedFrames && !this.#isFirst) return first;
      // Any other begins on the grid of the stream, at the place where the previous connection stopped.
      const gridFrame = firstSoundFrameFrom(frame, framesPerSecond);
      return Math.max(first, gridFrame - soundOriginOf(playing, framesPerSecond));
    }
    const picture = Math.max(skippedFrames, frame - startFrame);
    const round = this.#isFirst ? Math.floor : Math.ceil;
    return round(picture / this.#gopFrames) * this.#gopFrames;
  }

  /** The group before a later part, if its last frame of sound belongs to the part; else null. */
  async #groupBefore(position: Position): Promise<Span | null> {
    const { store, format, framesPerSecond } = this.#options;
    const { playing, next, sources } = position;
    if (isSound(format) || next !== playing.skippedFrames) return null;
    const soundFrame = firstSoundFrameOf(playing, framesPerSecond);
    if (soundFrame === firstSoundFrameFrom(next, framesPerSecond)) return null;
    const first = pictureOfSoundFrame(soundFrame, framesPerSecond);
    const found = segmentFor(sources, first);
    if (!found) return null;
    const { segment } = found;
    try {
      const header = await store.header(segment.key);
      assertGroups(header, segment);
      const range = { playing, header, first, end: first + 1, sound: null, groupBefore: null };
      return await Span.load(store, segment.key, range);
    } catch (error) {
      // One missing frame of sound does less harm than a stand-in for the whole part.
      this.#lose(position, segment, error);
      return null;
    }
  }

  /**
   * Reads the sound that replaces that of pictures.
   * @returns null if it cannot be read: the rest of the playing has the pictures' own sound
   */
  async #soundOf(position: Position, first: number, end: number): Promise<Span[] | null> {
    const { store, framesPerSecond } = this.#options;
    const { playing } = position;
    const isBeginning = first === playing.skippedFrames;
    const from = isBeginning
      ? firstSoundFrameOf(playing, framesPerSecond)
      : firstSoundFrameFrom(first, framesPerSecond);
    const until = Math.min(firstSoundFrameFrom(end, framesPerSecond), soundFramesOf(playing, framesPerSecond));
    const spans: Span[] = [];
    for (let next = from; next < until;) {
      const found = segmentFor(position.sounds, next);
      if (!found) {
        position.sounds = [];
        return null;
      }
      const segmentEnd = Math.min(until, found.end);
      try {
        const header = await store.header(found.segment.key);
        assertGroups(header, found.segment);
        const range = { playing, header, first: next, end: segmentEnd, sound: null, groupBefore: null };
        spans.push(await Span.load(store, found.segment.key, range));
        next = segmentEnd;
      } catch (error) {
        this.#lose(position, found.segment, error);
        position.sounds = position.sounds.filter((source) => source !== found.source);
      }
    }
    return spans;
  }

  /** Handles an unreadable segment: chooses the next best source, or else another item. */
  #fail(position: Position, { source, segment }: FoundSegment, error: unknown): void {
    this.#lose(position, segment, error);
    if (position.mixes?.leaveOut(source, segment)) return;
    const others = position.sources.filter((each) => each !== source);
    if (segmentFor(others, position.next)) position.sources = others;
    else this.#replace(position);
  }

  #lose({ playing }: Position, { key, made }: SourceSegment, error: unknown): void {
    const { onLost, log, store } = this.#options;
    const { uploadID } = playing.occurrence.item;
    log('segment_unreadable', { uploadID, ...made, error: String(error) });
    store.forget(key);
    // Any other error, as when the store does not answer, proves nothing about the segment.
    if (error instanceof SegmentDamaged || error instanceof ObjectNotFound) onLost(uploadID, made);
  }

  /** Lets another item play in place of an unreadable one, from here on up to one of its keyframes. */
  #replace({ playing, next }: Position): void {
    const { framesPerSecond, format } = this.#options;
    const { uploadID } = playing.occurrence.item;
    const picture = isSound(format) ? pictureOfSoundFrame(next, framesPerSecond) + 1 : next;
    const standInEnd = Math.ceil((picture + standInSeconds * framesPerSecond) / this.#gopFrames) * this.#gopFrames;
    const untilFrame = Math.min(
      playing.startFrame + standInEnd,
      playing.occurrence.startFrame + playing.occurrence.frameCount,
    );
    this.#standIns.wasUnreadable(uploadID, untilFrame);
    this.skipTo(playing.startFrame + picture);
  }
}
