// Stops a stream: requests the end of its replicas, and finishes the stop when they have ended.
import type { Database } from '../../data/database.ts';
import type { Stream } from '../../data/streams/streams.ts';
import type { StateReason } from '../../domain/streams/stream-words.ts';
import { nextScheduledTime } from '../../domain/streams/recurrence.ts';
import type { TransitionCause } from '../../domain/streams/stream-lifecycle.ts';
import { meterStream } from '../billing/meter.ts';
import { armSchedule, seriesOf } from '../schedule/schedule.ts';
import type { Locked } from '../../data/shared/locked.ts';

export type StopCause = Extract<
  TransitionCause,
  'stop' | 'schedule_end' | 'duration_over' | 'credits_used_up' | 'account_at_rest' | 'content_blocked'
>;

export interface StopOptions {
  /** Why the stream stops, if the cause alone does not explain it. */
  readonly reason?: StateReason;
  /** Until when the stream costs credits; absent: now. */
  readonly paidUntil?: Date;
}

/**
 * Moves a live stream to `stopping`, and finishes the stop at once if no agent holds a replica.
 */
export async function stopStream(
  data: Database,
  stream: Locked<Stream>,
  cause: StopCause,
  { reason, paidUntil }: StopOptions = {},
): Promise<Locked<Stream>> {
  const moved = await data.streamMoves.move(stream, cause, reason);
  if (!moved) return stream;
  await data.dueTimes.clear(stream.id);
  await data.replicas.endAll(stream.id);
  await meterStream(data, stream, paidUntil ?? (await data.now()));
  return finishStopping(data, moved);
}

/**
 * The causes that end one scheduled time of a recurrence: its end, and actions of operators. Any other cause ends the
 * recurrence.
 */
const scheduledEnds = new Set<TransitionCause>(['schedule_end', 'duration_over', 'account_at_rest', 'content_blocked']);

/**
 * Finishes the stop of a `stopping` stream whose replicas have all ended. It waits for its next scheduled time, or is
 * stopped. If its user has deleted it, its row is deleted.
 */
export async function finishStopping(data: Database, stream: Locked<Stream>): Promise<Locked<Stream>> {
  if (stream.state !== 'stopping') return stream;
  const replicas = await data.replicas.ofStream(stream.id);
  if (replicas.some((replica) => replica.state !== 'ended')) return stream;
  const waiting = await awaitNextScheduledTime(data, stream);
  if (waiting) return waiting;
  const stopped = (await data.streamMoves.move(stream, 'replicas_ended', stream.state_reason))!;
  // With open broadcasts, the mirror deletes the row when they have ended.
  if (stopped.deleted_at !== null && !(await data.broadcasts.hasOpen(stopped.id)))
    await data.streams.delete(stopped.id);
  return stopped;
}

async function awaitNextScheduledTime(data: Database, stream: Locked<Stream>): Promise<Locked<Stream> | null> {
  const { recurrence, schedule_start_at: startAt } = stream;
  if (recurrence === null || startAt === null || stream.deleted_at !== null) return null;
  const [stopping] = await data.streamMoves.lastTransitions([stream.id], 1);
  if (!stopping || !scheduledEnds.has(stopping.cause)) return null;
  const durationSeconds = stream.stream_duration_seconds ?? 0;
  const next = await nextScheduledTime(seriesOf(recurrence), startAt, await data.now(), durationSeconds);
  if (next === null) return null;
  const armed = await armSchedule(data, stream, next, recurrence);
  return data.streamMoves.move(armed, 'next_occurrence');
}
