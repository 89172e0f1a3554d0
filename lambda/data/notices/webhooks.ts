// SQL of webhooks: addresses of users that receive events. Their secrets are sealed.
// A type of event needs the scope that reads the same data. A webhook ends with the application that created it.
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

/**
 * Why the service disabled a webhook: it answered that it is gone, or accepted nothing for as long as events are
 * retried.
 */
export const webhookDisabledReasons = ['gone', 'failing'] as const;
export type WebhookDisabledReason = (typeof webhookDisabledReasons)[number];

export interface Webhook {
  readonly id: string;
  readonly seq: number;
  readonly user_id: string;
  /** The application that made it; null: the user did. */
  readonly client_id: string | null;
  readonly url: string;
  /** The types of events that it subscribes to. */
  readonly events: readonly string[];
  readonly sealed_secret: Buffer;
  /** The former secret, which also signs until `former_secret_until`; null: none. */
  readonly former_sealed_secret: Buffer | null;
  readonly former_secret_until: Date | null;
  readonly enabled: boolean;
  /** Null while it is enabled, and if its user disabled it. */
  readonly disabled_reason: WebhookDisabledReason | null;
  /** The number of senders in a row that got no answer. */
  readonly silences: number;
  readonly last_delivered_at: Date | null;
  readonly created_at: Date;
}

/** The columns that an update sets. */
export type WebhookSettings = Pick<Webhook, 'url' | 'events' | 'enabled'>;

/** SQL condition: the webhook `w` is not silent, and its user is not at rest; else its deliveries wait. */
export const isAwake = `(w.silent_until is null or w.silent_until <= now())
  and not exists (select from users u where u.id = w.user_id and u.is_at_rest)`;

export function webhooks(db: Queryable) {
  return {
    insert: async (webhook: {
      id: string;
      userID: string;
      clientID: string | null;
      url: string;
      events: readonly string[];
      sealedSecret: Buffer;
    }) =>
      (await one<Webhook>(
        db,
        `insert into webhooks (id, user_id, client_id, url, events, sealed_secret)
         values ($1, $2, $3, $4, $5, $6) returning *`,
        [webhook.id, webhook.userID, webhook.clientID, webhook.url, webhook.events, webhook.sealedSecret],
      ))!,

    find: (userID: string, id: string) =>
      one<Webhook>(db, 'select * from webhooks where id = $1 and user_id = $2', [id, userID]),

    /** The webhook, locked. Deliveries to it can be added meanwhile. */
    lock: (userID: string, id: string) =>
      one<Webhook>(db, 'select * from webhooks where id = $1 and user_id = $2 for no key update', [id, userID]),

    list: (userID: string, before: number | null, count: number) =>
      all<Webhook>(
        db,
        'select * from webhooks where user_id = $1 and ($2::bigint is null or seq < $2) order by seq desc limit $3',
        [userID, before, count],
      ),

    /**
     * Saves the settings of the user. A change of `enabled` clears the reason why it was disabled. That, or another
     * address, also clears its silence.
     */
    save: async (id: string, { url, events, enabled }: WebhookSettings) =>
      (await one<Webhook>(
        db,
        `update webhooks
         set url = $2, events = $3, enabled = $4,
           disabled_reason = case when $4 = enabled then disabled_reason end,
           silent_until = case when $2 = url and $4 = enabled then silent_until end,
           silences = case when $2 = url and $4 = enabled then silences else 0 end
         where id = $1 returning *`,
        [id, url, events, enabled],
      ))!,

    /** Replaces the secret. The former one also signs for so many hours. */
    replaceSecret: async (id: string, sealedSecret: Buffer, formerForHours: number) =>
      (await one<Webhook>(
        db,
        `update webhooks set sealed_secret = $2, former_sealed_secret = sealed_secret,
           former_secret_until = now() + make_interval(hours => $3)
         where id = $1 returning *`,
        [id, sealedSecret, formerForHours],
      ))!,

    /** Whether any webhook of a user subscribes to a type of events. */
    isAnySubscribed: async (userID: string, type: string) =>
      (await one(db, 'select from webhooks where user_id = $1 and enabled and $2 = any (events) limit 1', [
        userID,
        type,
      ])) !== null,

    /**
     * Sends an event to the webhooks of a user that subscribe to it.
     * @param subjectID of a stream, upload, playlist or the user
     */
    notify: (userID: string, type: string, subjectID: string, event: object) =>
      db.query('select record_event($1, $2, $3, $4)', [userID, type, subjectID, event]),

    /** Deletes a webhook with its deliveries, and the events that no other webhook has a delivery of. */
    delete: async (id: string) => {
      await db.query(
        `delete from events where id in (select event_id from webhook_deliveries where webhook_id = $1)
           and not exists (select from webhook_deliveries d where d.event_id = events.id and d.webhook_id <> $1)`,
        [id],
      );
      await db.query('delete from webhooks where id = $1', [id]);
    },

    /**
     * Disables a webhook, if it is enabled and still has this address.
     * @param unlessSince it stays enabled if it has accepted an event since this time; null: disable it in any case
     * @returns the webhook, if it was disabled now
     */
    disable: (id: string, url: string, reason: WebhookDisabledReason, unlessSince: Date | null = null) =>
      one<Webhook>(
        db,
        `update webhooks set enabled = false, disabled_reason = $3
         where id = $1 and url = $2 and enabled
           and ($4::timestamptz is null or last_delivered_at is null or last_delivered_at < $4)
         returning *`,
        [id, url, reason, unlessSince],
      ),

    /**
     * Sends commands for overdue deliveries and mails, whose own commands must have been lost.
     */
    wakeForgotten: (lateSeconds: number) =>
      db.query(
        `with late as (select now() - make_interval(secs => $1) as at)
         insert into outbox (queue, body)
         select distinct 'webhooks', jsonb_build_object('webhookID', w.id)
         from late, webhook_deliveries d join webhooks w on w.id = d.webhook_id
         where d.state = 'pending' and d.next_attempt_at < late.at
           and w.enabled and (w.leased_until is null or w.leased_until < now()) and ${isAwake}
         union all
         select 'webhooks', jsonb_build_object('notificationID', n.id)
         from late, notifications n where n.sent_at is null and n.due_at < late.at`,
        [lateSeconds],
      ),
  };
}
