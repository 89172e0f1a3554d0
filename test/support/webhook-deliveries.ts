// Reads and changes webhooks, their deliveries and notifications in tests: deletes them, and moves their times.
import { all } from '../../lambda/data/shared/queryable.ts';
import type { WithPool } from './database.ts';
import { makeCommandsDue } from './outbox-rows.ts';

/** Deletes all webhooks, events and notifications, with all deliveries. */
export async function clearEvents({ pool }: WithPool): Promise<void> {
  await pool().query('truncate webhooks, webhook_hosts, events, notifications cascade');
}

/** Makes the next attempt of every delivery due now, whatever its receiver did before. */
export async function makeDeliveriesDue(service: WithPool): Promise<void> {
  await service.pool().query(`update webhook_deliveries set next_attempt_at = now() where state = 'pending'`);
  await service.pool().query('update webhooks set silent_until = null');
  await service.pool().query('update webhook_hosts set silent_until = now()');
  await makeCommandsDue(service, 'webhooks');
}

/** Makes every unfinished delivery three days old: a sender retries no longer than that. */
export async function letDeliveriesGrowOld({ pool }: WithPool): Promise<void> {
  await pool().query(`update webhook_deliveries set asked_at = now() - interval '3 days' where state = 'pending'`);
}

/** Sets the last delivery of every webhook to this many days ago. */
export async function letLastDeliveryBe({ pool }: WithPool, daysAgo: number): Promise<void> {
  await pool().query('update webhooks set last_delivered_at = now() - make_interval(days => $1)', [daysAgo]);
}

/** Sets the number of attempts of every delivery. */
export async function letAttemptsBe({ pool }: WithPool, attempts: number): Promise<void> {
  await pool().query('update webhook_deliveries set attempts = $1', [attempts]);
}

/** Gives every webhook another address without the checks of the API. */
export async function readdressWebhooks({ pool }: WithPool, url: string): Promise<void> {
  await pool().query('update webhooks set url = $1', [url]);
}

/** Ends the senders' leases of webhooks, as they expire when a sender has died. */
export async function endSenderLeases({ pool }: WithPool): Promise<void> {
  await pool().query('update webhooks set leased_until = null');
}

/** The states of all deliveries, of every webhook. */
export async function deliveryStates({ pool }: WithPool): Promise<string[]> {
  const rows = await all<{ state: string }>(pool(), 'select state from webhook_deliveries');
  return rows.map(({ state }) => state);
}

/** The number of deliveries whose next attempt has no command in the outbox: they would never be retried. */
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

/** Makes every notification due since this many minutes. */
export async function makeNotificationsDue({ pool }: WithPool, minutesAgo = 0): Promise<void> {
  await pool().query('update notifications set due_at = now() - make_interval(mins => $1) where sent_at is null', [
    minutesAgo,
  ]);
}

/** The data of a type's events, in the order in which they happened. */
export async function dataOfEvents({ pool }: WithPool, type: string): Promise<Record<string, unknown>[]> {
  const rows = await all<{ data: Record<string, unknown> }>(
    pool(),
    'select data from events where type = $1 order by seq',
    [type],
  );
  return rows.map(({ data }) => data);
}

/** Makes the previous secret of a webhook expire. */
export async function letFormerSecretEnd({ pool }: WithPool, webhookID: string): Promise<void> {
  await pool().query(`update webhooks set former_secret_until = now() - interval '1 second' where id = $1`, [
    webhookID,
  ]);
}
