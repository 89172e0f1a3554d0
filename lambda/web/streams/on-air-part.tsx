// The part “On air” of a stream: the latest picture with figures, now and next, and measurements over time.
import type { ReactNode } from 'react';
import type { Stream } from '../app/types.ts';
import { QueuesOfStream } from '../programmes/programmes-of-stream.tsx';
import { Evidence } from './evidence.tsx';
import { Figures } from './figures.tsx';
import { Timeline } from './timeline.tsx';

export function OnAirPart({ stream }: { readonly stream: Stream }): ReactNode {
  return (
    <>
      <div className="columns on-air">
        <Evidence stream={stream} />
        <div className="stack">
          <Timeline stream={stream} />
          <QueuesOfStream stream={stream} />
        </div>
      </div>
      <Figures streamID={stream.id} />
    </>
  );
}
