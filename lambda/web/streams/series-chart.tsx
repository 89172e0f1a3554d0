// Measurements of a stream over time: charts with one time axis, and a table for screen readers.
import { useMemo } from 'react';
import type { ReactNode } from 'react';
import { formatBitrate, formatMoment, formatNumber, formatWhole } from '../app/format.ts';
import { Chart } from '../kit/chart.tsx';
import { DataTable } from '../kit/data-table.tsx';
import { words } from '#words';

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
/** A longer table is not usable. */
const mostTableRows = 60;

/** @param stepMs milliseconds between two measurements */
export function SeriesCharts({ series, stepMs }: { readonly series: Series; readonly stepMs: number }): ReactNode {
  const { times, rows } = useMemo(() => withGaps(series.times, stepMs), [series.times, stepMs]);
  return (
    <div className="charts">
      {columns.map((shown) => (
        <Measured key={shown.column} shown={shown} values={series[shown.column]} times={times} rows={rows} />
      ))}
    </div>
  );
}

interface MeasuredProps {
  readonly shown: Shown;
  readonly values: readonly number[];
  readonly times: readonly number[];
  /** The measurement at each time; null: there is none. */
  readonly rows: readonly (number | null)[];
}

function Measured({ shown: { column, name, format }, values, times, rows }: MeasuredProps): ReactNode {
  const [least, most] = [Math.min(...values), Math.max(...values)].map(format) as [string, string];
  const drawn = useMemo(() => rows.map((row) => (row === null ? null : values[row]!)), [rows, values]);
  return (
    <Chart
      name={name}
      label={words.stream.chart(name, least, most)}
      times={times}
      values={drawn}
      format={format}
      formatTime={momentOf}
      summary={words.stream.upTo(most)}
      shape={column === 'bitrateKbps' || column === 'framesPerSecond' ? 'line' : 'bars'}
      group="figures"
    />
  );
}

const momentOf = (seconds: number) => formatMoment(seconds * 1000);

/** The times in Unix seconds, with one more within each span that has no measurement: lines end there. */
function withGaps(times: readonly string[], stepMs: number) {
  const points = times.flatMap((time, row): { readonly atMs: number; readonly row: number | null }[] => {
    const atMs = Date.parse(time);
    const isAfterGap = row > 0 && atMs - Date.parse(times[row - 1]!) > 2.5 * stepMs;
    return isAfterGap
      ? [
          { atMs: atMs - stepMs, row: null },
          { atMs, row },
        ]
      : [{ atMs, row }];
  });
  return { times: points.map(({ atMs }) => atMs / 1000), rows: points.map(({ row }) => row) };
}

export function SeriesTable({ series }: { readonly series: Series }): ReactNode {
  const every = Math.ceil(series.times.length / mostTableRows);
  const names = columns.map(({ name }) => name);
  const rows = series.times.map((time, index) => ({ time, index })).filter(({ index }) => index % every === 0);
  return (
    <details>
      <summary>{words.stream.table}</summary>
      <DataTable name={words.stream.table} columns={[words.stream.time, ...names]} numbers={names}>
        {rows.map(({ time, index }) => (
          <tr key={time}>
            <th scope="row">{formatMoment(time)}</th>
            {columns.map(({ column, format }) => (
              <td key={column} className="number">
                {format(series[column][index]!)}
              </td>
            ))}
          </tr>
        ))}
      </DataTable>
    </details>
  );
}
