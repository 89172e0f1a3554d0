// One webhook: a test, a new secret, its event types, and its deliveries.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { Age } from '../app/age.tsx';
import { call } from '../app/api.ts';
import { Ask } from '../kit/ask.tsx';
import { FormButton } from '../kit/form-button.tsx';
import { refresh, show, useLive } from '../app/live-data.ts';
import { Loaded } from '../app/loaded.tsx';
import { navigate } from '../app/router.tsx';
import type { ScreenProps } from '../app/screen.ts';
import type { Webhook } from '../app/types.ts';
import { useAttempt } from '../use-attempt.ts';
import { NotFoundPage } from '../not-found-page.tsx';
import { words } from '#words';
import { webhooksWords } from '#words/alerts.ts';
import { Deliveries } from './deliveries.tsx';
import { SecretOnce } from './secret-once.tsx';
import { WebhookBadge } from './webhook-badge.tsx';
import { WebhookForm } from './webhook-form.tsx';

export function WebhookPage({ id }: ScreenProps): ReactNode {
  const path = `/webhooks/${id}`;
  const live = useLive<Webhook>(path);
  if (live.error?.status === 404) return <NotFoundPage text={webhooksWords.missing} />;
  return (
    <div className="screen">
      <Loaded live={live} path={path}>
        {(webhook) => <Shown webhook={webhook} path={path} />}
      </Loaded>
    </div>
  );
}

function Shown({ webhook, path }: { readonly webhook: Webhook; readonly path: string }): ReactNode {
  const { id, url, enabled, disabledReason, lastDeliveredAt } = webhook;
  const [secret, setSecret] = useState<string | null>(null);
  const { attempt, error } = useAttempt(async (work: () => Promise<unknown>) => {
    await work();
    refresh(path);
  });
  const change = async (wish: object): Promise<void> => {
    show(path, await call('PATCH', path, wish));
    refresh('/webhooks?');
  };
  return (
    <>
      <h1>{webhooksWords.one}</h1>
      <p>
        <code>{url}</code> <WebhookBadge webhook={webhook} />{' '}
        {lastDeliveredAt !== null && (
          <span className="hint">
            {webhooksWords.taken} <Age at={lastDeliveredAt} />
          </span>
        )}
      </p>
      {disabledReason && <p className="error">{disabledReason.detail}</p>}
      <p className="buttons start">
        <button
          type="button"
          className="primary"
          disabled={!enabled}
          onClick={() => void attempt(() => call('POST', `${path}/test`))}
        >
          {webhooksWords.test}
        </button>
        <button type="button" onClick={() => void attempt(() => change({ enabled: !enabled }))}>
          {enabled ? webhooksWords.disable : webhooksWords.enable}
        </button>
        <FormButton action={webhooksWords.change} isWide>
          {({ close, cancel }) => (
            <WebhookForm
              webhook={webhook}
              cancel={cancel}
              onSave={async (wish) => {
                await change(wish);
                close();
              }}
            />
          )}
        </FormButton>
        <Ask
          action={webhooksWords.rotate}
          question={webhooksWords.rotateAsk}
          explanation={webhooksWords.rotateText}
          onYes={async () => setSecret((await call<{ secret: string }>('POST', `${path}/rotate-secret`)).secret)}
        />
        <Ask
          action={words.remove}
          tone="grave"
          question={webhooksWords.removeAsk(url)}
          explanation={webhooksWords.removeText}
          onYes={async () => {
            await call('DELETE', path);
            refresh('/webhooks?');
            navigate('/webhooks');
          }}
        />
      </p>
      <div role="alert">{error !== null && <p className="error">{error}</p>}</div>
      <SecretOnce secret={secret} />
      <Deliveries webhookID={id} />
    </>
  );
}
