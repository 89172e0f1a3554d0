// Stops a stream: asks its replicas to end, and settles it once they have.
import type { Database } from '../data/database.ts';
import type { StateReason, Stream } from '../data/streams.ts';
import { nextOccurrence } from '../domain/recurrence.ts';
import type { TransitionCause } from '../domain/stream-lifecycle.ts';
import { meterStream } from './meter.ts';
import { armSchedule, seriesOf } from './schedule.ts';

export type StopCause = Extract<TransitionCause, 'stop' | 'schedule_end' | 'duration_over' | 'credits_used_up'>;

/** Why it stops, where the cause does not say enough; and until when it is paid for, if not until now. */
export interface Stopping {
  readonly reason?: StateReason;
  readonly paidUntil?: Date;
}

/** Moves a live stream, which the caller has locked, to `stopping`, and settles it at once where no agent held a replica. */
export async function stopStream(
  data: Database,
  stream: Stream,
  cause: StopCause,
  { reason, paidUntil }: Stopping = {},
): Promise<Stream> {
  const moved = await data.streams.move(stream, cause, reason);
  if (!moved) return stream;
  await data.dueTimes.clear(stream.id);
  await data.replicas.endAll(stream.id);
  await meterStream(data, stream, paidUntil ?? (await data.now()));
  return settleStopping(data, moved);
}

/** What ends one occurrence of a recurrence and not the recurrence. */
const occurrenceEnds = new Set<TransitionCause>(['schedule_end', 'duration_over']);

/**
 * Settles a `stopping` stream, which the caller has locked, once all its replicas have ended: it waits for its next occurrence, is
 * stopped, or, when it was deleted, goes for good.
 */
export async function settleStopping(data: Database, stream: Stream): Promise<Stream> {
  if (stream.state !== 'stopping') return stream;
  const replicas = await data.replicas.ofStream(stream.id);
  if (replicas.some((replica) => replica.state !== 'ended')) return stream;
  const waiting = await awaitNextOccurrence(data, stream);
  if (waiting) return waiting;
  const stopped = (await data.streams.move(stream, 'replicas_ended', stream.state_reason))!;
  if (stopped.deleted_at !== null) await data.streams.delete(stopped.id);
  return stopped;
}

async function awaitNextOccurrence(data: Database, stream: Stream): Promise<Stream | null> {
  const { recurrence, schedule_start_at: startAt } = stream;
  if (recurrence === null || startAt === null || stream.deleted_at !== null) return null;
  const [stopping] = await data.streams.lastTransitions([stream.id], 1);
  if (!occurrenceEnds.has(stopping!.cause)) return null;
  const next = await nextOccurrence(
    seriesOf(recurrence),
    startAt,
    await data.now(),
    stream.stream_duration_seconds ?? 0,
  );
  return next && data.streams.move(await armSchedule(data, stream, next, recurrence), 'next_occurrence');
}
