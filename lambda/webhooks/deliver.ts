// Delivers what is due to one webhook: it alone at a time, a few events at once, each settled by what the receiver answered.
import type { Pool } from 'pg';
import { databaseOn, inTransaction } from '../data/database.ts';
import type { Database } from '../data/database.ts';
import type { BegunDelivery } from '../data/webhook-deliveries.ts';
import type { Webhook } from '../data/webhooks.ts';
import { webhookSecretPlace } from '../domain/sealed-places.ts';
import { isUnanswered } from '../domain/webhook-failures.ts';
import { retryDelaySeconds, silenceSeconds } from '../domain/webhook-retries.ts';
import type { Log } from '../log.ts';
import { disableWebhook } from '../orchestration/disable-webhook.ts';
import type { Sealer } from '../ports/sealer/sealer.ts';
import { attempt } from './attempt.ts';
import type { AttemptOptions, Outcome } from './attempt.ts';
import { messageOf } from './message.ts';
import { signedHeaders } from './sign.ts';

export interface DeliveryParts {
  readonly pool: Pool;
  readonly sealer: Sealer;
  readonly attempts: AttemptOptions;
  readonly clock: () => Date;
  readonly steadyClock: () => number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly log: Log;
  /** Ends deliveries that are under way; they are made again later. */
  readonly signal: AbortSignal;
}

/** Events sent to one webhook at once. */
const atOnce = 8;
/** Longer than an attempt may take, so that nobody else takes over a sender that lives. */
const leaseSeconds = 30;
/** Of one user's webhooks at once, as a function serves few commands at a time, and waits for those that are slow. */
const sendersOfUser = 4;
/** A webhook to which more is due than this allows gives way to others. With the last attempts, within the time of the function. */
const turnMs = 10_000;

/**
 * Until nothing is due any more to this webhook, nor to others of its user, whose commands may have found all senders busy that a user
 * may have; or until the time is over: then commands of their own go on. What is due later has one.
 */
export async function deliverTo(parts: DeliveryParts, webhookID: string): Promise<void> {
  const data = databaseOn(parts.pool);
  const beganMs = parts.steadyClock();
  let next = webhookID;
  for (;;) {
    if (parts.signal.aborted) return;
    const webhook = await data.webhooks.lease(next, leaseSeconds, sendersOfUser);
    if (!webhook) return;
    let turn: Turn = { hasAnswered: false, hasDelivered: false };
    try {
      turn = await deliverSome(parts, webhook);
    } finally {
      await data.webhooks.release(webhook.id, turn);
    }
    const other = await data.webhooks.waitingBeside(webhook);
    if (parts.steadyClock() - beganMs < turnMs) {
      next = other ?? webhook.id;
      continue;
    }
    for (const id of other === null ? [webhook.id] : [webhook.id, other])
      await data.outbox.send({ queue: 'webhooks', body: { webhookID: id } });
    return;
  }
}

interface Turn {
  /** Whether it answered any attempt, whatever it said. */
  readonly hasAnswered: boolean;
  readonly hasDelivered: boolean;
}

async function deliverSome(parts: DeliveryParts, webhook: Webhook): Promise<Turn> {
  const { pool, sealer, clock, random } = parts;
  const secret = sealer.open(webhook.sealed_secret, webhookSecretPlace(webhook.id));
  const begun = await databaseOn(pool).webhookDeliveries.begin(webhook.id, atOnce);
  const turns = await Promise.allSettled(
    begun.map(async (delivery) => {
      const message = messageOf(delivery, clock());
      const outcome = await attempt(
        webhook.url,
        signedHeaders(message, secret),
        message.body,
        parts.attempts,
        parts.signal,
      );
      const { status, failure, retryAfterSeconds } = outcome;
      const delaySeconds =
        failure === null ? null : retryDelaySeconds(delivery.attempts, delivery.age_seconds, retryAfterSeconds, random);
      await inTransaction(pool, (data) => settle(data, webhook, delivery, outcome, delaySeconds, clock()));
      parts.log('webhook_attempted', {
        webhookID: webhook.id,
        deliveryID: delivery.id,
        attempts: delivery.attempts,
        status,
        failure,
        delaySeconds,
      });
      return failure;
    }),
  );
  const failed = turns.find((turn) => turn.status === 'rejected');
  if (failed) throw failed.reason;
  const failures = turns.flatMap((turn) => (turn.status === 'fulfilled' ? [turn.value] : []));
  const hasAnswered = failures.some((failure) => !isUnanswered(failure));
  // Nobody is there: other events, and those still to come, need not each find out by themselves.
  if (failures.length > 0 && !hasAnswered)
    await databaseOn(pool).webhooks.beSilent(webhook.id, silenceSeconds(webhook.silences + 1, random));
  return { hasAnswered, hasDelivered: failures.includes(null) };
}

async function settle(
  data: Database,
  webhook: Webhook,
  delivery: BegunDelivery,
  outcome: Outcome,
  delaySeconds: number | null,
  now: Date,
): Promise<void> {
  const { failure } = outcome;
  if (failure === 'gone') {
    await data.webhookDeliveries.end(delivery, outcome);
    await disableWebhook(data, webhook, 'gone', now);
  } else if (delaySeconds !== null) {
    await data.webhookDeliveries.retry(delivery, outcome, delaySeconds);
  } else if ((await data.webhookDeliveries.end(delivery, outcome)) && failure !== null) {
    await disableWebhook(data, webhook, 'failing', now, delivery.asked_at);
  }
}
