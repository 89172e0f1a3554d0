// The API keys of the user: creates them, shows each once, lists and revokes them.
import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { accountWords, scopesWords } from '#words/account.ts';
import { CopyButton } from '../app/copy-button.tsx';
import { Field, Form } from '../form.tsx';
import { Ask } from '../kit/ask.tsx';
import { Choice } from '../kit/choice.tsx';
import { FormButton } from '../kit/form-button.tsx';
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

const words = accountWords.keys;
/** By the number of days; empty: it never expires. */
const expiries = ['', '7', '30', '90', '365'] as const;

export function ApiKeys(): ReactNode {
  const keys = useLoaded<{ data: readonly ApiKey[] }>('/account/api-keys');
  const [made, setMade] = useState<{ name: string; key: string } | null>(null);
  const create = async ({ name = '', days = '', ...boxes }: Readonly<Record<string, string>>): Promise<void> => {
    const chosen = Object.keys(scopesWords.ofService).filter((scope) => scope in boxes);
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
    <Section heading={words.title} name="api-keys" action={<MakeButton onMake={create} />}>
      <p className="hint">{words.text}</p>
      <Rows
        loaded={keys}
        none={words.none}
        row={({ id, name, start, scopes: granted, createdAt, lastUsedAt, expiresAt }) => (
          <li key={id}>
            <div>
              <strong>{name}</strong> <code>{start}…</code>
              <p className="hint">
                {granted?.join(', ') ?? words.fullAccess} · {words.made} <Time at={createdAt} /> ·{' '}
                {lastUsedAt ? (
                  <>
                    {words.lastUsed} <Time at={lastUsedAt} />
                  </>
                ) : (
                  words.neverUsed
                )}
                {expiresAt && (
                  <>
                    {' '}
                    · {words.expires} <Time at={expiresAt} />
                  </>
                )}
              </p>
            </div>
            <Ask
              action={words.revoke}
              label={words.revokeOf(name)}
              tone="grave"
              question={words.revokeAsk(name)}
              explanation={words.revokeText}
              onYes={() => revoke(id)}
            />
          </li>
        )}
      />
      <div role="status">
        {made && (
          <div className="made">
            <p>
              {words.once.before} <strong>{made.name}</strong>
              {words.once.after}
            </p>
            <p>
              <code className="secret">{made.key}</code>
              <CopyButton text={made.key} />
            </p>
          </div>
        )}
      </div>
    </Section>
  );
}

interface MakeButtonProps {
  readonly onMake: (fields: Readonly<Record<string, string>>) => Promise<void>;
}

function MakeButton({ onMake }: MakeButtonProps): ReactNode {
  return (
    <FormButton action={words.makeTitle} icon={<Plus aria-hidden />}>
      {({ close, cancel }) => (
        <Form
          action={words.make}
          beside={cancel}
          onSubmit={async (fields) => {
            await onMake(fields);
            close();
          }}
        >
          <Field name="name" label={words.name} maxLength={100} autoComplete="off" />
          <Choice
            name="days"
            label={words.expiry}
            options={expiries.map((days) => [days, words.expiries[days]] as const)}
          />
          <fieldset>
            <legend>{words.limits}</legend>
            {Object.entries(scopesWords.ofService).map(([scope, grants]) => (
              <label key={scope}>
                <input type="checkbox" name={scope} /> {grants}
              </label>
            ))}
          </fieldset>
        </Form>
      )}
    </FormButton>
  );
}
