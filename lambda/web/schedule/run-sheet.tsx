// A dialog with one run of a schedule: its times, and buttons to skip it, to change the schedule, and to cancel it.
import type { ReactNode } from 'react';
import { serviceNow } from '../app/api.ts';
import { formatMoment } from '../app/format.ts';
import { change, useLive } from '../app/live-data.ts';
import { Link } from '../app/router.tsx';
import type { Occurrence, Stream } from '../app/types.ts';
import { Failure } from '../form.tsx';
import { Ask } from '../kit/ask.tsx';
import { Sheet } from '../kit/sheet.tsx';
import { nameOf } from '../streams/stream-name.ts';
import { useAttempt } from '../use-attempt.ts';
import { scheduleWords } from '#words/schedule.ts';
import { hoursWords, recurrenceWords } from './recurrence-words.ts';

interface RunSheetProps {
  readonly run: Occurrence;
  readonly onEdit: (stream: Stream) => void;
  readonly onClose: () => void;
}

export function RunSheet({ run, onEdit, onClose }: RunSheetProps): ReactNode {
  const { streamID, startAt, endAt, isSkipped, isRecurring } = run;
  const name = nameOf({ name: run.streamName });
  const { data: stream } = useLive<Stream>(`/streams/${streamID}`);
  const isAhead = Date.parse(startAt) > serviceNow();
  const { attempt: skip, error } = useAttempt(async () => {
    const body = { startAt, skip: !isSkipped };
    await change('POST', `/streams/${streamID}/schedule/skip`, ['/schedule', '/streams'], body);
    onClose();
  });
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const { rule = null, timeZone = own } = stream?.recurrence ?? {};
  return (
    <Sheet title={name} isOpen onClose={onClose}>
      <p>
        {formatMoment(startAt)}
        {isSkipped && ` · ${scheduleWords.skipped}`}
      </p>
      {stream && (
        <p className="hint">
          {recurrenceWords(rule, timeZone, startAt)} · {hoursWords(startAt, endAt, timeZone)}
        </p>
      )}
      <Failure error={error} />
      <p className="buttons">
        <Link className="button" href={`/streams/${streamID}`}>
          {scheduleWords.openStream}
        </Link>
        {isRecurring && isAhead && (
          <button type="button" onClick={() => void skip()}>
            {isSkipped ? scheduleWords.restore : scheduleWords.skip}
          </button>
        )}
        {stream?.state === 'scheduled' && (
          <>
            <CancelSchedule stream={stream} onDone={onClose} />
            <button type="button" className="primary" onClick={() => onEdit(stream)}>
              {scheduleWords.edit}
            </button>
          </>
        )}
      </p>
    </Sheet>
  );
}

interface CancelScheduleProps {
  readonly stream: Stream;
  readonly onDone?: () => void;
}

export function CancelSchedule({ stream, onDone }: CancelScheduleProps): ReactNode {
  const cancel = async (): Promise<void> => {
    await change('DELETE', `/streams/${stream.id}/schedule`, ['/schedule', '/streams']);
    onDone?.();
  };
  return (
    <Ask
      action={scheduleWords.cancelIt}
      tone="grave"
      question={scheduleWords.cancelAsk(nameOf(stream))}
      explanation={scheduleWords.cancelText}
      refuse={scheduleWords.keep}
      onYes={cancel}
    />
  );
}
