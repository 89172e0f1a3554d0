// The current and next items of a stream, in the user's local time, with buttons that skip one.
import { useState } from 'react';
import type { MouseEvent, ReactNode } from 'react';
import { call } from '../app/api.ts';
import { formatDuration, formatMoment, formatTime } from '../app/format.ts';
import { refresh } from '../app/live-data.ts';
import { Loaded } from '../app/loaded.tsx';
import { useNow } from '../app/now.ts';
import { refusedInWords } from '../app/refused-in-words.ts';
import type { Stream, TimelineRow } from '../app/types.ts';
import { Failure } from '../form.tsx';
import { useAttempt } from '../use-attempt.ts';
import { words } from '#words';
import { comingPath, mostComing, titleOf, useComing } from './now-playing.tsx';

export function Timeline({ stream }: { readonly stream: Stream }): ReactNode {
  return (
    <section aria-labelledby="timeline">
      <h2 id="timeline">{words.stream.timeline}</h2>
      <Loaded live={useComing(stream.id)} path={comingPath(stream.id)}>
        {({ data }) => <Rows rows={data} stream={stream} />}
      </Loaded>
    </section>
  );
}

interface RowsProps {
  readonly rows: readonly TimelineRow[];
  readonly stream: Stream;
}

/** A row by its beginning and its upload, so that two clicks on one row skip no other one. */
const keyOf = ({ startAt, uploadID }: TimelineRow) => `${startAt} ${uploadID}`;

function Rows({ rows, stream: { id, state } }: RowsProps): ReactNode {
  const now = useNow();
  const [skipped, setSkipped] = useState<{ readonly row: string; readonly takesOverAt: string } | null>(null);
  const path = `/streams/${id}/skip`;
  const { attempt, error, isPending } = useAttempt(async (row: TimelineRow) => {
    const { startAt, uploadID } = row;
    try {
      const skip = () => call<{ takesOverAt: string }>('POST', path, { startAt, uploadID }, { isRepeatable: true });
      const { takesOverAt } = await refusedInWords(words.onAir.refusals, skip);
      setSkipped({ row: keyOf(row), takesOverAt });
    } finally {
      refresh(`/streams/${id}/timeline`);
    }
  });
  const coming = rows.filter(({ endAt }) => Date.parse(endAt) > now).slice(0, mostComing);
  if (coming.length === 0) return <p className="hint">{words.stream.noTimeline}</p>;
  const isOnAir = state === 'active' || state === 'failing';
  return (
    <>
      <ol className="rows">
        {coming.map((row) => (
          <li key={keyOf(row)} aria-current={state === 'active' && Date.parse(row.startAt) <= now}>
            <div>
              <span className="name">{titleOf(row)}</span>
              <p className="hint">{timeWords(row, state === 'active', now)}</p>
            </div>
            {isOnAir && (
              <SkipButton
                row={row}
                isDisabled={isPending || skipped?.row === keyOf(row)}
                onSkip={() => void attempt(row)}
              />
            )}
          </li>
        ))}
      </ol>
      <p role="status" className="hint">
        {skipped && Date.parse(skipped.takesOverAt) > now && words.onAir.skipped(formatTime(skipped.takesOverAt))}
      </p>
      <Failure error={error} />
    </>
  );
}

function timeWords({ kind, startAt, endAt }: TimelineRow, isLive: boolean, now: number): string {
  const isNow = isLive && Date.parse(startAt) <= now;
  const left = words.stream.ends(formatDuration((Date.parse(endAt) - now) / 1000));
  const isToday = new Date(startAt).toDateString() === new Date(now).toDateString();
  const start = isToday ? formatTime(startAt) : formatMoment(startAt);
  const time = isNow ? `${words.stream.now} · ${left}` : start;
  return kind === null ? time : `${time} · ${words.onAir.kinds[kind]}`;
}

interface SkipButtonProps {
  readonly row: TimelineRow;
  readonly isDisabled: boolean;
  readonly onSkip: () => void;
}

function SkipButton({ row, isDisabled, onSkip }: SkipButtonProps): ReactNode {
  const skip = (event: MouseEvent) => {
    // The second click of a double click would be on the next row, which is in the same place by then.
    if (event.detail < 2) onSkip();
  };
  return (
    <button
      type="button"
      aria-label={words.onAir.skipOne(titleOf(row), formatTime(row.startAt))}
      disabled={isDisabled}
      onClick={skip}
    >
      {words.onAir.skip}
    </button>
  );
}
