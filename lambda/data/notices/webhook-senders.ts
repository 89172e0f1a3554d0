// SQL of the senders of webhooks: who sends to which webhook, and how long a webhook or a host is left alone.
import type { WebhookHostLimits } from '../../domain/shared/outbound-limits.ts';
import { one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';
import { isAwake } from './webhooks.ts';
import type { Webhook } from './webhooks.ts';

/**
 * SQL of the condition that something is due to the webhook `w`, and nobody is sending to it. It asks for the delivery
 * that comes first: to find any one that is due, Postgres reads the table from its beginning.
 */
const isWaiting = `enabled and (leased_until is null or leased_until < now()) and ${isAwake}
  and now() >= (
    select next_attempt_at from webhook_deliveries
    where webhook_id = w.id and state = 'pending' order by next_attempt_at limit 1)`;

/** SQL of the condition that the receiver of the webhook `w` is known to answer. */
const hasTaken = '(last_delivered_at is not null and silences = 0)';

/** SQL of how many webhooks of the user of the webhook `w` have senders. */
const sendersOfUser = '(select count(*) from webhooks o where o.user_id = w.user_id and o.leased_until >= now())';

/** SQL of how many senders there are at the host of the webhook `w` for other users. */
const sendersOfOthers = `(
  select count(*) from webhooks o
  where host_of_url(o.url) = host_of_url(w.url) and o.user_id <> w.user_id and o.leased_until >= now())`;

/** SQL of the time until which nobody who has taken nothing is sent to at the host of the webhook `w`; null: none. */
const hostSilentUntil = `(
  select h.silent_until from webhook_hosts h where h.host = host_of_url(w.url) and h.silent_until > now())`;

/** How many senders there may be at a host for users beside another's webhook. */
type HostBounds = Pick<WebhookHostLimits, 'mostOfOthers' | 'mostOfOthersOnceTaken'>;

/** Apart from `databaseOn`, since only the sender needs it, and the functions of the API stay small. */
export function webhookSenders(db: Queryable) {
  return {
    /**
     * Gives a webhook to one sender for a while. A sender asks what is `waiting` after `release`, so that what became
     * due meanwhile is sent.
     * @param most how many webhooks of a user may have senders; a little more, if several ask in the same moment
     * @returns null if nothing is due to it, it is disabled or gone, its user is at rest, another sender has it,
     *   `most` of its user's have senders, which then go on with it, or its host is silent or has enough senders: see
     *   `deferToHost`
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
     * Leaves a webhook alone for a while whose host is silent, or has as many senders as it may, with a command for
     * then. Does nothing to any other.
     * @param busySeconds how long it waits for senders
     * @param most how many webhooks of a user may have senders
     * @returns whether it can be leased now: what kept it from being so has just passed
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
     * The id of a webhook of a user, to which something is due and that has no sender; null if there is none.
     * @param last the one that comes after all others
     */
    waiting: async (userID: string, last: string) => {
      const waiting = await one<{ id: string }>(
        db,
        `select id from webhooks w where user_id = $1 and ${isWaiting} order by id = $2, random() limit 1`,
        [userID, last],
      );
      return waiting?.id ?? null;
    },

    /** Gives a webhook back after a sender's turn. */
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
     * Notes that nobody answers at the address, and leaves the webhook alone for so long, with a command for then. Its
     * deliveries are not touched: thousands of them may be due. Where enough users hear nothing from its host, the host
     * is silent for everybody whose receiver is not known to answer.
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
