// The part “On air” of a stream: the latest picture with figures, now and next, and measurements over time.
import type { ReactNode } from 'react';
import { useLive } from '../app/live-data.ts';
import { useNow } from '../app/now.ts';
import type { LiveInput, Stream } from '../app/types.ts';
import { QueuesOfStream } from '../programmes/programmes-of-stream.tsx';
import { Evidence } from './evidence.tsx';
import { Figures } from './figures.tsx';
import { LiveTakeover } from './live-takeover.tsx';
import { Timeline } from './timeline.tsx';
import { useTakeover } from './use-takeover.ts';

export function OnAirPart({ stream }: { readonly stream: Stream }): ReactNode {
  const takeover = useTakeover(stream);
  const path = `/live-inputs?streamID=${stream.id}`;
  const inputs = useLive<{ readonly data: readonly LiveInput[] }>(takeover ? path : null)?.data?.data ?? [];
  const now = useNow();
  const isTakenOver = takeover?.state === 'shown' && takeover.shownAt !== null && Date.parse(takeover.shownAt) <= now;
  return (
    <>
      {takeover && <LiveTakeover stream={stream} inputs={inputs} />}
      <div className="columns on-air">
        <Evidence stream={stream} isTakenOver={isTakenOver} />
        <div className="stack">
          <Timeline stream={stream} />
          <QueuesOfStream stream={stream} />
        </div>
      </div>
      <Figures stream={stream} />
    </>
  );
}
