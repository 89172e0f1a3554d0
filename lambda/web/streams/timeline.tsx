// The current and next items of a stream, in the user's local time.
import type { ReactNode } from 'react';
import { formatDuration, formatTime } from '../app/format.ts';
import { useLive } from '../app/live-data.ts';
import { Loaded } from '../app/loaded.tsx';
import { useNow } from '../app/now.ts';
import type { Page, Stream, TimelineRow } from '../app/types.ts';
import { words } from '../words/en.ts';

const everyMs = 15_000;
const shown = 5;

export function Timeline({ stream }: { readonly stream: Stream }): ReactNode {
  const path = `/streams/${stream.id}/timeline?limit=${shown + 1}`;
  const timeline = useLive<Page<TimelineRow>>(path, everyMs);
  return (
    <section aria-labelledby="timeline">
      <h2 id="timeline">{words.stream.timeline}</h2>
      <Loaded live={timeline} path={path}>
        {({ data }) => <Rows rows={data} isOnAir={stream.state === 'active'} />}
      </Loaded>
    </section>
  );
}

function Rows({ rows, isOnAir }: { readonly rows: readonly TimelineRow[]; readonly isOnAir: boolean }): ReactNode {
  const now = useNow();
  const coming = rows.filter(({ endAt }) => Date.parse(endAt) > now).slice(0, shown);
  if (coming.length === 0) return <p className="hint">{words.stream.noTimeline}</p>;
  return (
    <ol className="rows">
      {coming.map((row) => {
        const isNow = isOnAir && Date.parse(row.startAt) <= now;
        return (
          <li key={row.startAt} aria-current={isNow}>
            <span className="name">{row.name}</span>
            <span className="hint">
              {isNow
                ? `${words.stream.now} · ${words.stream.ends(formatDuration((Date.parse(row.endAt) - now) / 1000))}`
                : formatTime(row.startAt)}
            </span>
          </li>
        );
      })}
    </ol>
  );
}
