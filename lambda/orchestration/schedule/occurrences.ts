// The occurrences of streams by their schedules in a range of time.
import type { Database } from '../../data/database.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { startsOf } from '../../domain/streams/recurrence.ts';
import type { NextTurn } from '../../domain/programme/block-times.ts';
import { budgetOf, inTurns, mostOfSearchMs } from '../programme/planning-turns.ts';
import { seriesOf } from './schedule.ts';

/** One scheduled time of a stream. */
export interface Occurrence {
  readonly stream: Stream;
  readonly startAt: Date;
  /** Null: no end. */
  readonly endAt: Date | null;
  readonly isSkipped: boolean;
}

export interface OccurrenceRange {
  readonly from: Date;
  readonly to: Date;
}

export interface Occurrences {
  readonly occurrences: Occurrence[];
  /** The time before which the answer has all starts. */
  readonly to: Date;
}

interface Queue {
  readonly stream: Stream;
  readonly starts: AsyncGenerator<Date, void>;
  /** The next start; null: none. */
  next: Date | null;
}

/** The most occurrences in one answer. The search for each takes less than a millisecond, but for some rules many. */
const mostAtOnce = 500;

/**
 * Occurrences that end after `from` and begin before `to`, ordered by start. It takes the earliest start of all streams
 * first, so that the answer has no gaps.
 * @param streams that are scheduled, or run by a schedule
 * @returns `to` is earlier than requested if there are too many for one answer, or the search for them takes too long
 */
export function occurrencesOf(
  data: Database,
  streams: readonly Stream[],
  range: OccurrenceRange,
  clock?: () => number,
): Promise<Occurrences> {
  const budget = budgetOf(data);
  return inTurns(budget, (nextTurn, processorMs) => occurrencesIn(streams, range, nextTurn, processorMs), clock);
}

async function occurrencesIn(
  streams: readonly Stream[],
  { from, to }: OccurrenceRange,
  nextTurn: NextTurn,
  processorMs: () => number,
): Promise<Occurrences> {
  const queues: Queue[] = [];
  for (const stream of streams) {
    const starts = startsFrom(stream, from, nextTurn);
    queues.push({ stream, starts, next: (await starts.next()).value ?? null });
  }
  const occurrences: Occurrence[] = [];
  for (;;) {
    const queue = earliestOf(queues);
    if (queue?.next == null || queue.next >= to) return { occurrences, to };
    // The next answer continues there, so it has to be later than this one begins.
    const isOver = queue.next > from && processorMs() >= mostOfSearchMs;
    if (isOver || occurrences.length === mostAtOnce) return { occurrences, to: queue.next };
    const { stream, next: startAt } = queue;
    const isSkipped = stream.recurrence?.skipped?.includes(startAt.toISOString()) ?? false;
    occurrences.push({ stream, startAt, endAt: endOf(stream, startAt), isSkipped });
    // oxlint-disable-next-line no-await-in-loop -- the next start depends on this one
    queue.next = (await queue.starts.next()).value ?? null;
  }
}

function earliestOf(queues: readonly Queue[]): Queue | undefined {
  let earliest: Queue | undefined;
  for (const queue of queues)
    if (queue.next !== null && (earliest?.next == null || queue.next < earliest.next)) earliest = queue;
  return earliest;
}

/** The starts of a stream's schedule whose occurrences are not over at `from`, with the skipped ones, without end. */
async function* startsFrom(stream: Stream, from: Date, nextTurn: NextTurn): AsyncGenerator<Date, void> {
  const { recurrence, schedule_start_at: armedAt } = stream;
  if (armedAt === null) return;
  const isOnLater = (start: Date) => {
    const endAt = endOf(stream, start);
    // An occurrence without an end lasts until the stream stops: that is known only of the running one.
    return start >= from || (endAt === null ? stream.state !== 'scheduled' && start <= armedAt : endAt > from);
  };
  if (recurrence === null) {
    if (isOnLater(armedAt)) yield armedAt;
    return;
  }
  const { skipped = [], ...series } = recurrence;
  const last = new Date(recurrence.upcoming.at(-1) ?? armedAt);
  const known = [...new Set([...recurrence.upcoming, ...skipped])].sort().map((start) => new Date(start));
  yield* known.filter((start) => start <= last && isOnLater(start));
  let after = new Date(Math.max(last.getTime() + 1, from.getTime() - lengthOf(stream) * 1000));
  for (;;) {
    const [start] = await startsOf(seriesOf(series), after, 1, nextTurn);
    if (start === undefined) return;
    if (isOnLater(start)) yield start;
    after = new Date(start.getTime() + 1);
  }
}

function endOf(stream: Stream, startAt: Date): Date | null {
  const seconds = lengthOf(stream);
  if (stream.recurrence === null && stream.schedule_end_at !== null) return stream.schedule_end_at;
  return seconds === 0 ? null : new Date(startAt.getTime() + seconds * 1000);
}

/** The length of each occurrence, in seconds; 0: no end. */
function lengthOf({ recurrence, stream_duration_seconds: duration }: Stream): number {
  return recurrence?.lengthSeconds ?? duration ?? 0;
}
