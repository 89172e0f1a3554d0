// Measurements of a stream over time: charts with one time axis, and a table for screen readers.
import type { ReactNode } from 'react';
import { formatBitrate, formatMoment, formatNumber, formatWhole } from '../app/format.ts';
import { words } from '../words/en.ts';

/** Columns of equal length, as in the answer of `GET /streams/{id}/stats/history`. */
export interface Series {
  readonly times: readonly string[];
  readonly bitrateKbps: readonly number[];
  readonly framesPerSecond: readonly number[];
  readonly droppedFrames: readonly number[];
  readonly reconnects: readonly number[];
}

type Column = Exclude<keyof Series, 'times'>;

interface Shown {
  readonly column: Column;
  readonly name: string;
  readonly format: (value: number) => string;
}

const columns: readonly Shown[] = [
  { column: 'bitrateKbps', name: words.stream.bitrate, format: formatBitrate },
  { column: 'framesPerSecond', name: words.stream.fps, format: formatNumber },
  { column: 'droppedFrames', name: words.stream.dropped, format: formatWhole },
  { column: 'reconnects', name: words.stream.reconnects, format: formatWhole },
];
const widthPx = 720;
const heightPx = 96;
/** A longer table is not usable. */
const mostTableRows = 60;

/** @param stepMs milliseconds between two measurements */
export function SeriesCharts({ series, stepMs }: { readonly series: Series; readonly stepMs: number }): ReactNode {
  return (
    <>
      <div className="charts">
        {columns.map((shown) => (
          <Chart key={shown.column} shown={shown} series={series} stepMs={stepMs} />
        ))}
      </div>
      <p className="hint axis">
        <span>{formatMoment(series.times[0]!)}</span>
        <span>{formatMoment(series.times.at(-1)!)}</span>
      </p>
    </>
  );
}

function Chart({
  shown: { column, name, format },
  series: { times, [column]: values },
  stepMs,
}: {
  readonly shown: Shown;
  readonly series: Series;
  readonly stepMs: number;
}): ReactNode {
  const at = times.map((time) => Date.parse(time));
  const [from, to] = [at[0]!, at.at(-1)!];
  const most = Math.max(...values);
  const x = (ms: number) => ((ms - from) / (to - from)) * widthPx;
  const y = (value: number) => heightPx - (value / Math.max(1, most)) * (heightPx - 4) - 2;
  // The line has a gap if there is no measurement.
  const path = at
    .map((ms, index) => {
      const isGap = index === 0 || ms - at[index - 1]! > 2.5 * stepMs;
      return `${isGap ? 'M' : 'L'}${x(ms).toFixed(1)} ${y(values[index]!).toFixed(1)}`;
    })
    .join('');
  return (
    <figure className="chart">
      <figcaption>
        {name} <span className="hint">{words.stream.upTo(format(most))}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${widthPx} ${heightPx}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={words.stream.chart(name, format(Math.min(...values)), format(most))}
      >
        <path d={path} />
      </svg>
    </figure>
  );
}

export function SeriesTable({ series }: { readonly series: Series }): ReactNode {
  const every = Math.ceil(series.times.length / mostTableRows);
  const rows = series.times.map((time, index) => ({ time, index })).filter(({ index }) => index % every === 0);
  return (
    <details>
      <summary>{words.stream.table}</summary>
      <div className="scrolled" tabIndex={0} role="region" aria-label={words.stream.table}>
        <table>
          <thead>
            <tr>
              <th scope="col">{words.stream.time}</th>
              {columns.map(({ column, name }) => (
                <th scope="col" key={column}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ time, index }) => (
              <tr key={time}>
                <th scope="row">{formatMoment(time)}</th>
                {columns.map(({ column, format }) => (
                  <td key={column}>{format(series[column][index]!)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
