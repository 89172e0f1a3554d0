// The use of credits over time, of all streams or of one, and the share of each stream.
import { useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import { serviceNow } from '../app/api.ts';
import { formatBytes, formatMoment, formatNumber, formatWhole } from '../app/format.ts';
import { useLive } from '../app/live-data.ts';
import { Loaded } from '../app/loaded.tsx';
import { Link } from '../app/router.tsx';
import type { StreamUsage, Usage } from '../app/types.ts';
import { Chart } from '../kit/chart.tsx';
import { Choice } from '../kit/choice.tsx';
import { DataTable } from '../kit/data-table.tsx';
import { words } from '#words';
import { billingWords } from '#words/billing.ts';
import { locale } from '../app/locale.ts';

type Range = keyof typeof billingWords.ranges;

const dayMs = 86_400_000;
/** The length of each range, and the granularity of its bars. */
const ranges: Readonly<Record<Range, readonly [lengthMs: number, granularity: Usage['granularity']]>> = {
  day: [dayMs, 'hour'],
  month: [30 * dayMs, 'day'],
  year: [365 * dayMs, 'month'],
};
const everyMs = 60_000;
const hourMs = 3_600_000;

const dates = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
const months = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric' });
const formatStart: Readonly<Record<Usage['granularity'], (seconds: number) => string>> = {
  hour: (seconds) => formatMoment(seconds * 1000),
  day: (seconds) => dates.format(seconds * 1000),
  month: (seconds) => months.format(seconds * 1000),
};
const formatCredits = (credits: number) => billingWords.credits(formatNumber(credits));

export function UsageOverTime(): ReactNode {
  const [range, setRange] = useState<Range>('month');
  const [streamID, setStream] = useState('');
  const [lengthMs, granularity] = ranges[range];
  // The beginning is a whole hour, so that the address changes only once an hour.
  const from = new Date(Math.floor((serviceNow() - lengthMs) / hourMs) * hourMs).toISOString();
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const query = new URLSearchParams({ from, granularity, timeZone: zone, ...(streamID && { streamID }) });
  const path = `/billing/usage?${query}`;
  const streamsPath = `/billing/usage/streams?from=${encodeURIComponent(from)}`;
  const streams = useLive<{ readonly data: readonly StreamUsage[] }>(streamsPath, everyMs);
  return (
    <section aria-labelledby="usage">
      <div className="heading">
        <h2 id="usage">{billingWords.usage}</h2>
        <div className="state">
          <Choice
            name="stream"
            label={billingWords.stream}
            isLabelHidden
            value={streamID}
            onChange={setStream}
            options={[
              ['', billingWords.allStreams],
              ...(streams.data?.data ?? []).map((row) => [row.streamID, nameOf(row)] as const),
            ]}
          />
          <Choice
            name="range"
            label={words.stream.range}
            isLabelHidden
            value={range}
            onChange={(value) => setRange(value as Range)}
            options={Object.entries(billingWords.ranges)}
          />
        </div>
      </div>
      <Loaded live={useLive<Usage>(path, everyMs)} path={path}>
        {(usage) => <Bars usage={usage} />}
      </Loaded>
      <Loaded live={streams} path={streamsPath}>
        {({ data }) => data.length > 0 && <ByStream rows={data} />}
      </Loaded>
    </section>
  );
}

function Bars({ usage: { data, totals, granularity } }: { readonly usage: Usage }): ReactNode {
  const times = useMemo(() => data.map(({ start }) => Date.parse(start) / 1000), [data]);
  const values = useMemo(() => data.map(({ creditsSpent }) => creditsSpent), [data]);
  if (totals.liveSeconds + totals.creditsSpent === 0) return <p className="hint">{billingWords.noUsage}</p>;
  const total = billingWords.total(
    formatNumber(totals.creditsSpent),
    formatNumber(totals.liveSeconds / 3600),
    formatBytes(totals.bytesSent),
  );
  return (
    <>
      <Chart
        name={billingWords.creditsSpent}
        label={total}
        times={times}
        values={values}
        format={formatCredits}
        formatTick={formatWhole}
        formatTime={formatStart[granularity]}
        summary={total}
        shape="bars"
      />
      <details>
        <summary>{words.stream.table}</summary>
        <DataTable
          name={billingWords.usage}
          columns={[billingWords.columns.date, ...figureColumns]}
          numbers={figureColumns}
        >
          {data
            .filter(({ liveSeconds, creditsSpent }) => liveSeconds + creditsSpent > 0)
            .toReversed()
            .map((row) => (
              <tr key={row.start}>
                <th scope="row">{formatStart[granularity](Date.parse(row.start) / 1000)}</th>
                <Figures row={row} />
              </tr>
            ))}
        </DataTable>
      </details>
    </>
  );
}

const { hoursLive, creditsSpent, bytesSent } = billingWords;
const figureColumns = [hoursLive, creditsSpent, bytesSent];

function Figures({ row }: { readonly row: Usage['totals'] }): ReactNode {
  return (
    <>
      <td className="number">{formatNumber(row.liveSeconds / 3600)}</td>
      <td className="number">{formatNumber(row.creditsSpent)}</td>
      <td className="number">{formatBytes(row.bytesSent)}</td>
    </>
  );
}

function nameOf({ name, streamID }: StreamUsage): string {
  return name ?? billingWords.unnamed(streamID);
}

function ByStream({ rows }: { readonly rows: readonly StreamUsage[] }): ReactNode {
  return (
    <DataTable name={billingWords.byStream} columns={[billingWords.stream, ...figureColumns]} numbers={figureColumns}>
      {rows.map((row) => (
        <tr key={row.streamID}>
          <th scope="row">
            <Link href={`/streams/${row.streamID}`}>{nameOf(row)}</Link>
          </th>
          <Figures row={row} />
        </tr>
      ))}
    </DataTable>
  );
}
