// Arms a schedule: what the stream shows of it, and what falls due by it.
import type { Database } from '../data/database.ts';
import type { Stream, StreamRecurrence } from '../data/streams.ts';
import { startsOf } from '../domain/recurrence.ts';
import type { OccurrenceTimes, Recurrence } from '../domain/recurrence.ts';

/** Starts after the one that is armed, as far as they are shown. */
const shownStarts = 5;

/** A recurrence that begins with this occurrence, each occurrence as long as it. */
export function beginSeries({ rule, timeZone }: Recurrence, { startAt, endAt }: OccurrenceTimes): StreamRecurrence {
  const lengthSeconds = endAt === null ? null : (endAt.getTime() - startAt.getTime()) / 1000;
  return { rule, timeZone, firstStartAt: startAt.toISOString(), lengthSeconds, upcoming: [] };
}

/** The recurrence of a stream as the domain takes it. */
export function seriesOf(recurrence: StreamRecurrence) {
  return { ...recurrence, firstStartAt: new Date(recurrence.firstStartAt) };
}

/** Sets the times of a stream, which the caller has locked, and has it start and end by them. Its state is the caller's matter. */
export async function armSchedule(
  data: Database,
  stream: Pick<Stream, 'id'>,
  { startAt, endAt }: OccurrenceTimes,
  recurrence: StreamRecurrence | null,
): Promise<Stream> {
  const starts = recurrence && (await startsOf(seriesOf(recurrence), startAt, shownStarts + 1));
  await data.dueTimes.set(stream.id, 'schedule_start', startAt);
  await data.dueTimes.set(stream.id, 'schedule_end', endAt);
  return data.streams.setSchedule(
    stream.id,
    startAt,
    endAt,
    recurrence && { ...recurrence, upcoming: starts!.map((start) => start.toISOString()) },
  );
}

/** When the stream starts next, by what is armed: a few starts at most, and none once it neither waits nor runs. */
export function nextStarts({ state, recurrence, schedule_start_at: startAt }: Stream, now: Date): Date[] {
  if (state === 'scheduled' && startAt !== null && recurrence === null) return [startAt];
  if (recurrence === null || !['scheduled', 'preparing', 'activating', 'active', 'failing'].includes(state)) return [];
  const from = state === 'scheduled' ? startAt! : now;
  return recurrence.upcoming
    .map((start) => new Date(start))
    .filter((start) => start >= from)
    .slice(0, shownStarts);
}
