// Reads one track of a stream from its renditions, span after span, even if some are missing or damaged.
//
// States:
// - searching (`#position` is null): at `#frame`. `next` looks up the item that plays there, and its sources: reading.
// - reading: `next` returns the spans of one item, of one segment of a contributor's session, or of one repetition of a
//   slate. Its end leads to searching at the next one; `skipTo` leads to searching at any frame, and a pending read is
//   dropped. A takeover that becomes known cuts an item off.
// - A segment that cannot be read is requested again (`onLost`), and the next best source is used. Without one, another
//   item stands in for 10 s: searching again (`stand-ins.ts`).
import type { Log } from '../../log.ts';
import {
  firstSoundFrameFrom,
  pictureOfSoundFrame,
  playingAt,
  soundFrameNearest,
  soundFramesOf,
  soundOriginOf,
} from '../../domain/playout/prepared-play-out.ts';
import { occurrenceAt } from '../../domain/playout/play-out.ts';
import type { Playing } from '../../domain/playout/prepared-play-out.ts';
import { isSound } from '../../domain/playout/rendition.ts';
import type { RenditionFormat } from '../../domain/playout/rendition.ts';
import { chunkOf } from '../../domain/playout/composition-parts.ts';
import { ObjectNotFound } from '../../ports/object-store/object-store.ts';
import { profileOf } from '../ffmpeg/profile.ts';
import { MixSources } from './mix-sources.ts';
import { endsOtherwise, frameOf, groupCountOf, soundEndOf } from './reading-position.ts';
import type { Position } from './reading-position.ts';
import type { SentSegment, SessionSegments, TakenOver } from './session-segments.ts';
import { assertGroups, SegmentDamaged } from './segment-format.ts';
import { itemSources, renditionsOf, segmentFor } from './segment-sources.ts';
import type {
  FoundSegment,
  MadeFrom,
  PreparedContent,
  SegmentSource,
  SentTrack,
  SourceSegment,
} from './segment-sources.ts';
import { slatePlayingAt } from './slate-playing.ts';
import type { SentSlate } from './slate-playing.ts';
import type { SegmentStore } from './segment-store.ts';
import { noSoundBeside, groupBeforeOf, replacedSoundOf } from './sound-beside.ts';
import type { SoundBeside } from './sound-beside.ts';
import { Span } from './span.ts';
import { StandIns } from './stand-ins.ts';

/** A track of a stream, with the contents of its items. */
export interface PreparedTimeline extends SentTrack, TakenOver {
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
  /** The timeline as it is known. Called for every span, to apply takeovers within an item. */
  readonly currentTimeline: () => Promise<PreparedTimeline>;
  /** The sessions that take the stream over, shared by its tracks. */
  readonly sessions: SessionSegments;
  /** Called when a segment is damaged or missing, and must be prepared again. */
  readonly onLost: (uploadID: string, lost: MadeFrom) => void;
  readonly log: Log;
}

/** A playing, and the renditions that it can be sent from, the best one first. */
interface FoundPlaying extends PreparedContent {
  readonly playing: Playing;
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
  /** The frame of the sound's grid that follows the last one that was read; null: none was, or a skip followed. */
  #soundReached: number | null = null;
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
    const { store, currentTimeline } = this.#options;
    for (;;) {
      this.#position ??= await this.#find();
      const timeline = await currentTimeline();
      this.#followChange(this.#position, timeline);
      const position = this.#position && (await this.#cutByTakeover(this.#position, timeline));
      if (position === null) continue;
      const { playing, next, sources, mixes } = position;
      const mixed = mixes?.at(timeline, next);
      const found = segmentFor([...(mixed?.sources ?? []), ...sources], next)!;
      const spanEnd = next + this.#spanGroups - (next % this.#spanGroups);
      const end = Math.min(position.end, mixed?.end ?? Infinity, found.end, spanEnd);
      try {
        const header = await store.header(found.segment.key);
        assertGroups(header, found.segment);
        const { sound, groupBefore } = await this.#soundBeside(position, found.source, end);
        const range = { playing, header, first: next, end, sound, groupBefore };
        const span = await Span.load(store, found.segment.key, range);
        // After a skip meanwhile, this span is no longer wanted.
        if (this.#position !== position) continue;
        position.next = end;
        this.#standIns.wasRead(playing.occurrence.item);
        this.#soundReached = soundEndOf(playing, end, this.#options);
        if (end === position.end) this.#searchAt(position.endFrame);
        return span;
      } catch (error) {
        if (this.#position === position) this.#fail(position, found, error);
      }
    }
  }

  /** Continues at `frame`. Pictures begin with the next keyframe, or with the next item if that comes first. */
  skipTo(frame: number): void {
    this.#searchAt(frame);
    this.#soundReached = null;
  }

  #searchAt(frame: number): void {
    this.#frame = frame;
    this.#position = null;
  }

  /** Finds the position to read at `#frame`. Playings without a group to send from there on are passed. */
  async #find(): Promise<Position> {
    const { sessions, loadTimeline } = this.#options;
    const timeline = await loadTimeline();
    for (let frame = this.#frame; ;) {
      const sent = await sessions.at(timeline, frame);
      const entryFrame = sessions.entryFrom(timeline, frame);
      const slate = sent ? null : this.#slateAt(timeline, frame);
      const changeFrame = sent?.endFrame ?? Math.min(entryFrame, slate?.toFrame ?? Infinity);
      const position = sent
        ? this.#positionInSession(timeline, sent, frame)
        : slate
          ? this.#positionInSlate(timeline, slate, frame, changeFrame)
          : this.#positionInTimeline(timeline, frame, entryFrame);
      this.#isFirst = false;
      if (position) return position;
      frame = changeFrame;
    }
  }

  /** The slate that is shown at a frame; null: none is. The sound track of a stream, if it has one, plays under it. */
  #slateAt(timeline: PreparedTimeline, frame: number): SentSlate | null {
    const { sessions, format } = this.#options;
    return isSound(format) ? null : sessions.slateAt(timeline, frame);
  }

  /** The position from a frame on in a slate before `changeFrame`; null: it has no group to send from there on. */
  #positionInSlate(timeline: PreparedTimeline, slate: SentSlate, frame: number, changeFrame: number): Position | null {
    const { format } = this.#options;
    if (isSound(format)) return null;
    for (let from = frame; from < changeFrame;) {
      const { playing, source } = slatePlayingAt(slate, timeline.entries, from, format);
      const { startFrame, frameCount: end } = playing;
      const next = this.#firstGroupFrom(frame, playing);
      const range = { next, end, endFrame: startFrame + end, firstAfterOther: this.#firstAfterOther(playing, next) };
      const media = { playing, sources: [source], sounds: [], mixes: null, entries: null, sent: null, slate };
      if (next < end) return startFrame + next < changeFrame ? { ...media, ...range } : null;
      from = startFrame + end;
    }
    return null;
  }

  /** The position from a frame on in the items before `entryFrame`; null: they have no group to send from there on. */
  #positionInTimeline(timeline: PreparedTimeline, wantedFrame: number, entryFrame: number): Position | null {
    for (let frame = wantedFrame; ;) {
      const found = this.#playingAt(timeline, frame);
      const { playing } = found;
      const next = this.#firstGroupFrom(wantedFrame, playing);
      if (next < groupCountOf(playing, this.#options)) {
        const position = this.#positionAt(timeline, found, next);
        return frameOf(position, this.#options) < entryFrame ? position : null;
      }
      frame = playing.startFrame + playing.frameCount;
    }
  }

  /** The position in a segment of a session; null: the segment has no group to send from a frame on. */
  #positionInSession(timeline: PreparedTimeline, sent: SentSegment, frame: number): Position | null {
    const { format, framesPerSecond, sessions } = this.#options;
    const { interval, startFrame, skippedFrames, endFrame, isLast } = sent;
    const { sessionID } = interval;
    const occurrence = { ...occurrenceAt(timeline.entries, frame, framesPerSecond), sessionID };
    const frameCount = isLast ? endFrame - startFrame : Infinity;
    const playing = { occurrence, startFrame, frameCount, skippedFrames };
    const pictureEnd = endFrame - startFrame;
    const soundEnd = Math.min(
      firstSoundFrameFrom(pictureEnd, framesPerSecond),
      soundFramesOf(playing, framesPerSecond),
    );
    const end = isSound(format) ? soundEnd : pictureEnd;
    const next = this.#firstGroupFrom(frame, playing);
    const firstAfterOther = this.#firstAfterOther(playing, next);
    const sources = [sessions.sourceOf(interval, isSound(format) ? 'sound' : 'pictures')];
    return next < end
      ? { playing, sources, sounds: [], mixes: null, next, end, firstAfterOther, endFrame, entries: null, sent }
      : null;
  }

  /** Reads on as the timeline says now, if the item of the position ends otherwise: pictures from a keyframe on. */
  #followChange(position: Position, timeline: PreparedTimeline): void {
    const { entries } = timeline;
    if (position.entries === null || position.entries === entries || position.next % this.#gopFrames > 0) return;
    position.entries = entries;
    if (!endsOtherwise(position, entries, this.#options)) return;
    const frame = frameOf(position, this.#options);
    const found = this.#playingAt(timeline, frame);
    const isSame = found.playing.startFrame === position.playing.startFrame;
    if (isSame && position.next < groupCountOf(found.playing, this.#options))
      this.#position = {
        ...this.#positionAt(timeline, found, position.next),
        firstAfterOther: position.firstAfterOther,
      };
    else this.#searchAt(frame);
  }

  /** Cuts the position off at a takeover within its next span, or at the end of its slate. @returns null: all of it */
  async #cutByTakeover(position: Position, timeline: PreparedTimeline): Promise<Position | null> {
    const { sessions, framesPerSecond } = this.#options;
    if (position.sent) return position;
    const frame = frameOf(position, this.#options);
    const slateEnd = position.slate ? (this.#slateAt(timeline, frame)?.toFrame ?? frame) : Infinity;
    if (slateEnd < position.endFrame) return this.#cutAt(position, slateEnd);
    const entryFrame = sessions.entryFrom(timeline, frame);
    if (entryFrame >= position.endFrame || entryFrame > frame + spanSeconds * framesPerSecond) return position;
    const sent = await sessions.at(timeline, entryFrame);
    if (!sent || this.#position !== position) return this.#position;
    // The sound before may end behind a session of a single picture.
    return this.#positionInSession(timeline, sent, entryFrame) ? this.#cutAt(position, entryFrame) : position;
  }

  /** Lets a position end at a frame. @returns null if nothing is left of it */
  #cutAt(position: Position, entryFrame: number): Position | null {
    const { format, framesPerSecond } = this.#options;
    const playing = { ...position.playing, frameCount: entryFrame - position.playing.startFrame };
    const end = Math.min(position.end, isSound(format) ? soundFramesOf(playing, framesPerSecond) : playing.frameCount);
    this.#position = { ...position, playing, end, endFrame: entryFrame };
    if (position.next < end) return this.#position;
    this.#searchAt(entryFrame);
    return null;
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

  /** The position in a playing from group `next` on, with all sources of its groups. */
  #positionAt(
    timeline: PreparedTimeline,
    { playing, contentHash, look, renditions }: FoundPlaying,
    next: number,
  ): Position {
    const { format, framesPerSecond } = this.#options;
    const { sources, sounds } = itemSources(timeline, { contentHash, look, renditions }, { playing, group: next });
    const firstAfterOther = this.#firstAfterOther(playing, next);
    const { entries } = timeline;
    const media = { playing, sources, sounds, next, firstAfterOther, entries, sent: null };
    if (isSound(format)) {
      const mixes = new MixSources(playing, framesPerSecond);
      const endFrame = playing.startFrame + playing.frameCount;
      return { ...media, mixes, end: groupCountOf(playing, this.#options), endFrame };
    }
    // Titles of the sound track are only known some minutes ahead, so a long item is read in chunks.
    const end = timeline.heard ? chunkOf(playing, next, framesPerSecond).end : groupCountOf(playing, this.#options);
    return { ...media, mixes: null, end, endFrame: playing.startFrame + end };
  }

  /** The next group, if pictures that begin with it need the frame of sound nearest to it: see `Position`. */
  #firstAfterOther(playing: Playing, next: number): number | null {
    if (this.#isFirst && next !== playing.skippedFrames) return null;
    const { format, framesPerSecond } = this.#options;
    if (isSound(format) || this.#soundReached === null) return next;
    const nearest = soundOriginOf(playing, framesPerSecond) + soundFrameNearest(playing, next, framesPerSecond);
    return this.#soundReached <= nearest ? next : null;
  }

  /** The first group of a playing to read when the reader continues at a frame. */
  #firstGroupFrom(frame: number, playing: Playing): number {
    const { startFrame, skippedFrames } = playing;
    const { format, framesPerSecond } = this.#options;
    if (isSound(format)) {
      const first = soundFrameNearest(playing, skippedFrames, framesPerSecond);
      // After other sound, the frame nearest to the picture follows. A connection begins on the grid of the stream, at
      // the place where the previous one stopped.
      const nearest = soundFrameNearest(playing, frame - startFrame, framesPerSecond);
      const gridFrame = this.#isFirst ? firstSoundFrameFrom(frame, framesPerSecond) : (this.#soundReached ?? 0);
      return Math.max(first, nearest, gridFrame - soundOriginOf(playing, framesPerSecond));
    }
    const picture = Math.max(skippedFrames, frame - startFrame);
    const round = this.#isFirst ? Math.floor : Math.ceil;
    return round(picture / this.#gopFrames) * this.#gopFrames;
  }

  /** The sound of the next pictures of a position, up to `end`, that is not in their own groups. */
  async #soundBeside(position: Position, source: SegmentSource, end: number): Promise<SoundBeside> {
    const { store, format, framesPerSecond } = this.#options;
    if (isSound(format)) return noSoundBeside;
    const { playing, next, sounds, sources } = position;
    const onUnreadable = (segment: SourceSegment, error: unknown) => this.#lose(position, segment, error);
    const followOther = position.firstAfterOther === next;
    const pictures = { store, framesPerSecond, playing, first: next, end, followOther, onUnreadable };
    const sound = source.keepsSound ? null : await replacedSoundOf(sounds, pictures);
    if (sound === null && !source.keepsSound) position.sounds = [];
    return { sound, groupBefore: sound ? null : await groupBeforeOf(sources, pictures) };
  }

  /** Handles an unreadable segment: chooses the next best source, or else another item. */
  #fail(position: Position, { source, segment }: FoundSegment, error: unknown): void {
    this.#lose(position, segment, error);
    if (position.mixes?.leaveOut(source, segment)) return;
    if (position.sent) return this.#leaveSession(position, position.sent);
    if (position.slate) return this.#leaveSlate(position, position.slate);
    const others = position.sources.filter((each) => each !== source);
    if (segmentFor(others, position.next)) position.sources = others;
    else this.#replace(position);
  }

  /** Continues with the timeline, because a segment of the session cannot be read. */
  #leaveSession(position: Position, { interval }: SentSegment): void {
    const frame = frameOf(position, this.#options);
    this.#options.sessions.leave(interval, frame);
    this.skipTo(frame);
  }

  /** Continues with the timeline, because a segment of the slate cannot be read. */
  #leaveSlate(position: Position, slate: SentSlate): void {
    this.#options.sessions.leaveSlate(slate);
    this.skipTo(frameOf(position, this.#options));
  }

  #lose({ playing }: Position, { key, made }: SourceSegment, error: unknown): void {
    const { onLost, log, store } = this.#options;
    const { uploadID } = playing.occurrence.item;
    log('segment_unreadable', { uploadID, ...made, error: String(error) });
    store.forget(key);
    // Any other error, as when the store does not answer, proves nothing about the segment.
    const isProof = error instanceof SegmentDamaged || error instanceof ObjectNotFound;
    if (made && isProof) onLost(uploadID, made);
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
