// The segments of contributors' sessions that take a stream over, and the frames at which it enters and leaves them.
//
// A session grows while it is sent, so each segment is only entered once the next one exists too: a session that stops
// is left at its end, and the timeline continues without a hole, also while the database is away. Decision D248.
import { setTimeout } from 'node:timers/promises';
import type { Log } from '../../log.ts';
import { liveSegmentKey } from '../../domain/media/object-keys.ts';
import { intervalAt, nextIntervalStart, sessionStartFrame } from '../../domain/live/takeover-intervals.ts';
import type { TakeoverInterval } from '../../domain/live/takeover-intervals.ts';
import { returnFrame, slateEnd } from '../../domain/live/takeover-plan.ts';
import { slateAt } from '../../domain/live/slate.ts';
import type { ShownSlate } from '../../domain/live/slate.ts';
import type { TimelineEntry } from '../../domain/playout/play-out.ts';
import { firstSoundFrameFrom, pictureOfSoundFrame } from '../../domain/playout/prepared-play-out.ts';
import type { SegmentSource } from './segment-sources.ts';
import type { SentSlate, SlateMedia } from './slate-playing.ts';
import type { SegmentStore } from './segment-store.ts';

/** The entries of the pictures of a stream, and its takeovers. */
export interface TakenOver {
  readonly takeovers?: readonly TakeoverInterval[];
  /** The entries of its pictures: a stream returns to their keyframes. */
  readonly pictureEntries?: readonly TimelineEntry[];
  /** The prepared slates of its takeovers, by upload. Others are not shown. */
  readonly slates?: ReadonlyMap<string, SlateMedia>;
}

export interface SessionSegmentsOptions {
  readonly store: Pick<SegmentStore, 'header'>;
  readonly framesPerSecond: number;
  readonly gopFrames: number;
  readonly log: Log;
}

/** A segment of a session that is sent. */
export interface SentSegment {
  readonly interval: TakeoverInterval;
  /** The frame of the run at which the session's first picture would be sent. */
  readonly startFrame: number;
  /** Pictures of the session before the interval, which are not sent. */
  readonly skippedFrames: number;
  /** The frame of the run that follows the pictures that are sent of this segment. */
  readonly endFrame: number;
  /** Whether the timeline continues at `endFrame`, not the next segment. */
  readonly isLast: boolean;
}

/** Time for the store to answer; segments are read two seconds ahead. */
const withinMs = 1000;
/** Decisions about earlier segments that are kept, for the reader of the other track. */
const keptDecisions = 30;

export class SessionSegments {
  readonly #options: SessionSegmentsOptions;
  /** By segment: the frame at which it is left; null: the next one follows; undefined: it is not there. */
  readonly #decisions = new Map<string, Promise<number | null | undefined>>();
  /** The intervals that were left before their end, each with the frame of it. */
  readonly #left = new Map<string, number>();
  /** The first frames of slates that were left. */
  readonly #leftSlates = new Set<number>();

  constructor(options: SessionSegmentsOptions) {
    this.#options = options;
  }

  /**
   * The first frame at or after `frame` at which the stream can change to a session; Infinity: none is known. Within an
   * interval these are the beginnings of segments.
   */
  entryFrom(taken: TakenOver, frame: number): number {
    const intervals = this.#shownOf(taken);
    const interval = intervalAt(intervals, frame);
    if (interval) {
      const { gopFrames } = this.#options;
      const startFrame = sessionStartFrame(interval, gopFrames);
      const entry = startFrame + Math.ceil((frame - startFrame) / gopFrames) * gopFrames;
      if (entry < (interval.toFrame ?? Infinity)) return entry;
    }
    return nextIntervalStart(intervals, frame);
  }

  /** The segment that is sent at a frame; null: the timeline plays. */
  async at(taken: TakenOver, frame: number): Promise<SentSegment | null> {
    const interval = intervalAt(this.#shownOf(taken), frame);
    if (!interval) return null;
    const { gopFrames } = this.#options;
    const startFrame = sessionStartFrame(interval, gopFrames);
    const segment = Math.floor((frame - startFrame) / gopFrames);
    const leaveFrame = await this.#decisionOn(taken, interval, segment);
    if (leaveFrame === undefined) {
      this.leave(interval, frame);
      return null;
    }
    if (leaveFrame !== null && frame >= leaveFrame) return null;
    const endFrame = leaveFrame ?? startFrame + (segment + 1) * gopFrames;
    const skippedFrames = interval.fromFrame - startFrame;
    return { interval, startFrame, skippedFrames, endFrame, isLast: leaveFrame !== null };
  }

  /** The source of the groups of a session: its pictures with their sound, or its sound alone. */
  sourceOf({ sessionID }: TakeoverInterval, part: 'pictures' | 'sound'): SegmentSource {
    const { framesPerSecond, gopFrames } = this.#options;
    const firstGroupOf = (segment: number) =>
      part === 'pictures' ? segment * gopFrames : firstSoundFrameFrom(segment * gopFrames, framesPerSecond);
    const segmentWith = (group: number) => {
      const picture = part === 'pictures' ? group : pictureOfSoundFrame(group, framesPerSecond);
      const segment = Math.floor(picture / gopFrames);
      const firstGroup = firstGroupOf(segment);
      const groupCount = firstGroupOf(segment + 1) - firstGroup;
      return { key: liveSegmentKey(sessionID, part, segment), firstGroup, groupCount, made: null };
    };
    return { segmentWith, firstFrom: (group) => group, keepsSound: true };
  }

  /** Leaves an interval at a frame for good: a segment of it is missing or cannot be read. */
  leave(interval: TakeoverInterval, frame: number): void {
    const name = nameOf(interval);
    if (this.#left.has(name)) return;
    this.#left.set(name, frame);
    this.#options.log('live_session_left', { sessionID: interval.sessionID, frame });
  }

  /** The slate that is shown at a frame; null: none is, or it was left. */
  slateAt(taken: TakenOver, frame: number): SentSlate | null {
    const shown = slateAt(this.#shownOf(taken), frame);
    const media = shown && taken.slates?.get(shown.uploadID);
    return shown && media && !this.#leftSlates.has(shown.fromFrame) ? { ...shown, media } : null;
  }

  /** Leaves a slate for good: a segment of it cannot be read. */
  leaveSlate({ fromFrame, uploadID }: ShownSlate): void {
    this.#leftSlates.add(fromFrame);
    this.#options.log('slate_left', { uploadID, fromFrame });
  }

  /** The intervals that the stream still shows, each up to the frame at which it was left, with slates that exist. */
  #shownOf(taken: TakenOver): readonly TakeoverInterval[] {
    return (taken.takeovers ?? []).map((known) => {
      const { slate, ...rest } = known;
      const interval: TakeoverInterval = slate && taken.slates?.has(slate.uploadID) ? known : rest;
      const left = this.#left.get(nameOf(interval));
      if (left === undefined) return interval;
      const toFrame = Math.min(left, interval.toFrame ?? Infinity);
      if (!interval.slate || interval.toFrame !== null) return { ...interval, toFrame };
      // The loss is not known to the database yet, which computes the same frame.
      return {
        ...interval,
        toFrame,
        slate: { ...interval.slate, toFrame: slateEnd(this.#runOf(taken), interval, toFrame) },
      };
    });
  }

  #runOf({ pictureEntries: timeline = [] }: TakenOver) {
    return { timeline, framesPerSecond: this.#options.framesPerSecond };
  }

  #decisionOn(taken: TakenOver, interval: TakeoverInterval, segment: number) {
    const { gopFrames } = this.#options;
    const segmentEnd = sessionStartFrame(interval, gopFrames) + (segment + 1) * gopFrames;
    const name = `${nameOf(interval)} ${segment}`;
    const known = this.#decisions.get(name);
    if (known) return known;
    const isLast = interval.toFrame !== null && interval.toFrame <= segmentEnd;
    const deciding = isLast
      ? this.#exists(interval, segment).then((is) => (is ? interval.toFrame : undefined))
      : this.#follow(taken, interval, segment);
    this.#decisions.set(name, deciding);
    const [oldest] = this.#decisions.keys();
    if (this.#decisions.size > keptDecisions) this.#decisions.delete(oldest!);
    return deciding;
  }

  /** The frame at which the session is left after a segment; null: the next one follows. */
  async #follow(taken: TakenOver, interval: TakeoverInterval, segment: number): Promise<number | null | undefined> {
    const [isThere, goesOn] = await Promise.all([this.#exists(interval, segment), this.#exists(interval, segment + 1)]);
    if (!isThere) return undefined;
    if (goesOn) return null;
    const frame = returnFrame(this.#runOf(taken), interval, segment + 1);
    this.leave(interval, frame);
    return frame;
  }

  async #exists({ sessionID }: TakeoverInterval, segment: number): Promise<boolean> {
    const reading = this.#options.store.header(liveSegmentKey(sessionID, 'pictures', segment)).then(
      () => true,
      () => false,
    );
    return Promise.race([reading, setTimeout(withinMs, false, { ref: false })]);
  }
}

function nameOf({ sessionID, fromFrame }: TakeoverInterval): string {
  return `${sessionID} ${fromFrame}`;
}
