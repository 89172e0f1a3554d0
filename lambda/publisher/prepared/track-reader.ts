// Reads one track of a stream from its renditions, span after span, whatever of them is missing or damaged.
import type { Log } from '../../log.ts';
import { occurrenceAt } from '../../domain/playout/play-out.ts';
import type { ItemOccurrence, TimelineEntry, TimelineItem } from '../../domain/playout/play-out.ts';
import {
  firstSoundFrameFrom,
  pictureOfSoundFrame,
  playingAt,
  soundFramesOf,
  soundGridFrame,
} from '../../domain/playout/prepared-play-out.ts';
import type { Playing } from '../../domain/playout/prepared-play-out.ts';
import { isSound, renditionOf, soundAt } from '../../domain/playout/rendition.ts';
import type { RenditionFormat } from '../../domain/playout/rendition.ts';
import { levelAt } from '../../domain/playout/sound.ts';
import { chunkOf } from '../../domain/playout/titled-pictures.ts';
import { ObjectNotFound } from '../../ports/object-store/object-store.ts';
import { profileOf } from '../ffmpeg/profile.ts';
import { MediaError } from '../media/media-error.ts';
import { NothingReadable } from '../replica/faults.ts';
import { MixSources } from './mix-sources.ts';
import { SegmentDamaged, withGroups } from './segment-format.ts';
import {
  isSentAsDrawn,
  joinSources,
  renditionsOf,
  segmentFor,
  variantSources,
  wholeRendition,
} from './segment-sources.ts';
import type { FoundSegment, MadeFrom, SegmentSource, SentTrack, SourceSegment } from './segment-sources.ts';
import type { SegmentStore } from './segment-store.ts';
import { Span } from './span.ts';

/** A track of a stream, with the content from which its items were prepared. */
export interface PreparedTimeline extends SentTrack {
  /** The names of the formats in which uploads are prepared; absent: in that of the stream, without framing. */
  readonly formats?: ReadonlyMap<string, readonly string[]>;
  /** By `lookKey`, from when on which renditions with drawings are sent, in seconds of the run; absent: none. */
  readonly looks?: ReadonlyMap<string, number>;
}

export interface TrackReaderOptions {
  readonly store: SegmentStore;
  readonly format: RenditionFormat;
  readonly framesPerSecond: number;
  /** Called anew for every item, so that a playlist that was published meanwhile is known. */
  readonly loadTimeline: () => Promise<PreparedTimeline>;
  /** Called when a segment is damaged or gone and has to be made anew. */
  readonly onLost: (uploadID: string, lost: MadeFrom) => void;
  readonly log: Log;
}

interface Position {
  readonly playing: Playing;
  /** Those that could be read so far, the best one first. */
  sources: readonly SegmentSource[];
  /** Those of the sound that is sent in place of the pictures' own; none: that is sent. */
  sounds: readonly SegmentSource[];
  /** What of the sound is sent in their place; null: of pictures. */
  readonly mixes: MixSources | null;
  /** Groups `next` to `end` of the playing are still to be read: pictures, or frames of sound. */
  next: number;
  readonly end: number;
  /** Of the run: where the next position begins. */
  readonly endFrame: number;
}

/** How much is read at once. */
const spanSeconds = 1;
/** Something else plays for this long in place of what cannot be read; then that is tried again. */
const standInSeconds = 10;

export class TrackReader {
  readonly #options: TrackReaderOptions;
  /** How many frames lie between keyframes. */
  readonly #gopFrames: number;
  readonly #spanGroups: number;
  /** The frame from which on `#find` looks for what plays. */
  #frame: number;
  /** Whether nothing was read yet: only then may pictures begin earlier than asked for. */
  #isFirst = true;
  #position: Position | null = null;
  /** The item that was read last without fault. It stands in for what cannot be read. */
  #lastGood: TimelineItem | null = null;
  /** The uploads that cannot be read, and the frame from which on they are tried again. */
  #unreadable = { uploadIDs: new Set<string>(), untilFrame: 0 };

  /** @param startFrame first frame to read, counted from the anchor; pictures begin at the keyframe at or before it */
  constructor(options: TrackReaderOptions, startFrame: number) {
    this.#options = options;
    const { format, framesPerSecond } = options;
    this.#frame = startFrame;
    this.#gopFrames = isSound(format) ? 1 : profileOf(format).gopFrames;
    this.#spanGroups = isSound(format)
      ? firstSoundFrameFrom(spanSeconds * framesPerSecond, framesPerSecond)
      : spanSeconds * framesPerSecond;
  }

  /**
   * The next span. One call at a time.
   * @throws {MediaError} when nothing of the timeline is prepared
   * @throws {NothingReadable} when nothing of what is prepared can be read
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
        const header = withGroups(await store.header(found.segment.key), found.segment);
        const hasOther = position.sounds.length > 0 && !found.source.keepsSound;
        const sound = hasOther ? await this.#soundOf(position, next, end) : null;
        const span = await Span.load(store, found.segment.key, { playing, header, first: next, end, sound });
        // If the reader was told to skip meanwhile, what was read is not wanted any more.
        if (this.#position !== position) continue;
        position.next = end;
        this.#lastGood = playing.occurrence.item;
        if (end === position.end) this.skipTo(position.endFrame);
        return span;
      } catch (error) {
        if (this.#position === position) this.#fail(position, found, error);
      }
    }
  }

  /**
   * Goes on at `frame`: pictures with the first keyframe from there on, or with the next item where that comes first.
   */
  skipTo(frame: number): void {
    this.#frame = frame;
    this.#position = null;
  }

  /** Finds what plays at `#frame`, and with which of its groups to begin. */
  async #find(): Promise<Position> {
    const { loadTimeline, framesPerSecond, format } = this.#options;
    const timeline = await loadTimeline();
    const { entries, contentHashes, formats, looks } = timeline;
    const wantedFrame = this.#frame;
    for (;;) {
      const occurrence = this.#occurrenceAt(this.#frame, entries, contentHashes);
      const { uploadID } = occurrence.item;
      const contentHash = contentHashes.get(uploadID)!;
      const look = { occurrence, format, framesPerSecond, looks };
      const framed = renditionsOf(contentHash, formats?.get(uploadID), look);
      const level = levelAt(occurrence.item, occurrence.startFrame, framesPerSecond);
      const levelled = level && renditionOf(contentHash, occurrence.item, soundAt(level.targetLUFS));
      const { groupCount } = framed[0]!;
      const isAlone = isSound(format);
      const renditionFrames = isAlone ? pictureOfSoundFrame(groupCount, framesPerSecond) : groupCount;
      const playing = playingAt(occurrence, this.#frame, renditionFrames);
      const next = this.#firstGroupFrom(wantedFrame, playing);
      const endFrame = playing.startFrame + playing.frameCount;
      const groupsEnd = isAlone ? soundFramesOf(playing, framesPerSecond) : playing.frameCount;
      if (next < groupsEnd) {
        this.#isFirst = false;
        const [base, atLevel] = [framed.map(wholeRendition), levelled ? [wholeRendition(levelled)] : []];
        const joins = isSentAsDrawn(contentHash, look)
          ? joinSources(timeline, playing, next, { format, framesPerSecond })
          : [];
        const variants = variantSources(contentHash, look, playing);
        const common = { playing, mixes: isAlone ? new MixSources(playing, framesPerSecond) : null, next };
        if (isAlone)
          return { ...common, sources: [...joins, ...atLevel, ...base], sounds: [], end: groupsEnd, endFrame };
        // What is told of the sound track is known a few minutes ahead: an item may be longer.
        const end = timeline.heard ? chunkOf(playing, next, framesPerSecond).end : groupsEnd;
        const pictures = { ...common, sources: [...joins, ...variants, ...base], sounds: atLevel };
        return { ...pictures, end, endFrame: playing.startFrame + end };
      }
      this.#frame = endFrame;
    }
  }

  /** The first group of a playing that is read when the reader goes on at a frame. */
  #firstGroupFrom(frame: number, { startFrame }: Playing): number {
    const { format, framesPerSecond } = this.#options;
    if (isSound(format)) {
      // A playing that follows another begins with its first frame of sound.
      if (frame === startFrame && !this.#isFirst) return 0;
      // Any other begins by the grid of the stream, where the sender of the connection before stopped.
      const gridFrame = firstSoundFrameFrom(frame, framesPerSecond);
      return Math.max(0, gridFrame - soundGridFrame(startFrame, framesPerSecond));
    }
    const picture = Math.max(0, frame - startFrame);
    const round = this.#isFirst ? Math.floor : Math.ceil;
    return round(picture / this.#gopFrames) * this.#gopFrames;
  }

  /** What plays at a frame: what the timeline says, or what stands in for it. */
  #occurrenceAt(
    frame: number,
    entries: readonly TimelineEntry[],
    contentHashes: ReadonlyMap<string, string>,
  ): ItemOccurrence {
    const planned = occurrenceAt(entries, frame, this.#options.framesPerSecond);
    const { uploadIDs, untilFrame } = this.#unreadable;
    if (frame >= untilFrame) uploadIDs.clear();
    const isReadable = ({ uploadID }: TimelineItem) => contentHashes.has(uploadID) && !uploadIDs.has(uploadID);
    if (isReadable(planned.item)) return planned;
    const entry = entries.find(({ number }) => number === planned.entryNumber)!;
    const standIns = this.#lastGood ? [this.#lastGood, ...entry.snapshot.items] : entry.snapshot.items;
    const item = standIns.find(isReadable);
    if (!item && uploadIDs.size > 0) throw new NothingReadable();
    if (!item) throw new MediaError('damaged', 'Nothing of what the stream plays is prepared.');
    const plannedEnd = planned.startFrame + planned.frameCount;
    const end = uploadIDs.has(planned.item.uploadID) ? Math.min(plannedEnd, untilFrame) : plannedEnd;
    return { ...planned, item, isStandIn: true, startFrame: frame, frameCount: end - frame };
  }

  /**
   * Reads the sound that is sent in place of that of pictures.
   * @returns null where it cannot be read: the rest of the playing has the pictures' own
   */
  async #soundOf(position: Position, first: number, end: number): Promise<Span[] | null> {
    const { store, framesPerSecond } = this.#options;
    const { playing } = position;
    const from = firstSoundFrameFrom(first, framesPerSecond);
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
        const header = withGroups(await store.header(found.segment.key), found.segment);
        const range = { playing, header, first: next, end: segmentEnd, sound: null };
        spans.push(await Span.load(store, found.segment.key, range));
        next = segmentEnd;
      } catch (error) {
        this.#lose(position, found.segment, error);
        position.sounds = position.sounds.filter((source) => source !== found.source);
      }
    }
    return spans;
  }

  /** Goes on with the next best source where a segment cannot be read, and else with something else. */
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
    // Any other error, as when the store does not answer, says nothing about the segment.
    if (error instanceof SegmentDamaged || error instanceof ObjectNotFound) onLost(uploadID, made);
  }

  /** Lets something else play in place of what cannot be read, from here on up to one of its keyframes. */
  #replace({ playing, next }: Position): void {
    const { framesPerSecond, format } = this.#options;
    const { uploadID } = playing.occurrence.item;
    const picture = isSound(format) ? pictureOfSoundFrame(next, framesPerSecond) + 1 : next;
    const standInEnd = Math.ceil((picture + standInSeconds * framesPerSecond) / this.#gopFrames) * this.#gopFrames;
    const untilFrame = Math.min(
      playing.startFrame + standInEnd,
      playing.occurrence.startFrame + playing.occurrence.frameCount,
    );
    this.#unreadable.uploadIDs.add(uploadID);
    this.#unreadable.untilFrame = Math.max(this.#unreadable.untilFrame, untilFrame);
    this.skipTo(playing.startFrame + picture);
  }
}
