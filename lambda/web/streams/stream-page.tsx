// One stream: its state with evidence, actions, the timeline, outputs, and history.
import type { ReactNode } from 'react';
import { Age } from '../app/age.tsx';
import type { ScreenProps } from '../app/screen.ts';
import { useLive } from '../app/live-data.ts';
import { Loaded } from '../app/loaded.tsx';
import { StreamBadge } from '../app/state-badge.tsx';
import type { Stream, Transition } from '../app/types.ts';
import { ProgrammesOfStream } from '../programmes/programmes-of-stream.tsx';
import { words } from '../words/en.ts';
import { Broadcasts } from './broadcasts.tsx';
import { Evidence } from './evidence.tsx';
import { Figures } from './figures.tsx';
import { Outputs } from './outputs.tsx';
import { nameOf } from './stream-name.ts';
import { SoundAndLook } from './sound-and-look.tsx';
import { StartAndStop } from './start-and-stop.tsx';
import { StreamSettings } from './stream-settings.tsx';
import { Timeline } from './timeline.tsx';

export function StreamPage({ id }: ScreenProps): ReactNode {
  const path = `/streams/${id}`;
  const live = useLive<Stream>(path);
  if (live.error?.status === 404) return <p className="screen">{words.stream.missing}</p>;
  return (
    <div className="screen">
      <Loaded live={live} path={path}>
        {(stream) => <Shown stream={stream} />}
      </Loaded>
    </div>
  );
}

function Shown({ stream }: { readonly stream: Stream }): ReactNode {
  const since = stream.transitions[0]?.at ?? stream.updatedAt;
  // A new stream stays `starting` for half a minute, although its output may already report a failure.
  const failing = stream.outputs.find(({ state }) => state === 'failing');
  const reason = stream.stateReason ?? failing?.reason ?? null;
  const isWrong = stream.state === 'failing' || stream.state === 'failed' || failing !== undefined;
  return (
    <>
      <div className="heading">
        <h1>{nameOf(stream)}</h1>
        <StartAndStop stream={stream} />
      </div>
      <p role="status">
        <StreamBadge {...stream} />{' '}
        <span className="hint">
          <Age at={since} />
        </span>
      </p>
      {isOnBackup(stream) && <p className="hint">{words.stream.onBackup}</p>}
      {reason && <p className={isWrong ? 'error' : 'hint'}>{reason.detail}</p>}
      <div className="columns">
        <Evidence stream={stream} />
        <Timeline stream={stream} />
      </div>
      <ProgrammesOfStream stream={stream} />
      <Outputs stream={stream} />
      {stream.streamDestination === 'managed' && <Broadcasts stream={stream} />}
      <Figures streamID={stream.id} />
      <SoundAndLook stream={stream} />
      <StreamSettings stream={stream} />
      <History transitions={stream.transitions} />
    </>
  );
}

/** Whether viewers receive only the backup's feed. */
function isOnBackup({ state, replicas }: Stream): boolean {
  const isAny = (wanted: string) => replicas.some(({ role, state: of }) => role === wanted && of === 'live');
  return state === 'active' && isAny('backup') && !isAny('primary');
}

function History({ transitions }: { readonly transitions: readonly Transition[] }): ReactNode {
  return (
    <section aria-labelledby="history">
      <h2 id="history">{words.stream.history}</h2>
      {transitions.length === 0 && <p className="hint">{words.stream.noHistory}</p>}
      <ol className="rows">
        {transitions.map(({ id, cause, to, at }) => (
          <li key={id}>
            <span>{words.causes[cause]}</span>
            <span className="hint">
              {words.states[to]} · <Age at={at} />
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
