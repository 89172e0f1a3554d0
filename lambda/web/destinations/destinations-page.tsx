// The destinations of streams. Their keys are never shown again.
import type { ReactNode } from 'react';
import { Age } from '../app/age.tsx';
import { call } from '../app/api.ts';
import { Ask } from '../app/ask.tsx';
import { refresh, useLive } from '../app/live-data.ts';
import { Loaded } from '../app/loaded.tsx';
import { MoreButton } from '../app/more-button.tsx';
import type { Destination, Page, Stream } from '../app/types.ts';
import { usePages } from '../app/use-pages.ts';
import { Field, Form } from '../form.tsx';
import { words } from '../words/en.ts';
import { Archived } from './archived.tsx';
import { BroadcastSettings } from './broadcast-settings.tsx';
import { useCheck } from './check.tsx';
import { Connections } from './connections.tsx';
import { DestinationForm } from './destination-form.tsx';

const path = '/destinations?limit=100';
/** The interval of reading pending checks. A check that no publisher claims expires without an entry in /changes. */
const pendingEveryMs = 5000;

export function DestinationsPage(): ReactNode {
  const { data: known } = useLive<Page<Destination>>(path);
  const isAnyPending = known?.data.some(({ lastCheck }) => lastCheck?.state === 'pending') ?? false;
  const { first, items, more } = usePages<Destination>(path, isAnyPending ? pendingEveryMs : undefined);
  const { data: streams } = useLive<Page<Stream>>('/streams?limit=100');
  return (
    <div className="screen">
      <h1>{words.destinations.title}</h1>
      <Loaded live={first} path={path}>
        {() =>
          items.length === 0 ? (
            <p className="hint">{words.destinations.empty}</p>
          ) : (
            <ul className="rows long">
              {items.map((destination) => (
                <Row
                  key={destination.id}
                  destination={destination}
                  users={(streams?.data ?? []).filter(({ outputs }) =>
                    outputs.some(({ destinationID }) => destinationID === destination.id),
                  )}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
      <MoreButton more={more} />
      <section aria-labelledby="add">
        <h2 id="add">{words.destinations.add}</h2>
        <DestinationForm onMade={() => refresh('/destinations')} />
      </section>
      <Connections />
      <BroadcastSettings />
      <Archived />
    </div>
  );
}

function Row({
  destination,
  users,
}: {
  readonly destination: Destination;
  readonly users: readonly Stream[];
}): ReactNode {
  const { id, name, url, lastUsedAt, platform } = destination;
  const check = useCheck(destination);
  const change = async ({ streamKey }: Readonly<Record<string, string>>): Promise<void> => {
    await call('PATCH', `/destinations/${id}`, { streamKey });
    refresh('/destinations');
  };
  return (
    <li className="tall">
      <div>
        <strong>{name}</strong>
        <p className="hint">
          {platform && `${platform} · `}
          {url === undefined ? words.destinations.channel : <code>{url}</code>}
        </p>
        <p className="hint">
          {lastUsedAt === undefined ? (
            words.destinations.neverUsed
          ) : (
            <>
              {words.destinations.used} <Age at={lastUsedAt} />
            </>
          )}
          {' · '}
          {words.destinations.streams(users.length)}
        </p>
        {url !== undefined && (
          <>
            {check.found}
            <details>
              <summary>{words.destinations.replaceKey}</summary>
              <Form action={words.save} onSubmit={change} isReset>
                <Field name="streamKey" label={words.destinations.newKey} type="password" autoComplete="off" />
              </Form>
            </details>
          </>
        )}
      </div>
      <div className="state">
        {url !== undefined && check.button}
        <Ask
          action={words.remove}
          tone="grave"
          question={words.destinations.removeAsk(name)}
          explanation={words.destinations.removeText}
          onYes={async () => {
            await call('DELETE', `/destinations/${id}`);
            refresh('/destinations');
          }}
        />
      </div>
    </li>
  );
}
