// Delivers the due events of one webhook: one sender at a time, a few events at once, each ended by its answer.
import type { Pool } from 'pg';
import { databaseOn, inTransaction } from '../data/database.ts';
import type { Database } from '../data/database.ts';
import type { BegunDelivery } from '../data/notices/webhook-deliveries.ts';
import { webhookSenders } from '../data/notices/webhook-senders.ts';
import type { Webhook } from '../data/notices/webhooks.ts';
import { webhookHost } from '../domain/shared/outbound-limits.ts';
import { webhookSecretPlace } from '../domain/shared/sealed-places.ts';
import { isUnanswered } from '../domain/notices/webhook-failures.ts';
import type { WebhookFailure } from '../domain/notices/webhook-failures.ts';
import { retryDelaySeconds, silenceSeconds } from '../domain/notices/webhook-retries.ts';
import type { Log } from '../log.ts';
import { disableWebhook } from '../orchestration/notices/disable-webhook.ts';
import type { Sealer } from '../ports/sealer/sealer.ts';
import { attempt } from './attempt.ts';
import type { AttemptOptions, Outcome } from './attempt.ts';
import { messageOf } from './message.ts';
import { signedHeaders } from './sign.ts';

export interface WebhookDeliveryOptions {
  readonly pool: Pool;
  readonly sealer: Sealer;
  readonly attempts: AttemptOptions;
  readonly clock: () => Date;
  readonly steadyClock: () => number;
  /** A uniform number in [0, 1). */
  readonly random: () => number;
  readonly log: Log;
  /** Aborting it ends deliveries in progress; they are repeated later. */
  readonly signal: AbortSignal;
}

/** The number of events that are sent to one webhook at once. */
const atOnce = 8;
/** This number before the first accepted event: users can register addresses that are not theirs. */
const atOnceUntilTaken = 1;
/** Longer than an attempt may take, so that no sender takes over from a live one. */
export const leaseSeconds = 30;
/**
 * The number of webhooks of one user that are sent to at once. A function handles few commands at a time, and a slow
 * receiver blocks its command.
 */
export const sendersOfUser = 4;
/**
 * The length of a webhook's turn. With the attempts in progress at its end, it is shorter than the function's timeout.
 */
const turnMs = 10_000;

/**
 * Delivers the due events of a webhook, and then of other webhooks of its user, whose commands may have met the limit
 * of senders. Ends when nothing is due. If the turn ends first, sends commands for the rest. Events that are due later
 * already have a command.
 */
export async function deliverTo(options: WebhookDeliveryOptions, webhookID: string): Promise<void> {
  const senders = webhookSenders(options.pool);
  const beganMs = options.steadyClock();
  let next = webhookID;
  for (;;) {
    if (options.signal.aborted) return;
    const webhook = await senders.lease(next, leaseSeconds, sendersOfUser, webhookHost);
    if (!webhook) {
      if (await senders.deferToHost(next, webhookHost.busyForSeconds, sendersOfUser, webhookHost)) continue;
      return;
    }
    let turn: Turn = { hasAnswered: false, hasDelivered: false };
    try {
      turn = await deliverSome(options, webhook);
    } finally {
      await senders.release(webhook.id, turn);
    }
    const waiting = await senders.waiting(webhook.user_id, webhook.id);
    if (waiting === null) return;
    next = waiting;
    if (options.steadyClock() - beganMs < turnMs) continue;
    for (const id of new Set([webhook.id, next]))
      await databaseOn(options.pool).outbox.send({ queue: 'webhooks', body: { webhookID: id } });
    return;
  }
}

interface Turn {
  /** Whether the receiver answered any attempt, with any status. */
  readonly hasAnswered: boolean;
  readonly hasDelivered: boolean;
}

/** Delivers the events that were due first, as many as allowed at once. */
async function deliverSome(options: WebhookDeliveryOptions, webhook: Webhook): Promise<Turn> {
  const { pool, random } = options;
  const secrets = secretsOf(options, webhook);
  const most = webhook.last_delivered_at === null ? atOnceUntilTaken : atOnce;
  const begun = await databaseOn(pool).webhookDeliveries.begin(webhook.id, most);
  const results = await Promise.allSettled(begun.map((delivery) => deliverOne(options, webhook, secrets, delivery)));
  const rejected = results.find((result) => result.status === 'rejected');
  if (rejected) throw rejected.reason;
  const failures = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const hasAnswered = failures.some((failure) => !isUnanswered(failure));
  // If the receiver does not answer, further events wait, instead of a failed attempt for each.
  if (failures.length > 0 && !hasAnswered)
    await webhookSenders(pool).beSilent(webhook.id, silenceSeconds(webhook.silences + 1, random), webhookHost);
  return { hasAnswered, hasDelivered: failures.includes(null) };
}

/** The current secret, and the former one while it still signs. */
function secretsOf({ sealer, clock }: WebhookDeliveryOptions, webhook: Webhook): string[] {
  const { sealed_secret: sealed, former_sealed_secret: former, former_secret_until: until } = webhook;
  const signing = former !== null && until !== null && until > clock() ? [sealed, former] : [sealed];
  return signing.map((secret) => sealer.open(secret, webhookSecretPlace(webhook.id)));
}

/** Makes one attempt and records its result. @returns the failure; null if the event was accepted */
async function deliverOne(
  options: WebhookDeliveryOptions,
  webhook: Webhook,
  secrets: readonly string[],
  delivery: BegunDelivery,
): Promise<WebhookFailure | null> {
  const { attempts, signal, clock, random, log } = options;
  const message = messageOf(delivery, clock());
  const outcome = await attempt(webhook.url, signedHeaders(message, secrets), message.body, attempts, signal);
  const { status, failure, retryAfterSeconds } = outcome;
  const delaySeconds =
    failure === null ? null : retryDelaySeconds(delivery.attempts, delivery.age_seconds, retryAfterSeconds, random);
  await inTransaction(options.pool, (data) => settle(data, webhook, delivery, outcome, delaySeconds, clock()));
  log('webhook_attempted', {
    webhookID: webhook.id,
    deliveryID: delivery.id,
    attempts: delivery.attempts,
    status,
    failure,
    delaySeconds,
  });
  return failure;
}

/**
 * Ends a delivery, or schedules a retry. Disables the webhook if its receiver is gone, or has failed for too long.
 * @param delaySeconds until the next attempt; null for no further attempt
 */
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
