// The part “Log” of a stream: the latest changes of its state, and the items of a day as they were sent or will be.
import { ChevronLeft, ChevronRight, Download, FileCheck2, Image } from 'lucide-react';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { Age } from '../app/age.tsx';
import { serviceNow } from '../app/api.ts';
import { formatDuration, formatTime } from '../app/format.ts';
import { LongList } from '../app/long-list.tsx';
import { MoreButton } from '../app/more-button.tsx';
import { Loaded } from '../app/loaded.tsx';
import { PagedRows } from '../app/paged-rows.tsx';
import { setParameter, useParameter } from '../app/router.tsx';
import type { Stream, TimelineRow, Transition } from '../app/types.ts';
import { usePages } from '../app/use-pages.ts';
import { Choice } from '../kit/choice.tsx';
import { words } from '#words';
import { guideWords } from '#words/guide.ts';
import { locale } from '../app/locale.ts';
import { FrameSheet } from './frame-sheet.tsx';
import { titleOf } from './now-playing.tsx';

const dayMs = 86_400_000;
const everyMs = 30_000;
/** Changes of the state that are shown at first. */
const latestShown = 5;
const days = new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long' });
const hours = new Intl.DateTimeFormat(locale, { timeStyle: 'short' });

export function LogPart({ stream }: { readonly stream: Stream }): ReactNode {
  return (
    <>
      {/* Below the log of a day it would be thousands of pixels away. */}
      <History streamID={stream.id} />
      <AsRun streamID={stream.id} />
    </>
  );
}

/** The beginning of a day in the time zone of the browser, as Unix time in ms. */
function dayOf(text: string): number {
  const day = /^\d{4}-\d\d-\d\d$/u.test(text) ? new Date(`${text}T00:00`) : new Date(serviceNow());
  return day.setHours(0, 0, 0, 0);
}

function dateOf(ms: number): string {
  const day = new Date(ms);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}

/** The hours of a day as options, with the time at which each begins. */
function hourOptions(fromMs: number): (readonly [hour: string, words: string])[] {
  return Array.from({ length: 24 }, (_, hour) => {
    const at = new Date(fromMs).setHours(hour);
    return [String(hour), words.log.from(hours.format(at))];
  });
}

/** The hour that the log of a day begins with: of today the hour before this one, of other days the first one. */
function usualHour(fromMs: number, openedAtMs: number): number {
  return dayOf('') === fromMs ? Math.max(0, new Date(openedAtMs).getHours() - 1) : 0;
}

const keyOf = ({ startAt, uploadID }: TimelineRow) => `${startAt} ${uploadID}`;

function AsRun({ streamID }: { readonly streamID: string }): ReactNode {
  const fromMs = dayOf(useParameter('day'));
  const toMs = dayOf(dateOf(fromMs + dayMs + dayMs / 2));
  const [openedAtMs] = useState(serviceNow);
  const asked = useParameter('hour');
  const hour = /^(?:\d|1\d|2[0-3])$/u.test(asked) ? Number(asked) : usualHour(fromMs, openedAtMs);
  const rowsFrom = (ms: number) =>
    `/streams/${streamID}/timeline?limit=200&from=${new Date(ms).toISOString()}&to=${new Date(toMs).toISOString()}`;
  const path = rowsFrom(new Date(fromMs).setHours(hour));
  const { first, items, more } = usePages<TimelineRow>(path, everyMs, keyOf);
  const rows = items.map((row) => ({ ...row, id: keyOf(row) }));
  const go = (ms: number) => setParameter('day', dateOf(ms));
  const [framed, setFramed] = useState<TimelineRow | null>(null);
  return (
    <section aria-labelledby="as-run" className="as-run">
      <div className="heading">
        <h2 id="as-run">{days.format(fromMs)}</h2>
        <div className="state">
          <button type="button" className="icon" aria-label={words.log.before} onClick={() => go(fromMs - dayMs / 2)}>
            <ChevronLeft aria-hidden />
          </button>
          <button type="button" onClick={() => setParameter('day', '')}>
            {words.log.today}
          </button>
          <button type="button" className="icon" aria-label={words.log.after} onClick={() => go(toMs + dayMs / 2)}>
            <ChevronRight aria-hidden />
          </button>
          <Choice
            name="hour"
            label={words.log.hour}
            isLabelHidden
            value={String(hour)}
            onChange={(value) => setParameter('hour', value)}
            options={hourOptions(fromMs)}
          />
          <a className="button" href={`/v1${rowsFrom(fromMs)}&format=csv`} download={`${dateOf(fromMs)}.csv`}>
            <Download aria-hidden />
            {words.log.csv}
          </a>
          {fromMs <= serviceNow() && <Proof streamID={streamID} day={dateOf(fromMs)} />}
        </div>
      </div>
      <Loaded live={first} path={path}>
        {() =>
          rows.length === 0 ? (
            <p className="hint">{words.log.nothing}</p>
          ) : (
            <LongList items={rows} isOrdered>
              {(row) => <Row row={row} onFrame={() => setFramed(row)} />}
            </LongList>
          )
        }
      </Loaded>
      <MoreButton more={more} />
      {framed && <FrameSheet streamID={streamID} row={framed} onClose={() => setFramed(null)} />}
    </section>
  );
}

function Proof({ streamID, day }: { readonly streamID: string; readonly day: string }): ReactNode {
  return (
    <a
      className="button"
      title={guideWords.proofHint}
      href={`/v1/streams/${streamID}/proof?day=${day}`}
      download={`proof-${day}.json`}
    >
      <FileCheck2 aria-hidden />
      {guideWords.proof}
    </a>
  );
}

function Row({ row, onFrame }: { readonly row: TimelineRow; readonly onFrame: () => void }): ReactNode {
  const { startAt, endAt, aired, kind } = row;
  const planned = (Date.parse(endAt) - Date.parse(startAt)) / 1000;
  return (
    <>
      <time dateTime={startAt} className="time at">
        {formatTime(startAt)}
      </time>
      <div>
        <span className="name">{titleOf(row)}</span>
        {kind !== null && kind !== 'item' && <span className="hint"> · {words.onAir.kinds[kind]}</span>}
      </div>
      <button
        type="button"
        className="ghost icon"
        aria-label={guideWords.frameOf(titleOf(row))}
        title={guideWords.frame}
        onClick={onFrame}
      >
        <Image aria-hidden />
      </button>
      <span className="hint time">{formatDuration(planned)}</span>
      <span className="badge" data-tone={aired === null ? 'quiet' : aired.length > 0 ? 'live' : 'wrong'}>
        {aired === null ? words.log.planned : aired.length > 0 ? words.log.sent : words.log.missed}
      </span>
    </>
  );
}

function History({ streamID }: { readonly streamID: string }): ReactNode {
  return (
    <section aria-labelledby="history">
      <h2 id="history">{words.stream.history}</h2>
      <PagedRows
        pages={usePages<Transition>(`/streams/${streamID}/transitions?limit=${latestShown}`)}
        none={words.stream.noHistory}
      >
        {({ id, cause, to, at }) => (
          <li key={id}>
            <span>{words.causes[cause]}</span>
            <span className="hint">
              {words.states[to]} · <Age at={at} />
            </span>
          </li>
        )}
      </PagedRows>
    </section>
  );
}
