// The scheduled streams, each with its recurrence in words, its next start, and buttons to change and to cancel it.
import type { ReactNode } from 'react';
import { formatMoment } from '../app/format.ts';
import { PagedRows } from '../app/paged-rows.tsx';
import { Link } from '../app/router.tsx';
import type { Stream } from '../app/types.ts';
import { usePages } from '../app/use-pages.ts';
import { nameOf } from '../streams/stream-name.ts';
import { scheduleWords } from '#words/schedule.ts';
import { hoursWords, recurrenceWords } from './recurrence-words.ts';
import { CancelSchedule } from './run-sheet.tsx';

const path = '/streams?state=scheduled&limit=50';

interface ScheduledStreamsProps {
  readonly onEdit: (stream: Stream) => void;
}

export function ScheduledStreams({ onEdit }: ScheduledStreamsProps): ReactNode {
  return (
    <section aria-labelledby="planned">
      <h2 id="planned">{scheduleWords.planned}</h2>
      <PagedRows pages={usePages<Stream>(path)} none={scheduleWords.nonePlanned}>
        {(stream) => <Row key={stream.id} stream={stream} onEdit={() => onEdit(stream)} />}
      </PagedRows>
    </section>
  );
}

function Row({ stream, onEdit }: { readonly stream: Stream; readonly onEdit: () => void }): ReactNode {
  const { id, recurrence, scheduleStartAt, scheduleEndAt } = stream;
  const { rule = null, timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone } = recurrence ?? {};
  return (
    <li>
      <div>
        <Link href={`/streams/${id}`} className="title">
          {nameOf(stream)}
        </Link>
        {scheduleStartAt !== null && (
          <>
            <p>
              {recurrenceWords(rule, timeZone, scheduleStartAt)}, {hoursWords(scheduleStartAt, scheduleEndAt, timeZone)}
            </p>
            <p className="hint">{scheduleWords.next(formatMoment(scheduleStartAt))}</p>
          </>
        )}
      </div>
      <div className="state">
        <button type="button" aria-label={scheduleWords.editOf(nameOf(stream))} onClick={onEdit}>
          {scheduleWords.edit}
        </button>
        <CancelSchedule stream={stream} />
      </div>
    </li>
  );
}
