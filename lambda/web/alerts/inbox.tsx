// The mails that the platform sent to the user, to read again.
import type { ReactNode } from 'react';
import { Age } from '../app/age.tsx';
import { call } from '../app/api.ts';
import { refresh } from '../app/live-data.ts';
import { PagedRows } from '../app/paged-rows.tsx';
import { Link } from '../app/router.tsx';
import type { Notification } from '../app/types.ts';
import { usePages } from '../app/use-pages.ts';
import { nameOf } from '../streams/stream-name.ts';
import { alertsWords } from '#words/alerts.ts';

const path = '/notifications?limit=20';

export function Inbox(): ReactNode {
  const pages = usePages<Notification>(path);
  const unread = pages.items.filter(({ readAt }) => readAt === null).length;
  const markAll = async (): Promise<void> => {
    await call('POST', '/notifications/read', {}, { isRepeatable: true });
    refresh('/notifications');
  };
  return (
    <section aria-labelledby="inbox">
      <div className="heading">
        <h2 id="inbox">{alertsWords.inbox}</h2>
        {unread > 0 && (
          <p className="buttons">
            <span className="hint">{alertsWords.unread(unread)}</span>
            <button type="button" onClick={() => void markAll()}>
              {alertsWords.markAll}
            </button>
          </p>
        )}
      </div>
      <PagedRows pages={pages} none={alertsWords.noMails}>
        {({ id, subject, text, streams, createdAt, readAt }) => (
          <li key={id}>
            <details>
              <summary>
                {subject}{' '}
                <span className="hint">
                  {readAt === null && `${alertsWords.isNew} · `}
                  <Age at={createdAt} />
                </span>
              </summary>
              <p className="mail">{text}</p>
              {streams.length > 0 && (
                <p className="buttons start">
                  {streams.map((stream) => (
                    <Link key={stream.id} className="button" href={`/streams/${stream.id}`}>
                      {alertsWords.openOne(nameOf(stream))}
                    </Link>
                  ))}
                </p>
              )}
            </details>
          </li>
        )}
      </PagedRows>
    </section>
  );
}
