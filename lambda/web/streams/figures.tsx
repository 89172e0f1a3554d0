// The figures of a stream over time, in a range that the user chooses.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { isLive } from '../../domain/streams/stream-lifecycle.ts';
import { useLive } from '../app/live-data.ts';
import { Loaded } from '../app/loaded.tsx';
import type { Stream } from '../app/types.ts';
import { Choice } from '../kit/choice.tsx';
import { words } from '#words';
import { SeriesCharts, SeriesTable } from './series-chart.tsx';
import type { Series } from './series-chart.tsx';

type Range = keyof typeof words.stream.ranges;

const stepMs: Readonly<Record<Range, number>> = { '10s': 10_000, '5m': 300_000, '1h': 3_600_000 };

export function Figures({ stream: { id, state } }: { readonly stream: Stream }): ReactNode {
  const [range, setRange] = useState<Range>('10s');
  const path = `/streams/${id}/stats/history?resolution=${range}`;
  const series = useLive<Series>(path, isLive(state) ? Math.max(10_000, stepMs[range] / 5) : Infinity);
  if (!isLive(state) && (series.data?.times.length ?? 0) < 2) return null;
  return (
    <section aria-labelledby="figures">
      <div className="heading">
        <h2 id="figures">{words.stream.figures}</h2>
        <Choice
          name="range"
          label={words.stream.range}
          isLabelHidden
          value={range}
          onChange={(value) => setRange(value as Range)}
          options={Object.entries(words.stream.ranges)}
        />
      </div>
      <Loaded live={series} path={path}>
        {(data) =>
          data.times.length < 2 ? (
            <p className="hint">{words.stream.noFigures}</p>
          ) : (
            <>
              <SeriesCharts series={data} stepMs={stepMs[range]} />
              <SeriesTable series={data} />
            </>
          )
        }
      </Loaded>
    </section>
  );
}
