// Stops streams: requests the end of their replicas, and finishes the stops when these have ended.
import type { Database } from '../../data/database.ts';
import type { Stream } from '../../data/streams/streams.ts';
import type { StateReason } from '../../domain/streams/stream-words.ts';
import type { TransitionCause } from '../../domain/streams/stream-lifecycle.ts';
import { meterStreams } from '../billing/meter.ts';
import { awaitNextStarts } from '../schedule/schedule.ts';
import type { Ended } from '../schedule/schedule.ts';
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

/** Stops one stream, as `stopStreams` does. */
export async function stopStream(
  data: Database,
  stream: Locked<Stream>,
  cause: StopCause,
  options: StopOptions = {},
): Promise<Locked<Stream>> {
  return (await stopStreams(data, [{ stream, cause, ...options }])).get(stream.id) ?? stream;
}

/** A stream that is to stop. */
export interface Stop extends StopOptions {
  readonly stream: Locked<Stream>;
  readonly cause: StopCause;
}

/**
 * Moves live streams to `stopping`, and finishes the stops of those whose replicas no agent holds.
 * @returns the stopped streams, by id; the others were not live
 */
export async function stopStreams(
  data: Database,
  stops: readonly Stop[],
): Promise<ReadonlyMap<string, Locked<Stream>>> {
  const moved = await data.streamMoves.moveMany(
    stops.map(({ stream, cause, reason = null }) => ({ stream, cause, reason })),
  );
  if (moved.size === 0) return moved;
  const now = await data.replicas.endAll([...moved.keys()]);
  const metered = stops.filter(({ stream }) => moved.has(stream.id));
  await meterStreams(
    data,
    metered.map(({ stream, paidUntil = now }) => ({ stream, at: paidUntil })),
  );
  return new Map([...moved, ...(await finishStops(data, [...moved.values()]))]);
}

/**
 * Finishes the stops of `stopping` streams whose replicas have all ended. They wait for their next scheduled time, or
 * are stopped. Those that their users have deleted are deleted.
 * @returns the streams that were moved, by id
 */
export async function finishStops(
  data: Database,
  streams: readonly Locked<Stream>[],
): Promise<ReadonlyMap<string, Locked<Stream>>> {
  const stopping = [...new Map(streams.map((stream) => [stream.id, stream])).values()].filter(isStopping);
  if (stopping.length === 0) return new Map();
  const replicas = await data.replicas.ofStreams(stopping.map(({ id }) => id));
  const running = new Set(replicas.flatMap(({ state, stream_id: id }) => (state === 'ended' ? [] : [id])));
  const ended = stopping.filter(({ id }) => !running.has(id));
  const waiting = await awaitNextStarts(data, await endedRuns(data, ended));
  const stopped = await data.streamMoves.moveMany(
    ended
      .filter(({ id }) => !waiting.has(id))
      .map((stream) => ({ stream, cause: 'replicas_ended', reason: stream.state_reason })),
  );
  // With open broadcasts, the mirror deletes the row when they have ended.
  for (const { id, deleted_at: deletedAt } of stopped.values())
    if (deletedAt !== null && !(await data.broadcasts.hasOpen(id))) await data.streams.delete(id);
  return new Map([...waiting, ...stopped]);
}

const isStopping = ({ state }: Stream) => state === 'stopping';

/** The ended runs of those streams that recur. */
async function endedRuns(data: Database, streams: readonly Locked<Stream>[]): Promise<Ended[]> {
  const recurring = new Map(streams.flatMap((stream) => (stream.recurrence === null ? [] : [[stream.id, stream]])));
  if (recurring.size === 0) return [];
  const last = await data.streamMoves.lastTransitions([...recurring.keys()], 1);
  return last.map(({ stream_id: id, cause }) => ({ stream: recurring.get(id)!, cause }));
}
