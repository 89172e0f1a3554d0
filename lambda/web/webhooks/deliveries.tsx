// The deliveries of a webhook: attempts, answers, and a button to send an event again.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { Age } from '../app/age.tsx';
import { change } from '../app/live-data.ts';
import { PagedRows } from '../app/paged-rows.tsx';
import type { WebhookDelivery } from '../app/types.ts';
import { usePages } from '../app/use-pages.ts';
import { Failure } from '../form.tsx';
import { Choice } from '../kit/choice.tsx';
import { useAttempt } from '../use-attempt.ts';
import { webhooksWords } from '#words/alerts.ts';

const tones = { pending: 'moving', delivered: 'live', failed: 'wrong' } as const;
/** The interval of reading deliveries, which /changes does not report. */
const everyMs = 4000;

export function Deliveries({ webhookID }: { readonly webhookID: string }): ReactNode {
  const [state, setState] = useState('');
  const path = `/webhooks/${webhookID}/deliveries?limit=20${state === '' ? '' : `&state=${state}`}`;
  return (
    <section aria-labelledby="deliveries">
      <h2 id="deliveries">{webhooksWords.deliveries}</h2>
      <Choice
        name="state"
        label={webhooksWords.filter}
        value={state}
        onChange={setState}
        options={[['', webhooksWords.everything], ...Object.entries(webhooksWords.states)]}
      />
      <PagedRows pages={usePages<WebhookDelivery>(path, everyMs)} none={webhooksWords.noDeliveries}>
        {(delivery) => <Row key={delivery.id} webhookID={webhookID} delivery={delivery} />}
      </PagedRows>
    </section>
  );
}

function Row({ webhookID, delivery }: { readonly webhookID: string; readonly delivery: WebhookDelivery }): ReactNode {
  const { id, eventType, state, attempts, createdAt, nextAttemptAt, responseStatus, responseExcerpt, failure } =
    delivery;
  const { attempt: again, error } = useAttempt(() =>
    change('POST', `/webhooks/${webhookID}/deliveries/${id}/redeliver`, [`/webhooks/${webhookID}`]),
  );
  return (
    <li className="tall">
      <div>
        <code>{eventType}</code>
        <p className="hint">
          <Age at={createdAt} /> · {webhooksWords.attempts(attempts)}
          {responseStatus !== null && ` · ${webhooksWords.answered(responseStatus)}`}
          {nextAttemptAt !== null && (
            <>
              {' · '}
              {webhooksWords.nextAttempt} <Age at={nextAttemptAt} />
            </>
          )}
        </p>
        {failure && <p>{failure.detail}</p>}
        {responseExcerpt !== null && responseExcerpt !== '' && (
          <details>
            <summary>{webhooksWords.answer}</summary>
            <pre className="scrolled" tabIndex={0}>
              {responseExcerpt}
            </pre>
          </details>
        )}
        <Failure error={error} />
      </div>
      <p className="state">
        <span className="badge" data-tone={tones[state]}>
          {webhooksWords.states[state]}
        </span>
        <button type="button" aria-label={webhooksWords.againOf(eventType)} onClick={() => void again()}>
          {webhooksWords.again}
        </button>
      </p>
    </li>
  );
}
