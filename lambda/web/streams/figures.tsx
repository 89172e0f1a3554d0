// The bitrate of a stream over time: a line for the eye, and a table for everybody else.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { formatBitrate, formatMoment, formatNumber, formatWhole } from '../app/format.ts';
import { useLive } from '../app/live-data.ts';
import { Loaded } from '../app/loaded.tsx';
import { words } from '../words/en.ts';

interface Series {
  readonly times: readonly string[];
  readonly bitrateKbps: readonly number[];
  readonly framesPerSecond: readonly number[];
  readonly droppedFrames: readonly number[];
  readonly reconnects: readonly number[];
}

type Range = keyof typeof words.stream.ranges;

const stepMs: Readonly<Record<Range, number>> = { '10s': 10_000, '5m': 300_000, '1h': 3_600_000 };
const size = { width: 720, height: 160 } as const;
/** A table longer than this is scrolled through by nobody. */
const mostTableRows = 60;

export function Figures({ streamID }: { readonly streamID: string }): ReactNode {
  const [range, setRange] = useState<Range>('10s');
  const path = `/streams/${streamID}/stats/history?resolution=${range}`;
  const series = useLive<Series>(path, Math.max(10_000, stepMs[range] / 5));
  return (
    <section aria-labelledby="figures">
      <div className="heading">
        <h2 id="figures">{words.stream.figures}</h2>
        <label>
          <span className="hidden">{words.stream.range}</span>
          <select value={range} onChange={(event) => setRange(event.target.value as Range)}>
            {Object.entries(words.stream.ranges).map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Loaded live={series} path={path}>
        {(data) =>
          data.times.length < 2 ? (
            <p className="hint">{words.stream.noFigures}</p>
          ) : (
            <>
              <Line series={data} step={stepMs[range]} />
              <Table series={data} />
            </>
          )
        }
      </Loaded>
    </section>
  );
}

function Line({ series: { times, bitrateKbps }, step }: { readonly series: Series; readonly step: number }): ReactNode {
  const at = times.map((time) => Date.parse(time));
  const [from, to] = [at[0]!, at.at(-1)!];
  const most = Math.max(1, ...bitrateKbps);
  const x = (ms: number) => ((ms - from) / (to - from)) * size.width;
  const y = (kbps: number) => size.height - (kbps / most) * (size.height - 4) - 2;
  // Where nothing was measured the line has a gap.
  const path = at
    .map((ms, index) => {
      const isGap = index === 0 || ms - at[index - 1]! > 2.5 * step;
      return `${isGap ? 'M' : 'L'}${x(ms).toFixed(1)} ${y(bitrateKbps[index]!).toFixed(1)}`;
    })
    .join('');
  const label = words.stream.chart(formatBitrate(Math.min(...bitrateKbps)), formatBitrate(most));
  return (
    <figure className="chart">
      <svg viewBox={`0 0 ${size.width} ${size.height}`} preserveAspectRatio="none" role="img" aria-label={label}>
        <path d={path} />
      </svg>
      <figcaption className="hint">
        <span>{formatMoment(times[0]!)}</span>
        <span>{formatBitrate(most)}</span>
        <span>{formatMoment(times.at(-1)!)}</span>
      </figcaption>
    </figure>
  );
}

function Table({ series }: { readonly series: Series }): ReactNode {
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
              <th scope="col">{words.stream.bitrate}</th>
              <th scope="col">{words.stream.fps}</th>
              <th scope="col">{words.stream.dropped}</th>
              <th scope="col">{words.stream.reconnects}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ time, index }) => (
              <tr key={time}>
                <th scope="row">{formatMoment(time)}</th>
                <td>{formatBitrate(series.bitrateKbps[index]!)}</td>
                <td>{formatNumber(series.framesPerSecond[index]!)}</td>
                <td>{formatWhole(series.droppedFrames[index]!)}</td>
                <td>{formatWhole(series.reconnects[index]!)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
