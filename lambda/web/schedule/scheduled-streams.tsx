// The scheduled streams, each with its rule and time zone, and a button to cancel.
import type { ReactNode } from 'react';
import { Ask } from '../kit/ask.tsx';
import { formatMoment } from '../app/format.ts';
import { change } from '../app/live-data.ts';
import { PagedRows } from '../app/paged-rows.tsx';
import { Link } from '../app/router.tsx';
import type { Stream } from '../app/types.ts';
import { usePages } from '../app/use-pages.ts';
import { nameOf } from '../streams/stream-name.ts';
import { words } from '../words/en.ts';

const path = '/streams?state=scheduled&limit=50';

export function ScheduledStreams(): ReactNode {
  return (
    <section aria-labelledby="planned">
      <h2 id="planned">{words.schedule.planned}</h2>
      <PagedRows pages={usePages<Stream>(path)} none={words.schedule.nonePlanned}>
        {(stream) => <Row key={stream.id} stream={stream} />}
      </PagedRows>
    </section>
  );
}

function Row({ stream }: { readonly stream: Stream }): ReactNode {
  const { id, recurrence, scheduleStartAt } = stream;
  return (
    <li className="tall">
      <div>
        <Link href={`/streams/${id}`}>
          <strong>{nameOf(stream)}</strong>
        </Link>
        <p className="hint">
          {scheduleStartAt !== null && words.schedule.next(formatMoment(scheduleStartAt))}
          {recurrence && scheduleStartAt !== null && (
            <>
              {' · '}
              {words.schedule.there(timeIn(recurrence.timeZone, scheduleStartAt), recurrence.timeZone)}
            </>
          )}
        </p>
        {recurrence && (
          <p className="hint">
            <code>{recurrence.rule}</code>
          </p>
        )}
      </div>
      <Ask
        action={words.schedule.cancelIt}
        tone="grave"
        question={words.schedule.cancelAsk(nameOf(stream))}
        explanation={words.schedule.cancelText}
        refuse={words.schedule.keep}
        onYes={() => change('DELETE', `/streams/${id}/schedule`, ['/schedule', '/streams'])}
      />
    </li>
  );
}

function timeIn(timeZone: string, at: string): string {
  return new Intl.DateTimeFormat(undefined, { timeZone, timeStyle: 'short' }).format(new Date(at));
}
