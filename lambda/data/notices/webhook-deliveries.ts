// SQL of deliveries: a delivery is one event on its way to one webhook.
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';
import type { WebhookDeliveryState } from '../../domain/notices/delivery-words.ts';

export interface WebhookDelivery {
  readonly id: string;
  readonly seq: number;
  readonly webhook_id: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly event_seq: number;
  readonly state: WebhookDeliveryState;
  /** The attempts since the delivery was last requested. */
  readonly attempts: number;
  readonly next_attempt_at: Date;
  readonly last_attempt_at: Date | null;
  readonly response_status: number | null;
  readonly response_excerpt: string | null;
  readonly failure: string | null;
  readonly created_at: Date;
}

/** A delivery with a begun attempt. */
export interface BegunDelivery extends Pick<
  WebhookDelivery,
  'id' | 'attempts' | 'event_id' | 'event_type' | 'event_seq'
> {
  readonly event_data: Readonly<Record<string, unknown>>;
  readonly event_at: Date;
  readonly asked_at: Date;
  /** The time since it was requested, by the clock of the database. */
  readonly age_seconds: number;
}

/** The deliveries of a webhook beyond a bound: all pending ones up to `upToSeq`. */
export interface WebhookExcess {
  readonly webhookID: string;
  readonly userID: string;
  readonly upToSeq: number;
}

/** The result of an attempt. Without a failure, the receiver has accepted the event. */
export interface AttemptResult {
  readonly status: number | null;
  readonly excerpt: string | null;
  readonly failure: string | null;
}

const columns = 'd.*, e.type as event_type, e.seq as event_seq';

export function webhookDeliveries(db: Queryable) {
  return {
    list: (webhookID: string, state: WebhookDeliveryState | null, before: number | null, count: number) =>
      all<WebhookDelivery>(
        db,
        // Nothing is sent to a webhook while it is silent.
        `select ${columns}, greatest(d.next_attempt_at, w.silent_until) as next_attempt_at
         from webhook_deliveries d join events e on e.id = d.event_id join webhooks w on w.id = d.webhook_id
         where d.webhook_id = $1 and ($2::text is null or d.state = $2) and ($3::bigint is null or d.seq < $3)
         order by d.seq desc limit $4`,
        [webhookID, state, before, count],
      ),

    /**
     * Requests a delivery again, as if its event had just happened. All due deliveries are sent with it, even if the
     * webhook is silent.
     * @returns null if the webhook has no such delivery
     */
    redeliver: (webhookID: string, id: string) =>
      one<WebhookDelivery>(
        db,
        `with command as (
           insert into outbox (queue, body) select 'webhooks', jsonb_build_object('webhookID', webhook_id)
           from webhook_deliveries where id = $2 and webhook_id = $1 returning id),
         heard as (
           update webhooks set silent_until = null
           where id = $1 and silent_until is not null and exists (select from command))
         update webhook_deliveries d
         set state = 'pending', attempts = 0, asked_at = now(), next_attempt_at = now(), failure = null
         from events e
         where d.id = $2 and d.webhook_id = $1 and e.id = d.event_id
         returning ${columns}`,
        [webhookID, id],
      ),

    /** Makes a test event for one webhook, and wakes its sender, even if the webhook is silent. */
    test: async (webhookID: string) =>
      (await one<WebhookDelivery>(
        db,
        `with recorded as (
           insert into events (user_id, type, subject_id, data)
           select user_id, 'webhook.test', id, json_build_object('webhookID', id) from webhooks where id = $1
           returning id, type, seq),
         made as (
           insert into webhook_deliveries (event_id, webhook_id) select id, $1 from recorded returning *),
         heard as (update webhooks set silent_until = null where id = $1 and silent_until is not null),
         command as (
           insert into outbox (queue, body) select 'webhooks', jsonb_build_object('webhookID', webhook_id) from made)
         select ${columns} from made d join recorded e on e.id = d.event_id`,
        [webhookID],
      ))!,

    /**
     * Begins attempts of due deliveries, the oldest first, one per subject, so that a receiver gets the events of a
     * subject in order. It is one statement, so that it costs one round trip. Deliveries that were given up meanwhile
     * are left out.
     */
    begin: async (webhookID: string, most: number) =>
      all<BegunDelivery>(
        db,
        `with oldest as (
           select d.id, e.subject_id, e.seq from webhook_deliveries d join events e on e.id = d.event_id
           where d.webhook_id = $1 and d.state = 'pending' and d.next_attempt_at <= now()
           order by d.seq limit 10 * $2),
         due as (
           select id from (select distinct on (subject_id) id, seq from oldest order by subject_id, seq) s
           order by seq limit $2)
         update webhook_deliveries d set attempts = attempts + 1, last_attempt_at = now()
         from due, events e
         where d.id = due.id and d.state = 'pending' and e.id = d.event_id
         returning d.id, d.attempts, d.asked_at, extract(epoch from now() - d.asked_at)::float8 as age_seconds,
           d.event_id, e.type as event_type, e.seq as event_seq, e.data as event_data, e.at as event_at`,
        [webhookID, most],
      ),

    /**
     * Records that a delivery ended with this attempt: the receiver accepted the event, or it failed for good.
     * @returns false if the delivery was given up or requested again during the attempt
     */
    end: async ({ id, attempts }: BegunDelivery, { status, excerpt, failure }: AttemptResult) => {
      const { rowCount } = await db.query(
        `update webhook_deliveries
         set state = case when $5::text is null then 'delivered' else 'failed' end,
           response_status = $3, response_excerpt = $4, failure = $5
         where id = $1 and attempts = $2 and state = 'pending'`,
        [id, attempts, status, excerpt, failure],
      );
      return rowCount === 1;
    },

    /** Records a failed attempt, with a command for another one later. */
    retry: ({ id, attempts }: BegunDelivery, { status, excerpt, failure }: AttemptResult, afterSeconds: number) =>
      db.query(
        `with later as (
           update webhook_deliveries
           set next_attempt_at = now() + make_interval(secs => $6),
             response_status = $3, response_excerpt = $4, failure = $5
           where id = $1 and attempts = $2 and state = 'pending'
           returning webhook_id, next_attempt_at)
         insert into outbox (queue, body, visible_at)
         select 'webhooks', jsonb_build_object('webhookID', webhook_id), next_attempt_at from later`,
        [id, attempts, status, excerpt, failure, afterSeconds],
      ),

    /** Makes all pending deliveries to a webhook due at once, with a command for its sender. */
    hasten: (webhookID: string) =>
      db.query(
        `with due as (
           update webhook_deliveries set next_attempt_at = now()
           where webhook_id = $1 and state = 'pending' and next_attempt_at > now()
           returning webhook_id)
         insert into outbox (queue, body)
         select distinct 'webhooks', jsonb_build_object('webhookID', webhook_id) from due`,
        [webhookID],
      ),

    /** Gives up all pending deliveries to a webhook. */
    failPending: (webhookID: string, failure: string) =>
      db.query(
        `update webhook_deliveries set state = 'failed', failure = $2 where webhook_id = $1 and state = 'pending'`,
        [webhookID, failure],
      ),

    /** Gives up pending deliveries that were made while their webhook was being disabled. */
    failOfDisabled: () =>
      db.query(
        `update webhook_deliveries set state = 'failed', failure = 'webhook_disabled'
         where state = 'pending' and webhook_id in (select id from webhooks where not enabled)`,
      ),

    /**
     * The webhooks with more pending deliveries than `perWebhook`, or of users with more than `perUser`.
     * @returns each with the `seq` of the newest excess delivery
     */
    excess: (perWebhook: number, perUser: number) =>
      all<WebhookExcess>(
        db,
        `select webhook_id as "webhookID", user_id as "userID", seq as "upToSeq"
         from (
           select w.id as webhook_id, w.user_id, greatest(
             (select seq from webhook_deliveries where webhook_id = w.id and state = 'pending'
              order by seq desc offset $1 limit 1),
             of_user.seq) as seq
           from webhooks w left join (
             select user_id, (
               select d.seq from webhook_deliveries d join webhooks own on own.id = d.webhook_id
               where own.user_id = many.user_id and d.state = 'pending' order by d.seq desc offset $2 limit 1) as seq
             from webhooks many group by user_id having count(*) * $1 > $2) of_user using (user_id)) bound
         where exists (
           select from webhook_deliveries d
           where d.webhook_id = bound.webhook_id and d.state = 'pending' and d.seq <= bound.seq)`,
        [perWebhook, perUser],
      ),

    /**
     * Gives up the excess deliveries of a webhook. Like all failed deliveries, they can be requested again.
     * @returns whether there were any
     */
    failExcess: async ({ webhookID, upToSeq }: WebhookExcess) => {
      const { rowCount } = await db.query(
        `update webhook_deliveries set state = 'failed', failure = 'overflowed'
         where webhook_id = $1 and state = 'pending' and seq <= $2`,
        [webhookID, upToSeq],
      );
      return rowCount! > 0;
    },

    /** Deletes the oldest deliveries of webhooks with more than `kept`, and events without remaining deliveries. */
    deleteExcess: async (kept: number) => {
      const deleted = await all<{ event_id: string }>(
        db,
        `with excess as materialized ( -- or each delivery would look for it
           select w.id, (select seq from webhook_deliveries where webhook_id = w.id
             order by seq desc offset $1 limit 1) as kept_seq
           from webhooks w)
         delete from webhook_deliveries d using excess where d.webhook_id = excess.id and d.seq <= kept_seq
         returning d.event_id`,
        [kept],
      );
      await db.query(
        `delete from events where id = any ($1)
           and not exists (select from webhook_deliveries where event_id = events.id)`,
        [[...new Set(deleted.map((row) => row.event_id))]],
      );
    },

    /** Deletes at most `most` old events with their deliveries. Events with a pending delivery stay. */
    deleteOld: (days: number, most: number) =>
      db.query(
        `delete from events where id in (
           select id from events where at < now() - make_interval(days => $1)
             and not exists (select from webhook_deliveries where event_id = events.id and state = 'pending')
           order by at limit $2)`,
        [days, most],
      ),
  };
}
