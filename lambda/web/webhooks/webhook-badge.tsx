// Whether a webhook is enabled: a word with a colour.
import type { ReactNode } from 'react';
import type { Webhook } from '../app/types.ts';
import { webhooksWords } from '#words/alerts.ts';

export function WebhookBadge({ webhook: { enabled, disabledReason } }: { readonly webhook: Webhook }): ReactNode {
  return (
    <span className="badge" data-tone={enabled ? 'live' : disabledReason ? 'wrong' : 'quiet'}>
      {enabled ? webhooksWords.on : webhooksWords.off}
    </span>
  );
}
