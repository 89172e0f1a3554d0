// Plans takeovers: the frames at which a stream changes to a session and back, without a hole.
// The pictures of a timeline begin and end at its keyframes; those of a session can end after each picture.
import { effectiveAheadSeconds, fromOrigin, occurrenceAt } from '../playout/play-out.ts';
import type { TimelineEntry } from '../playout/play-out.ts';
import { gopSeconds } from '../playout/rendition.ts';
import { elapsedSecondsOf } from '../streams/run-clock.ts';
import { sessionStartFrame } from './takeover-intervals.ts';
import type { TakeoverInterval } from './takeover-intervals.ts';

/**
 * Time from the decision on a takeover to its first picture: agents read decisions every second, and the media 5 s
 * before they send it. An agent that reads one later enters the session at its next segment.
 */
export const takeoverAheadSeconds = 7;

/** A run that can be taken over. */
export interface PlannedRun {
  /** The due time of frame 0. */
  readonly anchoredAt: Date;
  readonly framesPerSecond: number;
  /** The entries of its pictures. */
  readonly timeline: readonly TimelineEntry[];
}

/** A session that can be sent. */
export interface ReadySession {
  readonly id: string;
  /** The arrival of its first picture. */
  readonly firstPictureAt: Date;
  /** That of the first group that may be shown after a loss; absent: its first picture may be. */
  readonly shownFrom?: Date;
}

/** A planned beginning or end is fixed this long before, when all agents can still follow. */
export const fixedAheadSeconds = effectiveAheadSeconds + 2;

/** The times that decide when a session takes a run over. */
export interface TakeoverTimes {
  readonly now: Date;
  /** The least time from the arrival of a picture to its sending. */
  readonly delaySeconds: number;
  /** The earliest time; absent or null: any. */
  readonly startAt?: Date | null;
}

/**
 * The interval of a session that takes a run over as soon as all agents can know of it, and its first picture is old
 * enough.
 */
export function takeoverStart(
  run: PlannedRun,
  session: ReadySession,
  { now, delaySeconds, startAt = null }: TakeoverTimes,
): TakeoverInterval {
  const { anchoredAt, framesPerSecond } = run;
  const oldEnoughMs = (session.shownFrom ?? session.firstPictureAt).getTime() + delaySeconds * 1000;
  const notBeforeMs = Math.max(oldEnoughMs, startAt?.getTime() ?? 0);
  const fromFrame = earliestChange(run, now, takeoverAheadSeconds, (notBeforeMs - anchoredAt.getTime()) / 1000);
  const sentAtSeconds = anchoredAt.getTime() / 1000 + fromFrame / framesPerSecond;
  const sessionSeconds = sentAtSeconds - delaySeconds - session.firstPictureAt.getTime() / 1000;
  const firstSegment = Math.max(0, Math.floor(sessionSeconds / gopSeconds));
  return { sessionID: session.id, fromFrame, toFrame: null, firstSegment };
}

/**
 * The frame at which a run returns to its timeline by request: at `notBefore`, or as soon after it as all agents can
 * know of it.
 */
export function handBackFrame(
  run: PlannedRun,
  interval: Pick<TakeoverInterval, 'fromFrame'>,
  { now, notBefore }: { readonly now: Date; readonly notBefore: Date },
): number {
  const { timeline, framesPerSecond, anchoredAt } = run;
  const wanted = Math.ceil(elapsedSecondsOf(anchoredAt, notBefore) * framesPerSecond);
  return Math.max(
    interval.fromFrame,
    earliestChange(run, now, effectiveAheadSeconds),
    keyframeFrom(timeline, wanted, framesPerSecond),
  );
}

/** Agents read a segment and the next one some seconds before the first is sent: they have left one that is later. */
const storedAheadSeconds = 3;

/** Whether a segment of a session is stored too late to be sent. */
export function isStoredLate(
  { anchoredAt, framesPerSecond }: Pick<PlannedRun, 'anchoredAt' | 'framesPerSecond'>,
  interval: Pick<TakeoverInterval, 'fromFrame' | 'firstSegment'>,
  segment: number,
  now: Date,
): boolean {
  const gopFrames = gopSeconds * framesPerSecond;
  const sentFrame = sessionStartFrame(interval, gopFrames) + segment * gopFrames;
  if (sentFrame <= interval.fromFrame) return false;
  return sentFrame / framesPerSecond - elapsedSecondsOf(anchoredAt, now) < storedAheadSeconds;
}

/**
 * The frame at which a run leaves a session after a loss: the last keyframe of the timeline within the whole segments.
 * A slate begins with a keyframe anywhere, so it follows the last picture.
 * @param segmentCount whole segments of the session
 */
export function returnFrame(
  { timeline, framesPerSecond }: Pick<PlannedRun, 'timeline' | 'framesPerSecond'>,
  interval: Pick<TakeoverInterval, 'fromFrame' | 'firstSegment' | 'slate'>,
  segmentCount: number,
): number {
  const gopFrames = gopSeconds * framesPerSecond;
  const end = sessionStartFrame(interval, gopFrames) + segmentCount * gopFrames;
  if (end <= interval.fromFrame) return interval.fromFrame;
  return interval.slate ? end : keyframeUntil(timeline, end, framesPerSecond);
}

/**
 * The frame at which the timeline follows a slate, if no session does before; null: no slate is shown.
 * @param leaveFrame at which the session was left after a loss
 */
export function slateEnd(
  { timeline, framesPerSecond }: Pick<PlannedRun, 'timeline' | 'framesPerSecond'>,
  { fromFrame, slate }: Pick<TakeoverInterval, 'fromFrame' | 'slate'>,
  leaveFrame: number,
): number | null {
  if (!slate || leaveFrame <= fromFrame) return null;
  return keyframeFrom(timeline, leaveFrame + slate.seconds * framesPerSecond, framesPerSecond);
}

/**
 * The first keyframe of the timeline at which a change can take effect that is decided now.
 * @param aheadSeconds until all agents know of it
 * @param notBeforeSeconds of the run
 */
function earliestChange(
  { anchoredAt, framesPerSecond, timeline }: PlannedRun,
  now: Date,
  aheadSeconds: number,
  notBeforeSeconds = 0,
): number {
  const knownSeconds = Math.max(0, elapsedSecondsOf(anchoredAt, now)) + aheadSeconds;
  const seconds = Math.max(knownSeconds, notBeforeSeconds);
  return keyframeFrom(timeline, Math.ceil(seconds * framesPerSecond), framesPerSecond);
}

/** The first keyframe of a timeline at or after a frame. */
export function keyframeFrom(timeline: readonly TimelineEntry[], frame: number, framesPerSecond: number): number {
  const gopFrames = gopSeconds * framesPerSecond;
  const occurrence = occurrenceAt(timeline, frame, framesPerSecond);
  const { startFrame: origin } = fromOrigin(occurrence);
  const next = origin + Math.ceil((frame - origin) / gopFrames) * gopFrames;
  return Math.min(next, occurrence.startFrame + occurrence.frameCount);
}

/** The last keyframe of a timeline at or before a frame. */
export function keyframeUntil(timeline: readonly TimelineEntry[], frame: number, framesPerSecond: number): number {
  const gopFrames = gopSeconds * framesPerSecond;
  const { startFrame: origin } = fromOrigin(occurrenceAt(timeline, frame, framesPerSecond));
  return origin + Math.floor((frame - origin) / gopFrames) * gopFrames;
}
