// The secret of a webhook, which the API answers only once.
import type { ReactNode } from 'react';
import { CopyButton } from '../app/copy-button.tsx';
import { webhooksWords } from '#words/alerts.ts';

export function SecretOnce({ secret }: { readonly secret: string | null }): ReactNode {
  return (
    <div role="status">
      {secret !== null && (
        <div className="made">
          <p>{webhooksWords.secret}</p>
          <p>
            <code className="secret">{secret}</code>
            <CopyButton text={secret} />
          </p>
        </div>
      )}
    </div>
  );
}
