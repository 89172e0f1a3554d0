// One day of the schedule: the starts on it, with buttons to skip each.
import type { ReactNode } from 'react';
import { serviceNow } from '../app/api.ts';
import { formatMoment } from '../app/format.ts';
import { change } from '../app/live-data.ts';
import { Link } from '../app/router.tsx';
import type { Occurrence } from '../app/types.ts';
import { nameOf } from '../streams/stream-name.ts';
import { Failure } from '../form.tsx';
import { useAttempt } from '../use-attempt.ts';
import { words } from '../words/en.ts';
import { hoursSkipped } from './zoned-time.ts';
import type { Day } from './zoned-time.ts';

const dayNames = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric', month: 'short' });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });

export function DayOfWeek({
  day,
  occurrences,
}: {
  readonly day: Day;
  readonly occurrences: readonly Occurrence[];
}): ReactNode {
  const id = `day-${day.from.getTime()}`;
  const skipped = hoursSkipped(day);
  const now = serviceNow();
  return (
    <section
      aria-labelledby={id}
      aria-current={day.from.getTime() <= now && now < day.to.getTime() ? 'date' : undefined}
    >
      <h2 id={id}>{dayNames.format(day.from)}</h2>
      {skipped !== 0 && <p className="hint">{skipped > 0 ? words.schedule.forward : words.schedule.back}</p>}
      {occurrences.length === 0 && <p className="hint">{words.schedule.empty}</p>}
      <ul>
        {occurrences.map((occurrence) => (
          <Entry key={`${occurrence.streamID} ${occurrence.startAt}`} day={day} occurrence={occurrence} />
        ))}
      </ul>
    </section>
  );
}

function Entry({ day, occurrence }: { readonly day: Day; readonly occurrence: Occurrence }): ReactNode {
  const { streamID, startAt, endAt, isSkipped } = occurrence;
  const name = nameOf({ name: occurrence.streamName });
  const start = new Date(startAt);
  const isBefore = start < day.from;
  /** A start is shown as skipped only after the API has confirmed it. */
  const { attempt: skip, error } = useAttempt((isWished: boolean) =>
    change('POST', `/streams/${streamID}/schedule/skip`, ['/schedule', '/streams'], { startAt, skip: isWished }),
  );
  const begin = isBefore ? words.schedule.since(formatMoment(startAt)) : clock.format(start);
  return (
    <li data-skipped={isSkipped}>
      <p>
        <time dateTime={startAt}>{begin}</time> <Link href={`/streams/${streamID}`}>{name}</Link>
      </p>
      <p className="hint">{endAt === null ? words.schedule.open : words.schedule.until(endWords(start, endAt))}</p>
      {isSkipped ? (
        <p className="hint">
          {words.schedule.skipped}{' '}
          <button type="button" className="link" onClick={() => void skip(false)}>
            {words.schedule.back1}
          </button>
        </p>
      ) : (
        occurrence.isRecurring &&
        start.getTime() > serviceNow() && (
          <button
            type="button"
            className="link"
            aria-label={words.schedule.skipOf(name, formatMoment(startAt))}
            onClick={() => void skip(true)}
          >
            {words.schedule.skip}
          </button>
        )
      )}
      <Failure error={error} />
    </li>
  );
}

/** The time alone if the end is on the same day as the start. */
function endWords(start: Date, endAt: string): string {
  const end = new Date(endAt);
  return end.toDateString() === start.toDateString() ? clock.format(end) : formatMoment(endAt);
}
