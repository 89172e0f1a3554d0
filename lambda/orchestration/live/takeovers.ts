// Takeovers of streams: a contributor's session begins to be shown, is lost, returns within its grace, and ends.
//
// States of a takeover:
// - waiting: it has no interval yet. Its planned beginning, or a stable session after it, gives it one. Decision D251.
// - shown: its last interval has no end. A loss, a hand-back or its planned end gives it one.
// - lost: the session is over, silent or black, and the timeline or a slate plays. The next session of the input, or
// its return, continues it within the grace.
// - ended: for good.
// Each function that changes one holds the lock of the stream.
import type { Database } from '../../data/database.ts';
import type { LiveInput } from '../../data/live/live-inputs.ts';
import type { Takeover, TakeoverEnd } from '../../data/live/takeovers.ts';
import type { Locked } from '../../data/shared/locked.ts';
import type { Stream } from '../../data/streams/streams.ts';
import type { StoredSegments } from '../../domain/live/segment-chain.ts';
import type { SessionEnd } from '../../domain/live/session-end.ts';
import { presentLoss } from '../../domain/live/signal-loss.ts';
import type { SignalLossReason } from '../../domain/live/signal-loss.ts';
import { stableSecondsAfter, lossesWithinSeconds } from '../../domain/live/flapping.ts';
import { secondsUntilReady } from '../../domain/live/live-input-state.ts';
import { blockWindowsOf, lookAgainMs, takeWindowOf } from '../../domain/live/block-windows.ts';
import type { Stretch } from '../../domain/live/take-windows.ts';
import {
  fixedAheadSeconds,
  handBackFrame,
  isStoredLate,
  returnFrame,
  slateEnd,
  takeoverStart,
} from '../../domain/live/takeover-plan.ts';
import type { PlannedRun, ReadySession } from '../../domain/live/takeover-plan.ts';
import { slateFault } from '../../domain/live/slate.ts';
import type { SlateFault } from '../../domain/live/slate.ts';
import type { TakeoverInterval } from '../../domain/live/takeover-intervals.ts';
import { gopSeconds } from '../../domain/playout/rendition.ts';
import { framesPerSecond } from '../../domain/shared/video-format.ts';
import { runClock } from '../../domain/streams/run-clock.ts';
import { beginNextItem } from '../playout/skip-item.ts';
import { notifyOfBegin, notifyOfEnd, notifyOfInput } from './notify-takeovers.ts';

/** A refusal of a takeover, for the user. */
export type TakeoverRefusal =
  | 'stream_not_on_air'
  | 'backend_not_prepared'
  | 'nothing_received'
  | 'not_stable_yet'
  | 'slate_not_prepared'
  | 'taken_over_already';

export interface TakeoverRefused {
  readonly refusal: TakeoverRefusal;
  /** The state of a session that is received, but counts as lost. */
  readonly lostBy?: SignalLossReason;
  /** Seconds until the session is stable, if that is the reason. */
  readonly readyInSeconds?: number;
}

export interface BegunTakeover {
  readonly takeoverID: string;
  /** The time at which destinations show it; null: it waits for its beginning. */
  readonly shownAt: Date | null;
}

export interface WantedTakeover {
  /** Its id, unless an open takeover of the input continues. */
  readonly id: string;
  /** The earliest time. It may wait for a stable session; null: now, and it does not wait. */
  readonly startAt: Date | null;
  readonly endAt: Date | null;
  readonly now: Date;
}

/** Lets a session of an input take its stream over, at once or at a time. */
export async function beginTakeover(
  data: Database,
  stream: Locked<Stream>,
  input: LiveInput,
  { id, startAt, endAt, now }: WantedTakeover,
): Promise<BegunTakeover | TakeoverRefused> {
  const refusal = refusalOfStream(stream);
  if (refusal) return { refusal };
  const open = await data.takeovers.openOf(stream.id);
  if (open && isHeld(open, input)) return { refusal: 'taken_over_already' };
  const found = await readySession(data, input, now);
  const waiting = open && isWaiting(open) && open.live_input_id === input.id ? open : null;
  if (waiting) await data.takeovers.planStart(waiting.id, startAt);
  if (startAt !== null && ('refusal' in found || isEarly(startAt, now))) {
    const planned = { id, streamID: stream.id, liveInputID: input.id, startAt, endAt, lookAgainAt: null };
    if (!waiting) await data.takeovers.begin(planned);
    return { takeoverID: waiting?.id ?? id, shownAt: null };
  }
  return 'refusal' in found ? found : showSession(data, stream, input, { ...found, open, id, startAt, endAt, now });
}

/** The reason why no contributor can take a stream over; null: there is none. */
export function refusalOfStream({
  stream_backend: backend,
  state,
  anchored_at: anchoredAt,
}: Pick<Stream, 'stream_backend' | 'state' | 'anchored_at'>): TakeoverRefusal | null {
  if (backend !== 'manifest') return 'backend_not_prepared';
  const isOnAir = (state === 'active' || state === 'failing') && anchoredAt !== null;
  return isOnAir ? null : 'stream_not_on_air';
}

/** A session that is to be shown in place of a timeline. Id and end are for a takeover of its own. */
interface Showing extends WantedTakeover {
  readonly session: ReadySession;
  /** The takeover that is open, which shows no session; null: none is. */
  readonly open: Takeover | null;
  /** When the end of its window is looked for again; null, or absent: a takeover of its own follows no window. */
  readonly lookAgainAt?: Date | null;
}

/** Shows a session in a takeover of its own, or in the open one of its input. */
export async function showSession(
  data: Database,
  stream: Locked<Stream>,
  input: LiveInput,
  { session, open, id, startAt, endAt, lookAgainAt = null, now }: Showing,
): Promise<BegunTakeover> {
  const takeoverID = open?.live_input_id === input.id ? open.id : id;
  const own = { id, streamID: stream.id, liveInputID: input.id, startAt, endAt, lookAgainAt };
  if (takeoverID !== open?.id) await data.takeovers.begin(own);
  const run = await plannedRun(data, stream, now);
  // A session that returns before the loop does continues there, as it was to be left there.
  const leftAt = timeOf(run, open?.intervals.at(-1)?.toFrame ?? 0);
  const notBefore = startAt !== null && startAt > leftAt ? startAt : leftAt;
  const interval = {
    ...takeoverStart(run, session, { now, startAt: notBefore, delaySeconds: input.delay_seconds }),
    ...slateOf(input),
  };
  await data.takeovers.add(takeoverID, interval);
  const shownAt = timeOf(run, interval.fromFrame);
  await notifyOfBegin(data, stream, { takeoverID, liveInputID: input.id, interval, shownAt });
  return { takeoverID, shownAt };
}

/**
 * Ends the takeover of a stream by request, and plans the return to its timeline.
 * @returns the time of the return; null: the stream is not taken over
 */
export async function handBack(data: Database, stream: Locked<Stream>, now: Date): Promise<Date | null> {
  const open = await data.takeovers.openOf(stream.id);
  if (!open) return null;
  return endTakeover(data, stream, open, { reason: 'handed_back', now });
}

/**
 * Lets the session of an input take the stream over once it is stable, if the input takes over by itself, or a takeover
 * waits for it.
 * @returns whether it is stable; if not, the next segment may make it so
 */
export async function applyStableSession(
  data: Database,
  stream: Locked<Stream>,
  input: LiveInput,
  { id, now }: { readonly id: string; readonly now: Date },
): Promise<boolean> {
  const found = await readySession(data, input, now);
  if ('refusal' in found) return false;
  await notifyOfInput(data, input, { sessionID: found.session.id, endReason: null });
  const open = await data.takeovers.openOf(stream.id);
  if (refusalOfStream(stream) !== null || (open && isHeld(open, input))) return true;
  const startAt = open?.live_input_id === input.id ? open.start_at : null;
  if (startAt !== null && isEarly(startAt, now)) return true;
  const window = takeWindowOf(input, await blockWindowsNow(data, stream, input, now), now);
  const isAwaited = input.takes === 'always' || window !== null || open?.live_input_id === input.id;
  if (!isAwaited) return true;
  const endAt = window?.until ?? null;
  const lookAgainAt = window && lookAgainAfter(now);
  await showSession(data, stream, input, { ...found, open, id, startAt, endAt, lookAgainAt, now });
  return true;
}

/** The times around now in which blocks of the programmes of its stream name an input. */
export async function blockWindowsNow(
  data: Database,
  stream: Stream,
  input: LiveInput,
  now: Date,
): Promise<readonly Stretch[]> {
  const programmes = stream.planned_tracks === null ? [] : await data.programmes.ofStreams([stream.id]);
  const rules = programmes.map(({ live }) => live);
  return blockWindowsOf(input, rules, now);
}

/** When a takeover by a window looks for its end the next time. */
export function lookAgainAfter(now: Date): Date {
  return new Date(now.getTime() + lookAgainMs);
}

/**
 * Ends a session. If the stream shows it, it returns to its timeline within the segments that are stored.
 * @param stored null: the segments that were reported
 */
export async function endSession(
  data: Database,
  sessionID: string,
  { reason, stored, now }: { reason: SessionEnd; stored: StoredSegments | null; now: Date },
): Promise<void> {
  const session = await data.liveSessions.end(sessionID, reason, stored);
  if (!session) return;
  const { live_input_id: id, stable_seconds: stableSeconds, segment_count: segmentCount } = session;
  if (segmentCount * gopSeconds >= stableSeconds)
    await notifyOfInput(data, { ...session, id }, { sessionID, endReason: reason });
  const streamID = await data.takeovers.streamOf(session.live_input_id);
  const stream = streamID && (await data.streams.lockAny(streamID));
  if (!stream || stream.anchored_at === null) return;
  const open = await data.takeovers.openOf(stream.id);
  const interval = open?.intervals.at(-1);
  if (!open || interval?.sessionID !== sessionID) return;
  await loseSession(data, stream, open, { interval, segmentCount: session.segment_count, now });
}

/**
 * Ends the interval of a session whose last segment was stored too late, as agents have returned to the timeline.
 * @param late.segmentCount segments that are stored
 * @returns whether it was too late: the session may take over again once it is in time
 */
export async function leaveLateSession(
  data: Database,
  stream: Locked<Stream>,
  late: { readonly sessionID: string; readonly segmentCount: number; readonly now: Date },
): Promise<boolean> {
  const { sessionID, segmentCount, now } = late;
  const open = await data.takeovers.openOf(stream.id);
  const interval = open?.intervals.at(-1);
  if (!open || interval?.sessionID !== sessionID || interval.toFrame !== null) return false;
  // Nearly all segments are in time, so the timeline is not read for them.
  if (!isStoredLate(clockOf(stream), interval, segmentCount - 1, now)) return false;
  await loseSession(data, stream, open, { interval, segmentCount: segmentCount - 1, now });
  return true;
}

/** Returns a stream to its timeline within the segments of a session, and lets its takeover wait for the next one. */
async function loseSession(
  data: Database,
  stream: Locked<Stream>,
  { id }: Takeover,
  shown: { readonly interval: TakeoverInterval; readonly segmentCount: number; readonly now: Date },
): Promise<void> {
  const { interval, segmentCount, now } = shown;
  const run = await plannedRun(data, stream, now);
  await loseInterval(data, run, id, { interval, leaveFrame: returnFrame(run, interval, segmentCount) });
}

/** Leaves an interval at a frame, for its slate or the timeline, and lets its takeover wait for the next session. */
export async function loseInterval(
  data: Database,
  run: PlannedRun,
  takeoverID: string,
  { interval, leaveFrame }: { readonly interval: TakeoverInterval; readonly leaveFrame: number },
): Promise<void> {
  const { fromFrame } = interval;
  await data.takeovers.endInterval(takeoverID, fromFrame, leaveFrame, slateEnd(run, interval, leaveFrame));
  await data.takeovers.lose(takeoverID);
}

/** The slate of an interval that begins; no field: its input has none. */
function slateOf({ slate_upload_id: uploadID, grace_seconds: seconds }: LiveInput): Pick<TakeoverInterval, 'slate'> {
  return uploadID === null ? {} : { slate: { uploadID, seconds, toFrame: null } };
}

/** Ends a takeover whose grace or planned time is over, unless another transaction has locked its stream. */
export async function endDueTakeover(
  data: Database,
  due: { readonly id: string; readonly stream_id: string },
  now: Date,
): Promise<void> {
  const [stream] = await data.streams.lockFree([due.stream_id]);
  if (!stream) return;
  const open = stream.deleted_at === null ? await data.takeovers.openOf(stream.id) : null;
  // One that stayed, as that of a deleted stream, would be due for ever, and take the place of others.
  if (open?.id !== due.id) {
    await data.takeovers.end(due.id, 'stream_stopped');
    return;
  }
  const isLost = open.lost_at !== null || open.live_input_id === null;
  const { end_at: endAt } = open;
  if (endAt === null || isLost) await endTakeover(data, stream, open, { reason: 'contribution_ended', now });
  else await endTakeover(data, stream, open, { reason: 'time_over', now, notBefore: endAt });
}

/** Seconds for which a session of an input has to be stable, longer after several losses. */
export async function stableSecondsOf(data: Database, input: LiveInput): Promise<number> {
  return stableSecondsAfter(input.stable_seconds, await data.liveSessions.lossesSince(input.id, lossesWithinSeconds));
}

async function endTakeover(
  data: Database,
  stream: Locked<Stream>,
  open: Takeover,
  { reason, now, notBefore = now }: { readonly reason: TakeoverEnd; readonly now: Date; readonly notBefore?: Date },
): Promise<Date> {
  await data.takeovers.end(open.id, reason);
  const interval = open.intervals.at(-1);
  if (!interval || stream.anchored_at === null) return now;
  const run = await plannedRun(data, stream, now);
  const returnTo = handBackFrame(run, interval, { now, notBefore });
  const toFrame = Math.min(interval.toFrame ?? Infinity, returnTo);
  const slateTo = interval.slate?.toFrame ?? null;
  await data.takeovers.endInterval(open.id, interval.fromFrame, toFrame, slateTo === null ? null : returnTo);
  const isShown = interval.toFrame === null && toFrame > interval.fromFrame;
  if (isShown && (await wantsNextItem(data, stream, open))) await beginNextItem(data, stream, toFrame, now);
  const returnsAt = timeOf(run, Math.max(toFrame, Math.min(slateTo ?? 0, returnTo)));
  await notifyOfEnd(data, stream, open, { reason, returnsAt });
  return returnsAt;
}

/** Whether a stream continues with its next item after a takeover. */
async function wantsNextItem(data: Database, stream: Stream, { live_input_id: inputID }: Takeover): Promise<boolean> {
  const input = inputID === null ? null : await data.liveInputs.find(stream.user_id, inputID);
  return input?.after_takeover === 'next_item';
}

/** The session of an input that can be sent, or the reason why there is none. */
export async function readySession(
  data: Database,
  input: LiveInput,
  now: Date,
): Promise<{ readonly session: ReadySession } | TakeoverRefused> {
  const session = await data.liveSessions.runningOf(input.id);
  if (!session?.first_picture_at) return { refusal: 'nothing_received' };
  const { losses, first_picture_at: firstPictureAt } = session;
  if (slateFaultOf(input) !== null) return { refusal: 'slate_not_prepared' };
  const loss = presentLoss(losses);
  if (loss) return { refusal: 'nothing_received', lostBy: loss.reason };
  const stableSeconds = await stableSecondsOf(data, input);
  const received = { firstPictureAt, segmentCount: session.segment_count };
  const readyInSeconds = secondsUntilReady(received, { stableSeconds, now });
  if (readyInSeconds > 0) return { refusal: 'not_stable_yet', readyInSeconds };
  const returnedAt = losses.at(-1)?.returnedAt;
  const shownFrom = returnedAt ? new Date(returnedAt) : firstPictureAt;
  return { session: { id: session.id, firstPictureAt, shownFrom } };
}

/** Why an input cannot take over yet, as its slate cannot be shown; null: it can be, or there is none. */
export function slateFaultOf({ slate_upload_id: uploadID, slate_state: state, format }: LiveInput): SlateFault | null {
  return uploadID === null || format === null ? null : slateFault(state, format);
}

/** The run of a stream that is on the air, with its timeline from now on. */
export async function plannedRun(data: Database, stream: Locked<Stream>, now: Date): Promise<PlannedRun> {
  const fromSeconds = (now.getTime() - stream.anchored_at!.getTime()) / 1000;
  const { video } = await data.timelines.ofStream(stream.id, { fromSeconds: fromSeconds - 60, toSeconds: Infinity });
  return { ...clockOf(stream), timeline: video };
}

/** The clock of the run of a stream that is on the air. */
function clockOf(stream: Stream): Pick<PlannedRun, 'anchoredAt' | 'framesPerSecond'> {
  return { anchoredAt: stream.anchored_at!, framesPerSecond: framesPerSecond[stream.run_framerate!] };
}

export function timeOf({ anchoredAt, framesPerSecond: rate }: PlannedRun, frame: number): Date {
  return runClock(anchoredAt, rate).timeOf(frame);
}

/** Whether an open takeover keeps an input from the stream: it shows a session, or waits for another input. */
function isHeld(open: Takeover, input: LiveInput): boolean {
  const isShown = open.intervals.at(-1)?.toFrame === null;
  return isShown || (isWaiting(open) && open.live_input_id !== input.id && open.live_input_id !== null);
}

/** Whether a takeover has shown nothing yet. */
export function isWaiting({ intervals }: Pick<Takeover, 'intervals'>): boolean {
  return intervals.length === 0;
}

/** Whether it is too early to fix a planned beginning, as its session may be lost before. */
function isEarly(startAt: Date, now: Date): boolean {
  return startAt.getTime() - now.getTime() > fixedAheadSeconds * 1000;
}
