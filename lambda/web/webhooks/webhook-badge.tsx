// Whether a webhook is enabled: a word with a colour.
import type { ReactNode } from 'react';
import type { Webhook } from '../app/types.ts';
import { words } from '../words/en.ts';

export function WebhookBadge({ webhook: { enabled, disabledReason } }: { readonly webhook: Webhook }): ReactNode {
  return (
    <span className="badge" data-tone={enabled ? 'live' : disabledReason ? 'wrong' : 'quiet'}>
      {enabled ? words.webhooks.on : words.webhooks.off}
    </span>
  );
}
