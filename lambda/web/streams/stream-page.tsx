// One stream: its state and the next action on top, and its parts, each with an address.
import type { ReactNode } from 'react';
import { Loaded } from '../app/loaded.tsx';
import { useLive } from '../app/live-data.ts';
import { usePath } from '../app/router.tsx';
import type { ScreenProps } from '../app/screen.ts';
import type { Stream } from '../app/types.ts';
import { Parts } from '../kit/parts.tsx';
import { NotFoundPage } from '../not-found-page.tsx';
import { words } from '#words';
import { Broadcasts } from './broadcasts.tsx';
import { LivePart } from './live-part.tsx';
import { LogPart } from './log-part.tsx';
import { OnAirPart } from './on-air-part.tsx';
import { Outputs } from './outputs.tsx';
import { ProgrammePart } from './programme-part.tsx';
import { SoundAndLook } from './sound-and-look.tsx';
import { StreamHeader } from './stream-header.tsx';
import { StreamSettings } from './stream-settings.tsx';

type Part = keyof typeof words.stream.parts;

const contents: Readonly<Record<Part, (props: { readonly stream: Stream }) => ReactNode>> = {
  '': OnAirPart,
  programme: ProgrammePart,
  look: SoundAndLook,
  outputs: OutputsPart,
  live: LivePart,
  log: LogPart,
  settings: StreamSettings,
};

export function StreamPage({ id }: ScreenProps): ReactNode {
  const path = `/streams/${id}`;
  const live = useLive<Stream>(path);
  if (live.error?.status === 404) return <NotFoundPage text={words.stream.missing} />;
  return (
    <div className="screen">
      <Loaded live={live} path={path}>
        {(stream) => <Shown stream={stream} />}
      </Loaded>
    </div>
  );
}

function Shown({ stream }: { readonly stream: Stream }): ReactNode {
  const [, , , last = ''] = usePath().split('/');
  const Content = contents[last in contents ? (last as Part) : ''];
  const base = `/streams/${stream.id}`;
  return (
    <>
      <StreamHeader stream={stream} />
      <Parts
        label={words.stream.partsOf}
        parts={Object.entries(words.stream.parts).map(([part, name]) => [part === '' ? base : `${base}/${part}`, name])}
      />
      <Content stream={stream} />
    </>
  );
}

function OutputsPart({ stream }: { readonly stream: Stream }): ReactNode {
  return (
    <>
      <Outputs stream={stream} />
      {stream.streamDestination === 'managed' && <Broadcasts stream={stream} />}
    </>
  );
}
