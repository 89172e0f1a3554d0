// The API keys of the user: creates them, shows each once, lists and revokes them.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { scopes } from '../../operations/scopes.ts';
import { CopyButton } from '../app/copy-button.tsx';
import { Field, Form } from '../form.tsx';
import { Choice } from '../kit/choice.tsx';
import { post } from '../requests.ts';
import { useLoaded } from '../use-loaded.ts';
import { Rows, Section, Time } from './section.tsx';

interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly start: string;
  readonly scopes: readonly string[] | null;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly expiresAt: string | null;
}

const expiries = [
  ['', 'Never'],
  ['7', 'In 7 days'],
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['365', 'In a year'],
] as const;

export function ApiKeys(): ReactNode {
  const keys = useLoaded<{ data: readonly ApiKey[] }>('/account/api-keys');
  const [made, setMade] = useState<{ name: string; key: string } | null>(null);
  const create = async ({ name = '', days = '', ...boxes }: Readonly<Record<string, string>>): Promise<void> => {
    const chosen = Object.keys(scopes).filter((scope) => scope in boxes);
    const limits = {
      ...(days === '' ? {} : { expiresInDays: Number(days) }),
      ...(chosen.length === 0 ? {} : { scopes: chosen }),
    };
    setMade(await post<{ name: string; key: string }>('/account/api-keys/create', { name, ...limits }));
    keys.reload();
  };
  const revoke = async (id: string): Promise<void> => {
    await post('/account/api-keys/revoke', { id });
    setMade(null);
    keys.reload();
  };
  return (
    <Section heading="API keys">
      <p className="hint">A key is as good as your password. Send it in the header X-API-Key.</p>
      <Rows
        loaded={keys}
        none="No keys yet."
        row={({ id, name, start, scopes: granted, createdAt, lastUsedAt, expiresAt }) => (
          <li key={id}>
            <div>
              <strong>{name}</strong> <code>{start}…</code>
              <p className="hint">
                {granted?.join(', ') ?? 'Full access'} · made <Time at={createdAt} /> ·{' '}
                {lastUsedAt ? (
                  <>
                    last used <Time at={lastUsedAt} />
                  </>
                ) : (
                  'never used'
                )}
                {expiresAt && (
                  <>
                    {' '}
                    · expires <Time at={expiresAt} />
                  </>
                )}
              </p>
            </div>
            <button type="button" onClick={() => void revoke(id)} aria-label={`Revoke the key ${name}`}>
              Revoke
            </button>
          </li>
        )}
      />
      <div role="status">
        {made && (
          <div className="made">
            <p>
              This is the key <strong>{made.name}</strong>. It is shown this once: copy it now.
            </p>
            <p>
              <code className="secret">{made.key}</code>
              <CopyButton text={made.key} />
            </p>
          </div>
        )}
      </div>
      <h3>Make a key</h3>
      <Form action="Make the key" onSubmit={create} isReset className="in-row">
        <Field name="name" label="Name of the key" maxLength={100} autoComplete="off" />
        <Choice name="days" label="Expires" options={expiries} />
        <fieldset>
          <legend>Limited to (nothing chosen: full access)</legend>
          {Object.entries(scopes).map(([scope, grants]) => (
            <label key={scope}>
              <input type="checkbox" name={scope} /> {grants}
            </label>
          ))}
        </fieldset>
      </Form>
    </Section>
  );
}
