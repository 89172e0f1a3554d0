// The applications that the user has authorized, with buttons to disconnect them.
import type { ReactNode } from 'react';
import { accountWords } from '#words/account.ts';
import { post } from '../requests.ts';
import { scopeWords } from '../scope-words.ts';
import { useLoaded } from '../use-loaded.ts';
import { Rows, Section, Time } from './section.tsx';

interface Application {
  readonly clientID: string;
  readonly name: string | null;
  readonly scopes: readonly string[];
  readonly connectedAt: string;
}

const words = accountWords.applications;

export function Applications(): ReactNode {
  const applications = useLoaded<{ data: readonly Application[] }>('/account/applications');
  const disconnect = async (clientID: string): Promise<void> => {
    await post('/account/applications/disconnect', { clientID });
    applications.reload();
  };
  return (
    <Section heading={words.title}>
      <Rows
        loaded={applications}
        none={words.none}
        row={({ clientID, name, scopes, connectedAt }) => (
          <li key={clientID}>
            <div>
              <strong>{name ?? clientID}</strong>
              <p className="hint">
                {scopes.map(scopeWords).join(' · ')} · {words.since} <Time at={connectedAt} />
              </p>
            </div>
            <button
              type="button"
              onClick={() => void disconnect(clientID)}
              aria-label={words.disconnectOf(name ?? clientID)}
            >
              {words.disconnect}
            </button>
          </li>
        )}
      />
    </Section>
  );
}
