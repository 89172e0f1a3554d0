// SQL of notices of incidents to alert channels: the waiting ones, their senders and their results.
import type { WebhookHostLimits } from '../../domain/shared/outbound-limits.ts';
import type { AlertChannel, LastDelivery } from './alert-channels.ts';
import type { Incident } from './incidents.ts';
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

/** An incident with a notice that a channel has to send. */
export interface Notice extends Incident {
  readonly phase: 'began' | 'ended';
  /** Whether the channel has sent the notice of its beginning. */
  readonly is_known: boolean;
}

interface NewNotice {
  readonly channelID: string;
  readonly incidentID: string;
  readonly dueAt: Date;
}

/** SQL condition: a notice of the channel `c` can be sent. A beginning waits while its incident is well again. */
const sendable = (flaps: string) => `
  n.channel_id = c.id and n.sent_at is null and n.due_at <= now()
  and (n.phase = 'ended' or i.condition = 'wrong' or i.count >= ${flaps})`;

/** SQL condition: the channel `c` can send a notice or a requested test now. */
const isReady = (flaps: string) => `
  enabled and (retry_at is null or retry_at <= now())
  and not exists (select from users u where u.id = c.user_id and u.is_at_rest)
  and (test_asked_at is not null or exists (
    select from alert_notices n join incidents i on i.id = n.incident_id where ${sendable(flaps)}))`;

export function alertNotices(db: Queryable) {
  return {
    /** Adds notices that incidents began, unless the channel has them. */
    add: (notices: readonly NewNotice[]) =>
      db.query(
        `insert into alert_notices (channel_id, incident_id, phase, due_at)
         select channel_id, incident_id, 'began', due_at
         from unnest($1::text[], $2::text[], $3::timestamptz[]) as n (channel_id, incident_id, due_at)
         on conflict do nothing`,
        [
          notices.map(({ channelID }) => channelID),
          notices.map(({ incidentID }) => incidentID),
          notices.map(({ dueAt }) => dueAt),
        ],
      ),

    /**
     * Adds notices that incidents ended, for channels that sent the beginning, and for channels that would have sent it
     * without quiet hours or failures. Unsent beginnings are deleted.
     * @param lastedSeconds the durations by the id of the incident
     */
    end: (lastedSeconds: ReadonlyMap<string, number>) =>
      db.query(
        `with ended as (select * from unnest($1::text[], $2::float8[]) as e (incident_id, lasted)),
         untold as (
           delete from alert_notices n using ended
           where n.incident_id = ended.incident_id and n.phase = 'began' and n.sent_at is null
           returning n.channel_id, n.incident_id, ended.lasted)
         insert into alert_notices (channel_id, incident_id, phase, due_at)
         select channel_id, n.incident_id, 'ended', now() from alert_notices n join ended using (incident_id)
         where n.phase = 'began' and n.sent_at is not null
         union all
         select u.channel_id, u.incident_id, 'ended', now()
         from untold u join alert_channels c on c.id = u.channel_id and c.after_seconds <= u.lasted
         on conflict do nothing`,
        [[...lastedSeconds.keys()], [...lastedSeconds.values()]],
      ),

    /** Sends a command to each channel with waiting notices of these incidents, for their due time. */
    wake: (incidentIDs: readonly string[]) =>
      db.query(
        `insert into outbox (queue, body, visible_at)
         select 'webhooks', jsonb_build_object('alertChannelID', c.id), greatest(now(), min(n.due_at), c.retry_at)
         from alert_notices n join alert_channels c on c.id = n.channel_id
         where n.incident_id = any ($1) and n.sent_at is null and c.enabled group by c.id`,
        [incidentIDs],
      ),

    /**
     * Leases a channel to one sender.
     * @param mostOfUser the most channels of a user that may have senders
     * @returns null if nothing can be sent now, or another sender has the channel
     */
    lease: (id: string, leaseSeconds: number, mostOfUser: number, flaps: number, { mostOfOthers }: WebhookHostLimits) =>
      one<AlertChannel>(
        db,
        `update alert_channels c set leased_until = now() + make_interval(secs => $2)
         where id = $1 and (leased_until is null or leased_until < now()) and ${isReady('$4')}
           and (select count(*) from alert_channels o where o.user_id = c.user_id and o.leased_until >= now()) < $3
           and (select count(*) from alert_channels o
             where o.host = c.host and o.user_id <> c.user_id and o.leased_until >= now()) < $5
         returning *`,
        [id, leaseSeconds, mostOfUser, flaps, mostOfOthers],
      ),

    /** Whether something can be sent and only waits for another sender. */
    isWaiting: async (id: string, flaps: number) =>
      (await one(db, `select from alert_channels c where id = $1 and ${isReady('$2')}`, [id, flaps])) !== null,

    /** The notices that can be sent to a channel now, the oldest first. */
    due: (channelID: string, flaps: number, most: number) =>
      all<Notice>(
        db,
        `select i.*, n.phase, exists (
           select from alert_notices b
           where b.channel_id = c.id and b.incident_id = i.id and b.phase = 'began'
             and b.sent_at is not null) as is_known
         from alert_channels c, alert_notices n join incidents i on i.id = n.incident_id
         where c.id = $1 and ${sendable('$2')} order by n.due_at, i.seq limit $3`,
        [channelID, flaps, most],
      ),

    /** Records that a message with these notices was accepted. @param isTest whether it was also the requested test */
    recordSent: (channelID: string, notices: readonly Notice[], delivery: LastDelivery, isTest: boolean) =>
      db.query(
        `with notified as (
           update alert_notices n set sent_at = now()
           from unnest($2::text[], $3::text[]) as t (incident_id, phase)
           where n.channel_id = $1 and n.incident_id = t.incident_id and n.phase = t.phase)
         update alert_channels
         set failures = 0, failing_since = null, retry_at = null, last_delivery = $4, leased_until = null,
           test_asked_at = case when $5 then null else test_asked_at end
         where id = $1`,
        [channelID, notices.map(({ id }) => id), notices.map(({ phase }) => phase), delivery, isTest],
      ),

    /** Postpones all notices of a channel, with a command for that time. @param failure null: none */
    postpone: (channelID: string, seconds: number, failure: LastDelivery | null) =>
      db.query(
        `with put_off as (
           update alert_channels
           set leased_until = null, retry_at = now() + make_interval(secs => $2),
             last_delivery = coalesce($3, last_delivery),
             failures = case when $3::jsonb is null then failures else failures + 1 end,
             failing_since = case when $3::jsonb is null then failing_since else coalesce(failing_since, now()) end
           where id = $1 returning retry_at)
         insert into outbox (queue, body, visible_at)
         select 'webhooks', jsonb_build_object('alertChannelID', $1::text), retry_at from put_off`,
        [channelID, seconds, failure],
      ),
  };
}
