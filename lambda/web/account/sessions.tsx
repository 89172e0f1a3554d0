// The sessions of the user, with buttons to end them.
import type { ReactNode } from 'react';
import { accountWords } from '#words/account.ts';
import { post } from '../requests.ts';
import { useLoaded } from '../use-loaded.ts';
import { deviceWords } from './device-words.ts';
import { Rows, Section, Time } from './section.tsx';

interface SessionRow {
  readonly id: string;
  readonly createdAt: string;
  readonly address: string | null;
  readonly userAgent: string | null;
  readonly isCurrent: boolean;
}

const words = accountWords.sessions;

export function Sessions(): ReactNode {
  const sessions = useLoaded<{ data: readonly SessionRow[] }>('/account/sessions');
  const end = async (id: string): Promise<void> => {
    await post('/account/sessions/end', { id });
    sessions.reload();
  };
  return (
    <Section heading={words.title}>
      <Rows
        loaded={sessions}
        none={words.none}
        row={({ id, createdAt, address, userAgent, isCurrent }) => (
          <li key={id}>
            <div>
              <strong>{deviceWords(userAgent)}</strong> {isCurrent && words.here}
              <p className="hint">
                {address} · {words.since} <Time at={createdAt} />
              </p>
            </div>
            {!isCurrent && (
              <button
                type="button"
                onClick={() => void end(id)}
                aria-label={words.endOf(deviceWords(userAgent), createdAt)}
              >
                {words.end}
              </button>
            )}
          </li>
        )}
      />
    </Section>
  );
}
