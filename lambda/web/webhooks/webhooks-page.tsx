// The webhooks: their addresses, whether deliveries succeed, and a form to add one and see its secret once.
import { Plus, Webhook as WebhookIcon } from 'lucide-react';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { Age } from '../app/age.tsx';
import { call } from '../app/api.ts';
import { refresh } from '../app/live-data.ts';
import { PagedRows } from '../app/paged-rows.tsx';
import { Link } from '../app/router.tsx';
import type { Webhook } from '../app/types.ts';
import { usePages } from '../app/use-pages.ts';
import { Empty } from '../kit/empty.tsx';
import { FormButton } from '../kit/form-button.tsx';
import { DevelopersParts } from '../developers/developers-parts.tsx';
import { webhooksWords } from '#words/alerts.ts';
import { SecretOnce } from './secret-once.tsx';
import { WebhookBadge } from './webhook-badge.tsx';
import { WebhookForm } from './webhook-form.tsx';
import type { WebhookWish } from './webhook-form.tsx';

const path = '/webhooks?limit=50';

export function WebhooksPage(): ReactNode {
  const [secret, setSecret] = useState<string | null>(null);
  const add = async (wish: WebhookWish): Promise<void> => {
    setSecret((await call<{ secret: string }>('POST', '/webhooks', wish)).secret);
    refresh('/webhooks');
  };
  return (
    <div className="screen">
      <div className="heading">
        <h1>{webhooksWords.title}</h1>
        <FormButton action={webhooksWords.add} icon={<Plus aria-hidden />} tone="primary" isWide>
          {({ close, cancel }) => (
            <WebhookForm
              webhook={null}
              cancel={cancel}
              onSave={async (wish) => {
                await add(wish);
                close();
              }}
            />
          )}
        </FormButton>
      </div>
      <DevelopersParts />
      <SecretOnce secret={secret} />
      <PagedRows
        pages={usePages<Webhook>(path)}
        none={<Empty icon={<WebhookIcon aria-hidden />} title={webhooksWords.empty} text={webhooksWords.text} />}
        isLong
      >
        {(webhook) => <Row key={webhook.id} webhook={webhook} />}
      </PagedRows>
    </div>
  );
}

function Row({ webhook }: { readonly webhook: Webhook }): ReactNode {
  const { id, url, events, lastDeliveredAt, disabledReason } = webhook;
  return (
    <li>
      <div>
        <Link href={`/webhooks/${id}`} className="title">
          <code>{url}</code>
        </Link>
        <p className="hint">
          {webhooksWords.eventCount(events.length)} ·{' '}
          {lastDeliveredAt === null ? (
            webhooksWords.never
          ) : (
            <>
              {webhooksWords.taken} <Age at={lastDeliveredAt} />
            </>
          )}
        </p>
        {disabledReason && <p className="error">{disabledReason.detail}</p>}
      </div>
      <p className="state">
        <WebhookBadge webhook={webhook} />
      </p>
    </li>
  );
}
