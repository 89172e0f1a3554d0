// The destinations of streams. Their keys are never shown again.
import { Plus, Send } from 'lucide-react';
import type { ReactNode } from 'react';
import { Age } from '../app/age.tsx';
import { Ask } from '../kit/ask.tsx';
import { Empty } from '../kit/empty.tsx';
import { FormButton } from '../kit/form-button.tsx';
import { change, refresh, useLive } from '../app/live-data.ts';
import { PagedRows } from '../app/paged-rows.tsx';
import type { Destination, Page, Stream } from '../app/types.ts';
import { usePages } from '../app/use-pages.ts';
import { Field, Form } from '../form.tsx';
import { words } from '#words';
import { channelsWords } from '#words/channels.ts';
import { destinationsWords } from '#words/destinations.ts';
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
  const { data: streams } = useLive<Page<Stream>>('/streams?limit=100');
  const pages = usePages<Destination>(path, isAnyPending ? pendingEveryMs : undefined);
  // The list of connected channels has the others.
  const addresses = pages.items.filter(({ url }) => url !== undefined);
  return (
    <div className="screen">
      <div className="heading">
        <h1>{destinationsWords.title}</h1>
        <FormButton action={destinationsWords.add} icon={<Plus aria-hidden />} tone="primary">
          {({ close, cancel }) => (
            <DestinationForm
              cancel={cancel}
              onMade={() => {
                refresh('/destinations');
                close();
              }}
            />
          )}
        </FormButton>
      </div>
      <PagedRows
        pages={{ ...pages, items: addresses }}
        none={<Empty icon={<Send aria-hidden />} title={destinationsWords.empty} text={destinationsWords.emptyText} />}
        isLong
      >
        {(destination) => (
          <Row
            key={destination.id}
            destination={destination}
            users={(streams?.data ?? []).filter(({ outputs }) =>
              outputs.some(({ destinationID }) => destinationID === destination.id),
            )}
          />
        )}
      </PagedRows>
      <Connections />
      <BroadcastSettings />
      <Archived />
    </div>
  );
}

/** The name of a platform as it writes it. */
function platformWords(platform: string): string {
  const names = { ...destinationsWords.presets, ...channelsWords.platforms };
  return new Map(Object.entries(names)).get(platform) ?? platform;
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
  const isOnAir = users.some(({ state }) => state === 'active');
  return (
    <li className="tall">
      <div>
        <strong>{name}</strong>
        <p className="hint">
          {platform && `${platformWords(platform)} · `}
          <code>{url}</code>
        </p>
        <p className="hint">
          {isOnAir ? (
            destinationsWords.onAir
          ) : lastUsedAt === undefined ? (
            destinationsWords.neverUsed
          ) : (
            <>
              {destinationsWords.used} <Age at={lastUsedAt} />
            </>
          )}
          {' · '}
          {destinationsWords.streams(users.length)}
        </p>
        {check.found}
      </div>
      <div className="state">
        {check.button}
        <KeyButton destination={destination} />
        <Ask
          action={words.remove}
          tone="grave"
          question={destinationsWords.removeAsk(name)}
          explanation={destinationsWords.removeText}
          onYes={() => change('DELETE', `/destinations/${id}`, ['/destinations'])}
        />
      </div>
    </li>
  );
}

function KeyButton({ destination: { id, name } }: { readonly destination: Destination }): ReactNode {
  return (
    <FormButton action={destinationsWords.replaceKey} label={destinationsWords.replaceKeyOf(name)}>
      {({ close, cancel }) => (
        <Form
          action={words.save}
          beside={cancel}
          onSubmit={async ({ streamKey }) => {
            await change('PATCH', `/destinations/${id}`, ['/destinations'], { streamKey });
            close();
          }}
        >
          <Field name="streamKey" label={destinationsWords.newKey} type="password" autoComplete="off" />
        </Form>
      )}
    </FormButton>
  );
}
