// What tests read and change of webhooks, their deliveries and notifications: they forget them, and let time pass.
import { all } from '../../lambda/data/shared/queryable.ts';
import type { WithPool } from './database.ts';
import { makeCommandsDue } from './outbox-rows.ts';

/** Deletes all webhooks, events and notifications, with all deliveries. */
export async function clearEvents({ pool }: WithPool): Promise<void> {
  await pool().query('truncate webhooks, webhook_hosts, events, notifications cascade');
}

/** Lets the next attempt of every delivery be due now, whatever its receiver did before. */
export async function makeDeliveriesDue(service: WithPool): Promise<void> {
  await service.pool().query(`update webhook_deliveries set next_attempt_at = now() where state = 'pending'`);
  await service.pool().query('update webhooks set silent_until = null');
  await service.pool().query('update webhook_hosts set silent_until = now()');
  await makeCommandsDue(service, 'webhooks');
}

/** Lets every delivery that is not over have been asked for three days ago: a sender tries no longer than that. */
export async function letDeliveriesGrowOld({ pool }: WithPool): Promise<void> {
  await pool().query(`update webhook_deliveries set asked_at = now() - interval '3 days' where state = 'pending'`);
}

/** Lets every webhook have taken its last event so many days ago. */
export async function letLastDeliveryBe({ pool }: WithPool, daysAgo: number): Promise<void> {
  await pool().query('update webhooks set last_delivered_at = now() - make_interval(days => $1)', [daysAgo]);
}

/** Lets every delivery have been tried so many times. */
export async function letAttemptsBe({ pool }: WithPool, attempts: number): Promise<void> {
  await pool().query('update webhook_deliveries set attempts = $1', [attempts]);
}

/** Gives every webhook another address without the checks of the API. */
export async function readdressWebhooks({ pool }: WithPool, url: string): Promise<void> {
  await pool().query('update webhooks set url = $1', [url]);
}

/** Ends the leases by which senders hold webhooks, as they end by themselves when a sender has died. */
export async function endSenderLeases({ pool }: WithPool): Promise<void> {
  await pool().query('update webhooks set leased_until = null');
}

/** The states of all deliveries, of every webhook. */
export async function deliveryStates({ pool }: WithPool): Promise<string[]> {
  const rows = await all<{ state: string }>(pool(), 'select state from webhook_deliveries');
  return rows.map(({ state }) => state);
}

/** How many deliveries wait for an attempt at a time for which no command is in the outbox: nobody would make it. */
export async function countForgottenDeliveries({ pool }: WithPool): Promise<number> {
  const forgotten = await all(
    pool(),
    `select from webhook_deliveries d join webhooks w on w.id = d.webhook_id
     where state = 'pending' and not exists (
       select from outbox o
       where o.body ->> 'webhookID' = d.webhook_id and o.visible_at = greatest(d.next_attempt_at, w.silent_until))`,
  );
  return forgotten.length;
}

/** The ids of all events that were recorded, of every user. */
export async function eventIDs({ pool }: WithPool): Promise<string[]> {
  const rows = await all<{ id: string }>(pool(), 'select id from events order by at');
  return rows.map(({ id }) => id);
}

/** Deletes all notifications and all commands. */
export async function clearNotifications({ pool }: WithPool): Promise<void> {
  await pool().query('truncate notifications, outbox cascade');
}

/** How many notifications have not been mailed. */
export async function countUnsentNotifications({ pool }: WithPool): Promise<number> {
  return (await all(pool(), 'select from notifications where sent_at is null')).length;
}

/** Lets every notification have been due for so many minutes. */
export async function makeNotificationsDue({ pool }: WithPool, minutesAgo = 0): Promise<void> {
  await pool().query('update notifications set due_at = now() - make_interval(mins => $1) where sent_at is null', [
    minutesAgo,
  ]);
}

/** What the events of a type carry, in the order in which they happened. */
export async function dataOfEvents({ pool }: WithPool, type: string): Promise<Record<string, unknown>[]> {
  const rows = await all<{ data: Record<string, unknown> }>(
    pool(),
    'select data from events where type = $1 order by seq',
    [type],
  );
  return rows.map(({ data }) => data);
}

/** Lets the secret that a webhook had before sign no more. */
export async function letFormerSecretEnd({ pool }: WithPool, webhookID: string): Promise<void> {
  await pool().query(`update webhooks set former_secret_until = now() - interval '1 second' where id = $1`, [
    webhookID,
  ]);
}
