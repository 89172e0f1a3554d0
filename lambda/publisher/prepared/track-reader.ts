// Reads one track of a stream from its renditions, span after span, whatever is missing or damaged of them.
import { occurrenceAt } from '../../domain/play-out.ts';
import type { Occurrence, TimelineEntry, TimelineItem } from '../../domain/play-out.ts';
import {
  firstSoundFrameFrom,
  pictureOfSoundFrame,
  playingAt,
  soundFramesOf,
  soundGridFrame,
} from '../../domain/prepared-play-out.ts';
import type { Playing } from '../../domain/prepared-play-out.ts';
import { groupsPerSegment, renditionOf } from '../../domain/rendition.ts';
import type { Rendition, RenditionFormat } from '../../domain/rendition.ts';
import { ObjectNotFound } from '../../ports/object-store/object-store.ts';
import { profileOf } from '../ffmpeg/profile.ts';
import { MediaError } from '../media/media-error.ts';
import { SegmentDamaged, segmentKey } from './segment-format.ts';
import type { SegmentStore } from './segment-store.ts';
import { Span } from './span.ts';

/** A track of a run, with what its items were prepared from. */
export interface PreparedTimeline {
  readonly entries: readonly TimelineEntry[];
  /** By upload; one that was never prepared has none. */
  readonly contentHashes: ReadonlyMap<string, string>;
}

export interface TrackReaderOptions {
  readonly store: SegmentStore;
  readonly format: RenditionFormat;
  readonly framesPerSecond: number;
  /** Asked anew at every item, so that what was published meanwhile is known. */
  readonly loadTimeline: () => Promise<PreparedTimeline>;
  /** A segment is damaged or gone: it has to be made anew. */
  readonly onLost: (uploadID: string, format: RenditionFormat, segment: number) => void;
  readonly log: (event: string, fields: Record<string, unknown>) => void;
}

/** Ours: what was prepared is lost or damaged, and nothing else is there to play until it is made anew. */
export class NothingReadable extends Error {
  override readonly name = 'NothingReadable';
  readonly code = 'prepared_anew';
  readonly detail = 'What was prepared of this stream cannot be read. It is being prepared anew.';
}

interface Position {
  readonly playing: Playing;
  readonly rendition: Rendition;
  /** The groups of the playing that are still to be read: pictures, or frames of sound. */
  next: number;
  readonly end: number;
}

/** How much is read at once. */
const spanSeconds = 1;
/** So long something else plays in place of what cannot be read; then it is tried again. */
const standInSeconds = 10;

export class TrackReader {
  readonly #options: TrackReaderOptions;
  /** In frames: 2 s, the distance of keyframes. */
  readonly #gopFrames: number;
  readonly #spanGroups: number;
  #frame: number;
  /** Only before anything was read may pictures begin earlier than asked for. */
  #isFirst = true;
  #position: Position | null = null;
  /** What was read last without fault stands in for what cannot be read. */
  #lastGood: TimelineItem | null = null;
  #unreadable = { uploadIDs: new Set<string>(), untilFrame: 0 };

  /** @param startFrame first frame to read, counted from the anchor; pictures begin at the keyframe at or before it */
  constructor(options: TrackReaderOptions, startFrame: number) {
    this.#options = options;
    const { format, framesPerSecond } = options;
    this.#frame = startFrame;
    this.#gopFrames = format === 'sound' ? 1 : profileOf(format).gopFrames;
    this.#spanGroups =
      format === 'sound'
        ? firstSoundFrameFrom(spanSeconds * framesPerSecond, framesPerSecond)
        : spanSeconds * framesPerSecond;
  }

  /** The next span. One call at a time. @throws {MediaError} when nothing of the timeline is prepared; {NothingReadable} */
  async next(): Promise<Span> {
    for (;;) {
      const position = (this.#position ??= await this.#find());
      const { playing, rendition, next } = position;
      const perSegment = groupsPerSegment(rendition.format);
      const segment = Math.floor(next / perSegment);
      const end = Math.min(
        position.end,
        (segment + 1) * perSegment,
        next + this.#spanGroups - (next % this.#spanGroups),
      );
      try {
        const key = segmentKey(rendition, segment);
        const span = await Span.load(
          this.#options.store,
          key,
          playing,
          await this.#options.store.header(key),
          next,
          end,
        );
        // Skipped meanwhile: what was read is not wanted any more.
        if (this.#position !== position) continue;
        position.next = end;
        this.#lastGood = playing.occurrence.item;
        if (end === position.end) this.skipTo(playing.startFrame + playing.frameCount);
        return span;
      } catch (error) {
        if (this.#position === position) this.#replace(position, segment, error);
      }
    }
  }

  /** Goes on with the first keyframe at or after `frame`, or with the next item where that comes first. For pictures. */
  skipTo(frame: number): void {
    this.#frame = frame;
    this.#position = null;
  }

  /** What plays at `#frame`, and from where on. */
  async #find(): Promise<Position> {
    const { loadTimeline, framesPerSecond, format } = this.#options;
    const { entries, contentHashes } = await loadTimeline();
    const wantedFrame = this.#frame;
    for (;;) {
      const occurrence = this.#occurrenceAt(this.#frame, entries, contentHashes);
      const rendition = renditionOf(contentHashes.get(occurrence.item.uploadID)!, occurrence.item, format);
      const length =
        format === 'sound' ? pictureOfSoundFrame(rendition.groupCount, framesPerSecond) : rendition.groupCount;
      const playing = playingAt(occurrence, this.#frame, length);
      const next = this.#firstGroupFrom(wantedFrame, playing);
      const end = format === 'sound' ? soundFramesOf(playing, framesPerSecond) : playing.frameCount;
      if (next < end) {
        this.#isFirst = false;
        return { playing, rendition, next, end };
      }
      this.#frame = playing.startFrame + playing.frameCount;
    }
  }

  #firstGroupFrom(frame: number, { startFrame }: Playing): number {
    const { format, framesPerSecond } = this.#options;
    if (format === 'sound') {
      // A playing that follows another begins with its first. Else by the grid of the stream: there the sender of the connection before stopped.
      const isJoin = frame === startFrame && !this.#isFirst;
      return isJoin
        ? 0
        : Math.max(0, firstSoundFrameFrom(frame, framesPerSecond) - soundGridFrame(startFrame, framesPerSecond));
    }
    const picture = Math.max(0, frame - startFrame);
    return (this.#isFirst ? Math.floor : Math.ceil)(picture / this.#gopFrames) * this.#gopFrames;
  }

  /** What the timeline says, or what stands in for it. */
  #occurrenceAt(
    frame: number,
    entries: readonly TimelineEntry[],
    contentHashes: ReadonlyMap<string, string>,
  ): Occurrence {
    const planned = occurrenceAt(entries, frame, this.#options.framesPerSecond);
    const { uploadIDs, untilFrame } = this.#unreadable;
    if (frame >= untilFrame) uploadIDs.clear();
    const isReadable = ({ uploadID }: TimelineItem) => contentHashes.has(uploadID) && !uploadIDs.has(uploadID);
    if (isReadable(planned.item)) return planned;
    const entry = entries.find(({ number }) => number === planned.entryNumber)!;
    const item = [...(this.#lastGood ? [this.#lastGood] : []), ...entry.snapshot.items].find(isReadable);
    if (!item && uploadIDs.size > 0) throw new NothingReadable();
    if (!item) throw new MediaError('damaged', 'Nothing of what the stream plays is prepared.');
    const plannedEnd = planned.startFrame + planned.frameCount;
    const end = uploadIDs.has(planned.item.uploadID) ? Math.min(plannedEnd, untilFrame) : plannedEnd;
    return { ...planned, item, startFrame: frame, frameCount: end - frame };
  }

  /** Lets something else play from here on, up to a keyframe of what could not be read. */
  #replace({ playing, rendition, next }: Position, segment: number, error: unknown): void {
    const { onLost, log, framesPerSecond, format, store } = this.#options;
    const { uploadID } = playing.occurrence.item;
    log('segment_unreadable', { uploadID, segment, error: String(error) });
    store.forget(segmentKey(rendition, segment));
    // That the store does not answer says nothing about what is in it.
    if (error instanceof SegmentDamaged || error instanceof ObjectNotFound) onLost(uploadID, format, segment);
    const picture = format === 'sound' ? pictureOfSoundFrame(next, framesPerSecond) + 1 : next;
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
