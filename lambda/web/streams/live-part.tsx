// The part “Live” of a stream: its takeover, and the inputs at which contributors send.
import { RadioTower } from 'lucide-react';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { isLive } from '../../domain/streams/stream-lifecycle.ts';
import { useLive } from '../app/live-data.ts';
import { Loaded } from '../app/loaded.tsx';
import type { KeyedLiveInput, LiveInput, Stream } from '../app/types.ts';
import { Empty } from '../kit/empty.tsx';
import { liveWords } from '#words/live.ts';
import { LiveInputRow } from './live-input-row.tsx';
import { LiveInputSheet } from './live-input-sheet.tsx';
import { LiveKey } from './live-key.tsx';
import { LiveTakeover } from './live-takeover.tsx';

/** The interval of reading: `GET /changes` does not report sessions. */
const everyMs = 2000;

export function LivePart({ stream }: { readonly stream: Stream }): ReactNode {
  if (stream.streamBackend !== 'manifest')
    return (
      <section aria-labelledby="live">
        <h2 id="live">{liveWords.title}</h2>
        <p className="hint">{liveWords.needsPrepared}</p>
      </section>
    );
  return <Inputs stream={stream} />;
}

function Inputs({ stream }: { readonly stream: Stream }): ReactNode {
  const { id: streamID } = stream;
  const isOffAir = !isLive(stream.state);
  const path = `/live-inputs?streamID=${streamID}`;
  const inputs = useLive<{ readonly data: readonly LiveInput[] }>(path, everyMs);
  /** The input in the dialog; `new`: one that is made; null: the dialog is closed. */
  const [opened, setOpened] = useState<LiveInput | 'new' | null>(null);
  /** The input whose key was just made; null: none. */
  const [keyed, setKeyed] = useState<KeyedLiveInput | null>(null);
  const add = (
    <button type="button" onClick={() => setOpened('new')}>
      {liveWords.add}
    </button>
  );
  return (
    <>
      <LiveTakeover stream={stream} inputs={inputs.data?.data ?? []} />
      <section aria-labelledby="live">
        <div className="heading">
          <h2 id="live">{liveWords.title}</h2>
          {inputs.data && inputs.data.data.length > 0 && add}
        </div>
        <p className="hint">{liveWords.text}</p>
        {isOffAir && inputs.data && inputs.data.data.length > 0 && <p className="hint">{liveWords.offAir}</p>}
        {stream.state === 'failing' && <p className="fault">{liveWords.failing}</p>}
        <div role="status">{keyed && <LiveKey input={keyed} />}</div>
        <Loaded live={inputs} path={path}>
          {({ data }) =>
            data.length === 0 ? (
              <Empty icon={<RadioTower aria-hidden />} title={liveWords.emptyTitle} text={liveWords.empty}>
                {add}
              </Empty>
            ) : (
              <ul className="rows">
                {data.map((input) => (
                  <LiveInputRow key={input.id} input={input} onEdit={() => setOpened(input)} onKey={setKeyed} />
                ))}
              </ul>
            )
          }
        </Loaded>
      </section>
      {opened !== null && (
        <LiveInputSheet
          streamID={streamID}
          input={opened === 'new' ? null : opened}
          onKey={setKeyed}
          onClose={() => setOpened(null)}
        />
      )}
    </>
  );
}
