// Sets the schedule of a stream: the times that it shows, and the due times that start and end it.
import type { Database } from '../../data/database.ts';
import type { DueTime } from '../../data/streams/due-times.ts';
import type { Stream, StreamRecurrence } from '../../data/streams/streams.ts';
import type { NextTurn } from '../../domain/programme/block-times.ts';
import { faultOfRecurrence, nextScheduledTime, startsOf } from '../../domain/streams/recurrence.ts';
import type { Recurrence, RecurrenceFault, ScheduledTime, Series } from '../../domain/streams/recurrence.ts';
import type { TransitionCause } from '../../domain/streams/stream-lifecycle.ts';
import type { Locked } from '../../data/shared/locked.ts';
import { budgetOf, inTurns } from '../programme/planning-turns.ts';

/** The most starts that a stream shows. */
const shownStarts = 5;

/** A recurrence that begins with this scheduled time; all others have the same length. */
export function beginSeries({ rule, timeZone }: Recurrence, { startAt, endAt }: ScheduledTime): StreamRecurrence {
  const lengthSeconds = endAt === null ? null : (endAt.getTime() - startAt.getTime()) / 1000;
  return { rule, timeZone, firstStartAt: startAt.toISOString(), lengthSeconds, upcoming: [] };
}

/** The recurrence of a stream in the form that domain/streams/recurrence.ts takes. */
export function seriesOf(recurrence: StreamRecurrence) {
  return { ...recurrence, firstStartAt: new Date(recurrence.firstStartAt) };
}

/** Fault of a recurrence that a call sets, found within the planning budget of the call; null: none. */
export function faultOfNewRecurrence(
  data: Database,
  recurrence: Recurrence,
  firstStartAt: Date,
): Promise<RecurrenceFault | null> {
  return inTurns(budgetOf(data), (nextTurn) => faultOfRecurrence(recurrence, firstStartAt, nextTurn));
}

/** Sets when a stream starts and ends. The caller sets the state. */
export async function armSchedule(
  data: Database,
  stream: Locked<Pick<Stream, 'id'>>,
  time: ScheduledTime,
  recurrence: StreamRecurrence | null,
): Promise<Locked<Stream>> {
  const shown = recurrence && (await withUpcomingOf(data, recurrence, time.startAt));
  return (await armSchedules(data, [{ stream, time, recurrence: shown }])).get(stream.id)!;
}

/** A stream that waits for its scheduled time. */
export interface Armed {
  readonly stream: Locked<Pick<Stream, 'id'>>;
  readonly time: ScheduledTime;
  /** With the starts that the stream shows. */
  readonly recurrence: StreamRecurrence | null;
}

/** Sets when streams start and end. The caller sets their states. @returns the streams, by id */
async function armSchedules(data: Database, armed: readonly Armed[]): Promise<ReadonlyMap<string, Locked<Stream>>> {
  const times = armed.flatMap(({ stream: { id }, time: { startAt, endAt } }): DueTime[] => [
    { stream_id: id, kind: 'schedule_start', due_at: startAt },
    ...(endAt === null ? [] : [{ stream_id: id, kind: 'schedule_end', due_at: endAt } as const]),
  ]);
  const endless = armed.filter(({ time }) => time.endAt === null);
  await data.dueTimes.disarm(endless.map(({ stream }) => ({ stream_id: stream.id, kind: 'schedule_end' })));
  await data.dueTimes.setAll(times);
  const schedules = armed.map(({ stream, time, recurrence }) => ({ id: stream.id, ...time, recurrence }));
  const streams = await data.streams.setSchedules(schedules);
  return new Map(streams.map((stream) => [stream.id, stream]));
}

/** The causes that end one scheduled time of a recurrence. Any other cause ends the recurrence. Decision D202. */
const scheduledEnds = new Set<TransitionCause>([
  'stop',
  'schedule_end',
  'duration_over',
  'account_at_rest',
  'content_blocked',
  'schedule_start_refused',
  'schedule_missed',
]);

/** A stream whose run, or whose scheduled time without a run, has ended. */
export interface Ended {
  readonly stream: Locked<Stream>;
  readonly cause: TransitionCause;
}

/**
 * Lets streams that recur wait for their next scheduled times. Those that could not start keep the reason until then.
 * No budget ends this, so that each run can be stopped.
 * @returns the streams that wait, by id
 */
export async function awaitNextStarts(
  data: Database,
  ended: readonly Ended[],
): Promise<ReadonlyMap<string, Locked<Stream>>> {
  const recurring = ended.filter(recurs);
  if (recurring.length === 0) return new Map();
  const now = await data.now();
  const armed: Armed[] = [];
  for (const { stream, cause } of recurring) {
    const { recurrence, schedule_start_at: startAt, stream_duration_seconds: durationSeconds } = stream;
    // A run that is under way by the schedule does not begin again for a user who has just stopped it.
    const mayBeginLate = cause !== 'stop';
    const next = await nextScheduledTime(seriesOf(recurrence!), startAt!, now, durationSeconds ?? 0, mayBeginLate);
    if (next !== null) armed.push({ stream, time: next, recurrence: await withUpcoming(recurrence!, next.startAt) });
  }
  const waiting = await armSchedules(data, armed);
  return data.streamMoves.moveMany(
    [...waiting.values()].map((stream) => ({
      stream,
      cause: 'next_occurrence',
      reason: stream.state === 'failed' ? stream.state_reason : null,
    })),
  );
}

const recurs = ({ stream, cause }: Ended) =>
  scheduledEnds.has(cause) &&
  stream.recurrence !== null &&
  stream.schedule_start_at !== null &&
  stream.deleted_at === null;

/** Cancels the schedule of a stream that waits for it. */
export async function cancelSchedule(data: Database, stream: Locked<Stream>): Promise<Locked<Stream>> {
  await data.dueTimes.clear([stream.id]);
  const cleared = await data.streams.setSchedule(stream.id, null, null, null);
  return (await data.streamMoves.move(cleared, 'cancel_schedule'))!;
}

/** The most upcoming starts that may be skipped at a time. */
export const mostSkipped = 100;

/** Why a start cannot be skipped or restored. */
export type SkipRefusal = 'no such start' | 'too many';

/**
 * Skips one start to come of a stream, or no longer skips it. Without any further start
 * the schedule is over.
 */
export async function skipStart(
  data: Database,
  stream: Locked<Stream>,
  { at, skip, now }: { readonly at: Date; readonly skip: boolean; readonly now: Date },
): Promise<Locked<Stream> | SkipRefusal> {
  const { recurrence, schedule_start_at: armedAt } = stream;
  const isArmed = stream.state === 'scheduled' && at.getTime() === armedAt?.getTime();
  if (recurrence === null || armedAt === null) return isArmed && skip ? cancelSchedule(data, stream) : 'no such start';
  const { skipped: before = [], ...plain } = recurrence;
  const found = await firstStart(data, seriesOf(plain), at);
  const isSkipped = before.includes(at.toISOString());
  const isToCome = at > now && (at >= armedAt || isSkipped);
  if (!isToCome || found?.getTime() !== at.getTime()) return 'no such start';
  if (skip === isSkipped) return stream;
  const others = before.filter((start) => new Date(start) > now && start !== at.toISOString());
  if (skip && others.length === mostSkipped) return 'too many';
  const series = { ...plain, skipped: skip ? [...others, at.toISOString()] : others };
  if (stream.state !== 'scheduled')
    return data.streams.setSchedule(
      stream.id,
      armedAt,
      stream.schedule_end_at,
      await withUpcomingOf(data, series, armedAt),
    );
  const startAt = await firstStart(data, seriesOf(series), at < armedAt ? at : armedAt);
  if (startAt === undefined) return cancelSchedule(data, stream);
  return armSchedule(data, stream, { startAt, endAt: endOf(series, startAt) }, series);
}

async function firstStart(data: Database, series: Series, from: Date): Promise<Date | undefined> {
  return (await inTurns(budgetOf(data), (nextTurn) => startsOf(series, from, 1, nextTurn)))[0];
}

async function withUpcoming(recurrence: StreamRecurrence, from: Date, nextTurn?: NextTurn): Promise<StreamRecurrence> {
  const starts = await startsOf(seriesOf(recurrence), from, shownStarts + 1, nextTurn);
  return { ...recurrence, upcoming: starts.map((start) => start.toISOString()) };
}

/** The same within the planning budget of a call. */
function withUpcomingOf(data: Database, recurrence: StreamRecurrence, from: Date): Promise<StreamRecurrence> {
  return inTurns(budgetOf(data), (nextTurn) => withUpcoming(recurrence, from, nextTurn));
}

function endOf({ lengthSeconds }: StreamRecurrence, startAt: Date): Date | null {
  return lengthSeconds === null ? null : new Date(startAt.getTime() + lengthSeconds * 1000);
}

/** At most five next starts of a stream by its schedule; none if it neither waits for one nor runs. */
export function nextStarts({ state, recurrence, schedule_start_at: startAt }: Stream, now: Date): Date[] {
  if (state === 'scheduled' && startAt !== null && recurrence === null) return [startAt];
  if (recurrence === null || !['scheduled', 'preparing', 'activating', 'active', 'failing'].includes(state)) return [];
  const from = state === 'scheduled' ? startAt! : now;
  return recurrence.upcoming
    .map((start) => new Date(start))
    .filter((start) => start >= from)
    .slice(0, shownStarts);
}
