// A day of a programme by its simulation: the totals, the issues, and each item with its time.
import { useState } from 'react';
import type { ReactNode } from 'react';
import type * as z from 'zod';
import type { simulationSchema } from '../../operations/programmes/simulation-schema.ts';
import { call, serviceNow } from '../app/api.ts';
import { formatDuration, formatShare, formatWhole } from '../app/format.ts';
import { useLive } from '../app/live-data.ts';
import { Loaded } from '../app/loaded.tsx';
import { MoreButton } from '../app/more-button.tsx';
import { Link, setParameter, useParameter } from '../app/router.tsx';
import type { ScreenProps } from '../app/screen.ts';
import type { Programme } from '../app/types.ts';
import { Field } from '../form.tsx';
import { Choice } from '../kit/choice.tsx';
import { instantIn, localIn } from '../schedule/zoned-time.ts';
import { words as shared } from '#words';
import { programmeWords as words } from '#words/programmes.ts';
import { locale } from '../app/locale.ts';
import { NotFoundPage } from '../not-found-page.tsx';
import { dateWords, separationWords } from './rule-words.tsx';
import { dayNumber, dayOfNumber } from './rules.ts';

type Simulation = z.output<typeof simulationSchema>;
type Row = Simulation['rows'][number];

const mostDaysAhead = 400;
const rowsOfPage = 200;
/** The most rows of an answer: a file has as many. */
const rowsOfFile = 1000;
type Span = keyof typeof words.spans;

export function DaysPage({ id }: ScreenProps): ReactNode {
  const path = `/programmes/${id}`;
  const live = useLive<Programme>(path);
  if (live.error?.status === 404) return <NotFoundPage text={words.missing} />;
  return (
    <div className="screen">
      <h1>{words.daysTitle}</h1>
      <p>
        <Link className="button" href={path}>
          {words.toProgramme}
        </Link>
      </p>
      <Loaded live={live} path={path}>
        {(programme) => <Day programme={programme} />}
      </Loaded>
    </div>
  );
}

function Day({ programme }: { readonly programme: Programme }): ReactNode {
  const { id, version, timeZone } = programme;
  const today = dayNumber(localIn(timeZone, serviceNow()).slice(0, 10));
  const asked = dayNumber(useParameter('day'));
  const day = Number.isNaN(asked) ? today : Math.min(today + mostDaysAhead, Math.max(today, asked));
  const [span, setSpan] = useState<Span>(1);
  const shown = dayOfNumber(day);
  const from = instantIn(timeZone, `${shown}T00:00`).toISOString();
  const nextMidnight = instantIn(timeZone, `${dayOfNumber(day + 1)}T00:00`).toISOString();
  const simulation = `/programmes/${id}/simulation?from=${from}`;
  const path = `${simulation}&days=${span}&rows=${rowsOfPage}`;
  const live = useLive<Simulation>(path);
  const go = (to: number) => setParameter('day', dayOfNumber(to));
  return (
    <>
      <p className="hint">
        {words.daysHint} {words.zoneText(timeZone)}
      </p>
      <div className="in-row grid">
        <Field
          name="day"
          label={words.day}
          type="date"
          min={dayOfNumber(today)}
          max={dayOfNumber(today + mostDaysAhead)}
          value={shown}
          onChange={(event) => event.target.value !== '' && setParameter('day', event.target.value)}
        />
        <Choice
          name="span"
          label={words.span}
          value={String(span)}
          options={Object.entries(words.spans)}
          onChange={(chosen) => setSpan(Number(chosen) as Span)}
        />
      </div>
      <p className="buttons start">
        <button type="button" disabled={day <= today} onClick={() => go(day - 1)}>
          {words.dayBefore}
        </button>
        <button type="button" disabled={day >= today + mostDaysAhead} onClick={() => go(day + 1)}>
          {words.dayAfter}
        </button>
        <a className="button" href={`/v1${simulation}&days=1&rows=${rowsOfFile}&format=csv`} download={`${shown}.csv`}>
          {words.csv}
        </a>
      </p>
      <Loaded live={live} path={path}>
        {(found) => (
          <>
            <Totals simulation={found} programme={programme} />
            <section aria-labelledby="timetable">
              <h2 id="timetable">{words.dayNamed(dateWords(shown))}</h2>
              <Timetable
                key={`${path} ${version}`}
                simulation={found}
                path={simulation}
                until={nextMidnight}
                programme={programme}
              />
            </section>
          </>
        )}
      </Loaded>
    </>
  );
}

interface TotalsProps {
  readonly simulation: Simulation;
  readonly programme: Programme;
}

function Totals({ simulation, programme }: TotalsProps): ReactNode {
  const { rowCount, uploadCount, cutOffCount, itemSeconds, insertSeconds, fillerSeconds, offAirSeconds, issues } =
    simulation;
  const { timeZone } = programme;
  const moments = new Intl.DateTimeFormat(locale, { timeZone, dateStyle: 'medium', timeStyle: 'short' });
  const all = itemSeconds + insertSeconds + fillerSeconds + offAirSeconds;
  const shareOf = (seconds: number) =>
    words.shares(formatShare(all === 0 ? 0 : seconds / all), formatDuration(seconds));
  const figures: readonly (readonly [string, string])[] = [
    [words.rows, formatWhole(rowCount)],
    [words.files, formatWhole(uploadCount)],
    [words.ofItems, shareOf(itemSeconds)],
    [words.ofInserts, shareOf(insertSeconds)],
    [words.ofFiller, shareOf(fillerSeconds)],
    ...(offAirSeconds > 0 ? ([[words.offAirWords, shareOf(offAirSeconds)]] as const) : []),
    [words.cutOffs, formatWhole(cutOffCount)],
    ...simulation.blocks.map(
      ({ id, seconds }) => [words.blockNamed(nameIn(programme.blocks, id)), shareOf(seconds)] as const,
    ),
    ...simulation.inserts.map(
      ({ id, seconds }) => [words.insertNamed(nameIn(programme.inserts, id)), shareOf(seconds)] as const,
    ),
  ];
  return (
    <section aria-labelledby="totals">
      <h2 id="totals">{words.totals}</h2>
      <dl className="figures">
        {figures.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {issues.length === 0 ? (
        <p className="hint">{words.noIssues}</p>
      ) : (
        <ul className="rows">
          {issues.map(({ code, path, count, firstAt }) => (
            <li key={`${code} ${path}`}>
              <span>{issueWords(code, path, programme)}</span>
              <span className="hint">{words.issueCount(count, firstAt && moments.format(new Date(firstAt)))}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function nameIn(rules: readonly { readonly id: string; readonly name: string }[], id: string): string {
  return rules.find((rule) => rule.id === id)?.name ?? '…';
}

/** @param path a JSON pointer, such as /blocks/0/steps/1 */
function issueWords(code: keyof typeof words.issues, path: string, programme: Programme): string {
  const [, list = '', index = ''] = path.split('/');
  const place = Number(index);
  const rule = {
    blocks: programme.blocks[place]?.name,
    inserts: programme.inserts[place]?.name,
    separation: programme.separation[place] && distanceWords(programme, place),
    filler: words.filler,
  }[list];
  return index === '' && list !== 'filler' ? words.issues[code] : words.issueOf(words.issues[code], rule ?? '…');
}

function distanceWords({ separation }: Programme, place: number): string {
  const rule = separation[place];
  return rule === undefined ? '…' : words.distance(words.alike[rule.by], separationWords(rule));
}

interface TimetableProps {
  readonly simulation: Simulation;
  /** The path of the simulation, without its number of rows. */
  readonly path: string;
  /** The end of the day. */
  readonly until: string;
  readonly programme: Programme;
}

function Timetable({ simulation, path, until, programme }: TimetableProps): ReactNode {
  const [further, setFurther] = useState<Pick<Simulation, 'rows' | 'hasMoreRows'>>({ rows: [], hasMoreRows: true });
  const { timeZone } = programme;
  const rows = [...simulation.rows, ...further.rows];
  const isLast = rows.some(({ endAt }) => Date.parse(endAt) >= Date.parse(until));
  const hasMore = simulation.hasMoreRows && further.hasMoreRows && !isLast;
  const more = async (): Promise<void> => {
    const next = await call<Simulation>('GET', `${path}&days=1&skip=${rows.length}&rows=${rowsOfPage}`);
    setFurther({ rows: [...further.rows, ...next.rows], hasMoreRows: next.hasMoreRows });
  };
  const times = new Intl.DateTimeFormat(locale, { timeZone, timeStyle: 'medium' });
  const ofDay = rows.filter(({ startAt }) => Date.parse(startAt) < Date.parse(until));
  if (ofDay.length === 0) return <p className="hint">{words.nothingPlays}</p>;
  return (
    <>
      <ol className="rows timetable">
        {ofDay.map((row) => (
          <li key={row.startAt}>
            <time dateTime={row.startAt}>{times.format(new Date(row.startAt))}</time>
            <div>
              <span className="name">{row.title ?? row.name}</span>
              {row.artist !== null && <span className="hint"> · {row.artist}</span>}
              <Remarks row={row} programme={programme} />
            </div>
            <span className="hint">{ruleOfRow(row, programme)}</span>
          </li>
        ))}
      </ol>
      <MoreButton more={hasMore ? more : null} />
    </>
  );
}

/** The kind of a row, and its block or its insert. */
function ruleOfRow({ kind, blockID, insertID }: Row, { blocks, inserts }: Programme): string {
  const names = [insertID && nameIn(inserts, insertID), blockID && nameIn(blocks, blockID)].filter(Boolean);
  return [shared.onAir.kinds[kind], ...names].join(' · ');
}

function Remarks({ row, programme }: { readonly row: Row; readonly programme: Programme }): ReactNode {
  const remarks = [
    ...(row.cutOff ? [words.cutOff] : []),
    ...row.relaxed.map((place) => words.relaxed(distanceWords(programme, place))),
    ...(row.refused.length > 0 ? [words.passedOver(row.refused.length)] : []),
  ];
  return remarks.length > 0 && <p className="hint">{remarks.join(' · ')}</p>;
}
