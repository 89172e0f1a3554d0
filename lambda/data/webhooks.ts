// SQL of webhooks: addresses that are told of events, each served by one sender at a time. Secrets are sealed before they get here.
import { all, one } from './queryable.ts';
import type { Queryable } from './queryable.ts';

/** Why we disabled one: it answered that it is gone, or took nothing for as long as an event is retried. */
export const webhookDisabledReasons = ['gone', 'failing'] as const;
export type WebhookDisabledReason = (typeof webhookDisabledReasons)[number];

export interface Webhook {
  readonly id: string;
  readonly seq: number;
  readonly user_id: string;
  readonly url: string;
  /** Types of events. */
  readonly events: readonly string[];
  readonly sealed_secret: Buffer;
  readonly enabled: boolean;
  /** Null while it is enabled, or where its user disabled it. */
  readonly disabled_reason: WebhookDisabledReason | null;
  /** Turns in a row in which no attempt was answered. */
  readonly silences: number;
  readonly last_delivered_at: Date | null;
  readonly created_at: Date;
}

/** The columns that an update sets. */
export type WebhookSettings = Pick<Webhook, 'url' | 'events' | 'enabled'>;

export function webhooks(db: Queryable) {
  return {
    /** Null when the user has `most` already. Users make one at a time, so that several at once are no more. */
    insert: async (
      webhook: { id: string; userID: string; url: string; events: readonly string[]; sealedSecret: Buffer },
      most: number,
    ) => {
      await db.query('select from users where id = $1 for no key update', [webhook.userID]);
      return one<Webhook>(
        db,
        `insert into webhooks (id, user_id, url, events, sealed_secret)
         select $1, $2, $3, $4, $5 where (select count(*) from webhooks where user_id = $2) < $6 returning *`,
        [webhook.id, webhook.userID, webhook.url, webhook.events, webhook.sealedSecret, most],
      );
    },

    find: (userID: string, id: string) =>
      one<Webhook>(db, 'select * from webhooks where id = $1 and user_id = $2', [id, userID]),

    /** Locked against other changes until the transaction ends; events are recorded for it meanwhile. */
    lock: (userID: string, id: string) =>
      one<Webhook>(db, 'select * from webhooks where id = $1 and user_id = $2 for no key update', [id, userID]),

    list: (userID: string, before: number | null, count: number) =>
      all<Webhook>(
        db,
        'select * from webhooks where user_id = $1 and ($2::bigint is null or seq < $2) order by seq desc limit $3',
        [userID, before, count],
      ),

    /** As its user wishes: whatever we disabled it for is forgotten, and another address may answer. */
    save: async (id: string, { url, events, enabled }: WebhookSettings) =>
      (await one<Webhook>(
        db,
        `update webhooks set url = $2, events = $3, enabled = $4, disabled_reason = case when $4 = enabled then disabled_reason end,
           silent_until = case when $2 = url and $4 = enabled then silent_until end, silences = case when $2 = url and $4 = enabled then silences else 0 end
         where id = $1 returning *`,
        [id, url, events, enabled],
      ))!,

    delete: (id: string) => db.query('delete from webhooks where id = $1', [id]),

    /**
     * Gives a webhook to one sender for a while. Null when nothing is due to it, it is disabled or gone, or somebody else has it; who has
     * it asks again after `release`, so that what came in between is not forgotten. Null too when `most` of its user's have senders: those go
     * on with it. Of several that ask in the same moment, more may get theirs.
     */
    lease: (id: string, leaseSeconds: number, most: number) =>
      one<Webhook>(
        db,
        `update webhooks w set leased_until = now() + make_interval(secs => $2)
         where id = $1 and enabled and (leased_until is null or leased_until < now())
           and exists (select from webhook_deliveries where webhook_id = $1 and state = 'pending' and next_attempt_at <= now())
           and (select count(*) from webhooks o where o.user_id = w.user_id and o.leased_until >= now()) < $3 returning *`,
        [id, leaseSeconds, most],
      ),

    /** Another one of the same user, to which something is due and that has no sender; null where there is none. */
    waitingBeside: async ({ id, user_id }: Pick<Webhook, 'id' | 'user_id'>) =>
      (
        await one<{ id: string }>(
          db,
          `select id from webhooks w where user_id = $1 and id <> $2 and enabled and (leased_until is null or leased_until < now())
           and exists (select from webhook_deliveries where webhook_id = w.id and state = 'pending' and next_attempt_at <= now())
         order by random() limit 1`,
          [user_id, id],
        )
      )?.id ?? null,

    release: (
      id: string,
      { hasAnswered, hasDelivered }: { readonly hasAnswered: boolean; readonly hasDelivered: boolean },
    ) =>
      db.query(
        `update webhooks set leased_until = null, last_delivered_at = case when $3 then now() else last_delivered_at end,
           silences = case when $2 then 0 else silences end, silent_until = case when $2 then null else silent_until end
         where id = $1`,
        [id, hasAnswered, hasDelivered],
      ),

    /** Notes that nobody answers there, and puts off what would be sent meanwhile. */
    beSilent: (id: string, seconds: number) =>
      db.query(
        `with silent as (update webhooks set silences = silences + 1, silent_until = now() + make_interval(secs => $2) where id = $1 returning silent_until),
         put_off as (
           update webhook_deliveries set next_attempt_at = silent_until from silent where webhook_id = $1 and state = 'pending' and next_attempt_at < silent_until)
         insert into outbox (queue, body, visible_at) select 'webhooks', jsonb_build_object('webhookID', $1::text), silent_until from silent`,
        [id, seconds],
      ),

    /** Answers the webhook if it was enabled until now, and has still this address. With `unlessSince` only if it has taken nothing since then. */
    disable: (id: string, url: string, reason: WebhookDisabledReason, unlessSince: Date | null = null) =>
      one<Webhook>(
        db,
        `update webhooks set enabled = false, disabled_reason = $3
         where id = $1 and url = $2 and enabled and ($4::timestamptz is null or last_delivered_at is null or last_delivered_at < $4) returning *`,
        [id, url, reason, unlessSince],
      ),

    /** Wakes up senders of webhooks whose deliveries, or notifications whose mails, were left behind. */
    wakeForgotten: (lateSeconds: number) =>
      db.query(
        `with late as (select now() - make_interval(secs => $1) as at)
         insert into outbox (queue, body)
         select distinct 'webhooks', jsonb_build_object('webhookID', w.id) from late, webhook_deliveries d join webhooks w on w.id = d.webhook_id
         where d.state = 'pending' and d.next_attempt_at < late.at and w.enabled and (w.leased_until is null or w.leased_until < now())
         union all
         select 'webhooks', jsonb_build_object('notificationID', n.id) from late, notifications n where n.sent_at is null and n.due_at < late.at`,
        [lateSeconds],
      ),
  };
}
