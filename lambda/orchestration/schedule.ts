// Arms a schedule: writes the times that the stream shows, and the due times by which it starts and ends.
import type { Database } from '../data/database.ts';
import type { Stream, StreamRecurrence } from '../data/streams.ts';
import { startsOf } from '../domain/recurrence.ts';
import type { ScheduledTime, Recurrence } from '../domain/recurrence.ts';

/** How many starts a stream shows at most. */
const shownStarts = 5;

/** A recurrence whose first scheduled time is this one; all others are as long as it. */
export function beginSeries({ rule, timeZone }: Recurrence, { startAt, endAt }: ScheduledTime): StreamRecurrence {
  const lengthSeconds = endAt === null ? null : (endAt.getTime() - startAt.getTime()) / 1000;
  return { rule, timeZone, firstStartAt: startAt.toISOString(), lengthSeconds, upcoming: [] };
}

/** The recurrence of a stream in the form that domain/recurrence.ts takes. */
export function seriesOf(recurrence: StreamRecurrence) {
  return { ...recurrence, firstStartAt: new Date(recurrence.firstStartAt) };
}

/** Sets when a stream, which the caller has locked, starts and ends. The caller sets the state. */
export async function armSchedule(
  data: Database,
  stream: Pick<Stream, 'id'>,
  { startAt, endAt }: ScheduledTime,
  recurrence: StreamRecurrence | null,
): Promise<Stream> {
  const starts = recurrence && (await startsOf(seriesOf(recurrence), startAt, shownStarts + 1));
  await data.dueTimes.set(stream.id, 'schedule_start', startAt);
  await data.dueTimes.set(stream.id, 'schedule_end', endAt);
  const shown = recurrence && { ...recurrence, upcoming: starts!.map((start) => start.toISOString()) };
  return data.streams.setSchedule(stream.id, startAt, endAt, shown);
}

/** The next starts of a stream by its schedule: five at most, and none where it neither waits for one nor runs. */
export function nextStarts({ state, recurrence, schedule_start_at: startAt }: Stream, now: Date): Date[] {
  if (state === 'scheduled' && startAt !== null && recurrence === null) return [startAt];
  if (recurrence === null || !['scheduled', 'preparing', 'activating', 'active', 'failing'].includes(state)) return [];
  const from = state === 'scheduled' ? startAt! : now;
  return recurrence.upcoming
    .map((start) => new Date(start))
    .filter((start) => start >= from)
    .slice(0, shownStarts);
}
