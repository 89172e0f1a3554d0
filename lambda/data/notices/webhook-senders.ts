// SQL of the senders of webhooks: their leases, and the silence of webhooks and hosts.
import type { WebhookHostLimits } from '../../domain/shared/outbound-limits.ts';
import { one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';
import { isAwake } from './webhooks.ts';
import type { Webhook } from './webhooks.ts';

/**
 * SQL condition: the webhook `w` has a due delivery and no sender. It reads the first pending delivery: to find any due
 * one, Postgres would read the table from its beginning.
 */
const isWaiting = `enabled and (leased_until is null or leased_until < now()) and ${isAwake}
  and now() >= (
    select next_attempt_at from webhook_deliveries
    where webhook_id = w.id and state = 'pending' order by next_attempt_at limit 1)`;

/** SQL condition: the receiver of the webhook `w` is known to answer. */
const hasTaken = '(last_delivered_at is not null and silences = 0)';

/** SQL expression: the number of webhooks with senders of the user of the webhook `w`. */
const sendersOfUser = '(select count(*) from webhooks o where o.user_id = w.user_id and o.leased_until >= now())';

/** SQL expression: the number of senders for other users at the host of the webhook `w`. */
const sendersOfOthers = `(
  select count(*) from webhooks o
  where host_of_url(o.url) = host_of_url(w.url) and o.user_id <> w.user_id and o.leased_until >= now())`;

/** SQL expression: the end of the silence of the host of the webhook `w`; null: not silent. */
const hostSilentUntil = `(
  select h.silent_until from webhook_hosts h where h.host = host_of_url(w.url) and h.silent_until > now())`;

/** The most senders at a host for users other than that of a webhook. */
type HostBounds = Pick<WebhookHostLimits, 'mostOfOthers' | 'mostOfOthersOnceTaken'>;

/** Not part of `databaseOn`: only the sender of webhooks needs it, and other bundles stay small. */
export function webhookSenders(db: Queryable) {
  return {
    /**
     * Leases a webhook to one sender. After `release`, a sender calls `waiting`, so that deliveries that became due
     * meanwhile are sent.
     * @param most the most webhooks of a user that may have senders; concurrent calls may exceed it a little
     * @returns null if it has no due delivery, is disabled or deleted, its user is at rest, another sender has it,
     *   `most` webhooks of its user have senders, which then continue with it, or its host is silent or has enough
     *   senders: see `deferToHost`
     */
    lease: (id: string, leaseSeconds: number, most: number, { mostOfOthers, mostOfOthersOnceTaken }: HostBounds) =>
      one<Webhook>(
        db,
        `update webhooks w set leased_until = now() + make_interval(secs => $2)
         where id = $1 and ${isWaiting}
           and ${sendersOfUser} < $3
           and ${sendersOfOthers} < case when ${hasTaken} then $5::int else $4::int end
           and (${hasTaken} or ${hostSilentUntil} is null)
         returning *`,
        [id, leaseSeconds, most, mostOfOthers, mostOfOthersOnceTaken],
      ),

    /**
     * Postpones a webhook whose host is silent or has enough senders, with a command for that time. Does nothing to any
     * other webhook.
     * @param busySeconds the delay while the host has enough senders
     * @param most the most webhooks of a user that may have senders
     * @returns whether it can be leased now, as the obstacle has just passed
     */
    deferToHost: async (
      id: string,
      busySeconds: number,
      most: number,
      { mostOfOthers, mostOfOthersOnceTaken }: HostBounds,
    ) => {
      const { rows } = await db.query<{ isFree: boolean }>(
        `with deferred as (
           update webhooks w
           set silent_until = coalesce(
             case when not ${hasTaken} then ${hostSilentUntil} end, now() + make_interval(secs => $2))
           where id = $1 and ${isWaiting} and (
             ${sendersOfOthers} >= case when ${hasTaken} then $4::int else $3::int end
             or not ${hasTaken} and ${hostSilentUntil} is not null)
           returning silent_until),
         later as (
           insert into outbox (queue, body, visible_at)
           select 'webhooks', jsonb_build_object('webhookID', $1::text), silent_until from deferred)
         select not exists (select from deferred) and exists (
           select from webhooks w where id = $1 and ${isWaiting} and ${sendersOfUser} < $5) as "isFree"`,
        [id, busySeconds, mostOfOthers, mostOfOthersOnceTaken, most],
      );
      return rows[0]!.isFree;
    },

    /**
     * The id of a webhook of a user with a due delivery and no sender; null: none.
     * @param last the id of a webhook that comes after all others
     */
    waiting: async (userID: string, last: string) => {
      const waiting = await one<{ id: string }>(
        db,
        `select id from webhooks w where user_id = $1 and ${isWaiting} order by id = $2, random() limit 1`,
        [userID, last],
      );
      return waiting?.id ?? null;
    },

    /** Releases a webhook after a sender's turn. */
    release: (
      id: string,
      { hasAnswered, hasDelivered }: { readonly hasAnswered: boolean; readonly hasDelivered: boolean },
    ) =>
      db.query(
        `with answering as (
           delete from webhook_hosts using webhooks where webhooks.id = $1 and $2 and host = host_of_url(url))
         update webhooks
         set leased_until = null,
           last_delivered_at = case when $3 then now() else last_delivered_at end,
           silences = case when $2 then 0 else silences end,
           silent_until = case when $2 then null else silent_until end
         where id = $1`,
        [id, hasAnswered, hasDelivered],
      ),

    /**
     * Records that the address does not answer, and postpones the webhook, with a command for that time. Its deliveries
     * are not changed: thousands may be due. If webhooks of enough users get no answer from a host, the host is silent
     * for all webhooks that are not known to answer.
     */
    beSilent: (id: string, seconds: number, host: WebhookHostLimits) =>
      db.query(
        `with silent as (
           update webhooks set silences = silences + 1, silent_until = now() + make_interval(secs => $2)
           where id = $1 returning silent_until, host_of_url(url) as host),
         silent_host as (
           insert into webhook_hosts as h (host, silent_until)
           select host, now() + make_interval(secs => $4) from silent
           where $3 <= (
             select count(distinct o.user_id) from webhooks o
             where host_of_url(o.url) = silent.host and (o.silences > 0 or o.id = $1))
           on conflict (host) do update
           set silences = h.silences + 1,
             silent_until = now() + make_interval(secs => least($5, $4 * 3 ^ least(h.silences, 20)))
           where h.silent_until <= now())
         insert into outbox (queue, body, visible_at)
         select 'webhooks', jsonb_build_object('webhookID', $1::text), silent_until from silent`,
        [id, seconds, host.silentForUsers, host.firstSilenceSeconds, host.mostSilenceSeconds],
      ),
  };
}
