// The secret of a webhook, which the API answers only once.
import type { ReactNode } from 'react';
import { CopyButton } from '../app/copy-button.tsx';
import { words } from '../words/en.ts';

export function SecretOnce({ secret }: { readonly secret: string | null }): ReactNode {
  return (
    <div role="status">
      {secret !== null && (
        <div className="made">
          <p>{words.webhooks.secret}</p>
          <p>
            <code className="secret">{secret}</code>
            <CopyButton text={secret} />
          </p>
        </div>
      )}
    </div>
  );
}
