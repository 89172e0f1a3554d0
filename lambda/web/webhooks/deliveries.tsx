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
import { words } from '../words/en.ts';

const tones = { pending: 'moving', delivered: 'live', failed: 'wrong' } as const;
/** The interval of reading deliveries, which /changes does not report. */
const everyMs = 4000;

export function Deliveries({ webhookID }: { readonly webhookID: string }): ReactNode {
  const [state, setState] = useState('');
  const path = `/webhooks/${webhookID}/deliveries?limit=20${state === '' ? '' : `&state=${state}`}`;
  return (
    <section aria-labelledby="deliveries">
      <h2 id="deliveries">{words.webhooks.deliveries}</h2>
      <Choice
        name="state"
        label={words.webhooks.filter}
        value={state}
        onChange={setState}
        options={[['', words.webhooks.everything], ...Object.entries(words.webhooks.states)]}
      />
      <PagedRows pages={usePages<WebhookDelivery>(path, everyMs)} none={words.webhooks.noDeliveries}>
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
          <Age at={createdAt} /> · {words.webhooks.attempts(attempts)}
          {responseStatus !== null && ` · ${words.webhooks.answered(responseStatus)}`}
          {nextAttemptAt !== null && (
            <>
              {' · '}
              {words.webhooks.nextAttempt} <Age at={nextAttemptAt} />
            </>
          )}
        </p>
        {failure && <p>{failure.detail}</p>}
        {responseExcerpt !== null && responseExcerpt !== '' && (
          <details>
            <summary>{words.webhooks.answer}</summary>
            <pre className="scrolled" tabIndex={0}>
              {responseExcerpt}
            </pre>
          </details>
        )}
        <Failure error={error} />
      </div>
      <p className="state">
        <span className="badge" data-tone={tones[state]}>
          {words.webhooks.states[state]}
        </span>
        <button type="button" aria-label={words.webhooks.againOf(eventType)} onClick={() => void again()}>
          {words.webhooks.again}
        </button>
      </p>
    </li>
  );
}
