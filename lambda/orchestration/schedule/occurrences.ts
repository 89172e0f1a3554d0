// When streams are on by their schedules, computed for a time to come.
import type { Stream } from '../../data/streams/streams.ts';
import { startsOf } from '../../domain/streams/recurrence.ts';
import { seriesOf } from './schedule.ts';

/** One time at which a schedule has a stream on. */
export interface Occurrence {
  readonly stream: Stream;
  readonly startAt: Date;
  /** Null where nothing ends it. */
  readonly endAt: Date | null;
  readonly isSkipped: boolean;
}

interface Queue {
  readonly stream: Stream;
  readonly starts: AsyncGenerator<Date, void>;
  /** The next one; null: there is none. */
  next: Date | null;
}

/** How many are answered at once: each of them may have to be searched for, which takes a millisecond. */
const mostAtOnce = 500;

/**
 * Occurrences that are on at any time from `from` and begin before `to`, in order of their starts. It looks for the
 * earliest of all streams first, so that what is answered has no gaps.
 * @param streams that are scheduled, or run by a schedule
 * @returns `to` is earlier than it was asked for where there is too much for one answer
 */
export async function occurrencesOf(
  streams: readonly Stream[],
  { from, to }: { readonly from: Date; readonly to: Date },
): Promise<{ occurrences: Occurrence[]; to: Date }> {
  const queues: Queue[] = [];
  for (const stream of streams) {
    const starts = startsFrom(stream, from);
    queues.push({ stream, starts, next: (await starts.next()).value ?? null });
  }
  const occurrences: Occurrence[] = [];
  for (;;) {
    const queue = earliestOf(queues);
    if (queue?.next == null || queue.next >= to) return { occurrences, to };
    if (occurrences.length === mostAtOnce) return { occurrences, to: queue.next };
    const { stream, next: startAt } = queue;
    const isSkipped = stream.recurrence?.skipped?.includes(startAt.toISOString()) ?? false;
    occurrences.push({ stream, startAt, endAt: endOf(stream, startAt), isSkipped });
    // oxlint-disable-next-line no-await-in-loop -- what comes next depends on what was found
    queue.next = (await queue.starts.next()).value ?? null;
  }
}

function earliestOf(queues: readonly Queue[]): Queue | undefined {
  let earliest: Queue | undefined;
  for (const queue of queues)
    if (queue.next !== null && (earliest?.next == null || queue.next < earliest.next)) earliest = queue;
  return earliest;
}

/** The starts of a stream's schedule that are not over at `from`, also those that are skipped: as long as asked. */
async function* startsFrom(stream: Stream, from: Date): AsyncGenerator<Date, void> {
  const { recurrence, schedule_start_at: armedAt } = stream;
  if (armedAt === null) return;
  const isOnLater = (start: Date) => {
    const endAt = endOf(stream, start);
    // What nothing ends is on until somebody ends it: that is known of a stream that runs.
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
    const [start] = await startsOf(seriesOf(series), after, 1);
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

/** How long it is on each time, in seconds; 0 where nothing ends it. */
function lengthOf({ recurrence, stream_duration_seconds: duration }: Stream): number {
  return recurrence?.lengthSeconds ?? duration ?? 0;
}
