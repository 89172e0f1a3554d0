// The scheduled streams, each with its rule and time zone, and a button to cancel.
import type { ReactNode } from 'react';
import { call } from '../app/api.ts';
import { Ask } from '../app/ask.tsx';
import { formatMoment } from '../app/format.ts';
import { refresh } from '../app/live-data.ts';
import { Loaded } from '../app/loaded.tsx';
import { MoreButton } from '../app/more-button.tsx';
import { Link } from '../app/router.tsx';
import type { Stream } from '../app/types.ts';
import { usePages } from '../app/use-pages.ts';
import { nameOf } from '../streams/stream-name.ts';
import { words } from '../words/en.ts';

const path = '/streams?state=scheduled&limit=50';

export function ScheduledStreams(): ReactNode {
  const { first, items, more } = usePages<Stream>(path);
  return (
    <section aria-labelledby="planned">
      <h2 id="planned">{words.schedule.planned}</h2>
      <Loaded live={first} path={path}>
        {() =>
          items.length === 0 ? (
            <p className="hint">{words.schedule.nonePlanned}</p>
          ) : (
            <ul className="rows">
              {items.map((stream) => (
                <Row key={stream.id} stream={stream} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <MoreButton more={more} />
    </section>
  );
}

function Row({ stream }: { readonly stream: Stream }): ReactNode {
  const { id, recurrence, scheduleStartAt } = stream;
  const cancel = async (): Promise<void> => {
    await call('DELETE', `/streams/${id}/schedule`);
    refresh('/schedule');
    refresh('/streams');
  };
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
        onYes={cancel}
      />
    </li>
  );
}

function timeIn(timeZone: string, at: string): string {
  return new Intl.DateTimeFormat(undefined, { timeZone, timeStyle: 'short' }).format(new Date(at));
}
