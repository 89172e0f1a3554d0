// The planned runs of a stream: by its schedule, by its recurrence, or by a start with its drafts.
import type { Database } from '../../data/database.ts';
import type { Stream } from '../../data/streams/streams.ts';
import type { NextTurn } from '../../domain/programme/block-times.ts';
import { startsOf } from '../../domain/streams/recurrence.ts';
import { isLive } from '../../domain/streams/stream-lifecycle.ts';
import { budgetOf, inTurns, mostOfSearchMs } from '../programme/planning-turns.ts';
import { seriesOf } from './schedule.ts';

export interface PlannedTime {
  readonly startAt: Date;
  /** The time of its schedule. The start is later if the run before it ends later. */
  readonly scheduledAt: Date;
  /** Null: no known end. */
  readonly endsAt: Date | null;
}

export interface PlannedQuery {
  readonly from: Date;
  readonly to: Date;
  /** The most planned times in the answer. */
  readonly count: number;
  readonly now: Date;
  /** The assumed start of an idle stream; null: none. */
  readonly plannedAt: Date | null;
}

export interface PlannedTimes {
  readonly times: readonly PlannedTime[];
  /** The time until which all are known, after `from`; null: all are known. */
  readonly to: Date | null;
}

/** The known future runs of a stream that overlap the range, in order. They are fewer if their search takes long. */
export async function plannedTimes(
  data: Database,
  stream: Stream,
  query: PlannedQuery,
  clock?: () => number,
): Promise<PlannedTimes> {
  const { state, schedule_start_at: scheduledAt } = stream;
  const { from, to, count } = query;
  if (state === 'stopping') return { times: [], to: null };
  const scheduled = state === 'scheduled' ? scheduledAt : null;
  const startAt = isLive(state) ? null : (scheduled ?? query.plannedAt);
  const endsAt = scheduled && endOfRun(stream, scheduled);
  const first = startAt && { startAt, scheduledAt: startAt, endsAt };
  const recurs = scheduled !== null || isLive(state);
  const recurring = recurs ? await recurringTimes(data, stream, query, clock) : { times: [], to: null };
  const isBetween = (time: PlannedTime) => time.startAt < to && (time.endsAt === null || time.endsAt > from);
  const times = [...(first ? [first] : []), ...recurring.times].filter(isBetween);
  return { times: times.slice(0, count), to: times[count]?.startAt ?? recurring.to };
}

/** The recurring runs after the scheduled time that the stream waits for, or after its present run. */
async function recurringTimes(
  data: Database,
  stream: Stream,
  { from, to, count, now }: PlannedQuery,
  clock?: () => number,
): Promise<PlannedTimes> {
  const { recurrence, state, schedule_start_at: scheduledAt, stream_duration_seconds: durationSeconds } = stream;
  let overAt = endOfRun(stream, state === 'scheduled' ? scheduledAt : stream.started_at);
  if (recurrence === null || scheduledAt === null || overAt === null) return { times: [], to: null };
  const lengthMs = (recurrence.lengthSeconds ?? durationSeconds ?? 0) * 1000;
  const longestMs = Math.min(lengthMs, durationSeconds ? durationSeconds * 1000 : Infinity);
  // A stream that was started by hand before its scheduled time also runs at that time.
  const isAhead = state !== 'scheduled' && scheduledAt > now;
  const firstMs = scheduledAt.getTime() + (isAhead ? 0 : 1);
  let searchMs = Math.max(firstMs, Math.max(from.getTime(), overAt.getTime()) - longestMs);
  const times: PlannedTime[] = [];
  const knownUntil = (endAt: Date) => new Date(Math.max(searchMs, endAt.getTime()));
  const search = async (nextTurn: NextTurn, processorMs: () => number): Promise<PlannedTimes> => {
    // The first ones can be over before the range.
    for (let looks = 0; overAt !== null && looks <= count; looks++) {
      if (looks > 0 && knownUntil(overAt) > from && processorMs() >= mostOfSearchMs) break;
      const [next] = await startsOf(seriesOf(recurrence), new Date(searchMs), 1, nextTurn);
      if (next === undefined || next >= to) return { times, to: null };
      searchMs = next.getTime() + 1;
      const endAt = recurrence.lengthSeconds === null ? null : new Date(next.getTime() + lengthMs);
      if (endAt !== null && endAt <= overAt) continue;
      const startAt: Date = next > overAt ? next : overAt;
      overAt = endOfRun({ ...stream, schedule_end_at: endAt }, startAt);
      times.push({ startAt, scheduledAt: next, endsAt: overAt });
    }
    return { times, to: overAt && knownUntil(overAt) };
  };
  return inTurns(budgetOf(data), search, clock);
}

/** When a run ends by its schedule or its duration; null: neither. */
export function endOfRun(
  stream: Pick<Stream, 'stream_duration_seconds' | 'schedule_end_at'>,
  startedAt: Date | null,
): Date | null {
  const seconds = stream.stream_duration_seconds;
  const overMs = seconds && startedAt ? startedAt.getTime() + seconds * 1000 : Infinity;
  const endMs = Math.min(overMs, stream.schedule_end_at?.getTime() ?? Infinity);
  return endMs === Infinity ? null : new Date(endMs);
}
