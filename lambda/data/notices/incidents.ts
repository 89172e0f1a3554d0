// SQL of incidents: the signals of triggers, and the incidents that a worker makes of them.
import type { Condition, Course, IncidentKind } from '../../domain/notices/incidents.ts';
import type { IncidentDetail } from '../../domain/notices/incident-words.ts';
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

export interface Incident {
  readonly id: string;
  readonly seq: number;
  readonly user_id: string;
  readonly kind: IncidentKind;
  readonly subject_id: string;
  readonly stream_id: string | null;
  readonly output_id: string | null;
  readonly condition: Condition;
  readonly since: Date;
  readonly began_at: Date;
  readonly confirmed_at: Date | null;
  readonly ended_at: Date | null;
  readonly count: number;
  readonly detail: IncidentDetail;
  readonly due_at: Date | null;
}

export interface Signal extends Pick<Incident, 'kind' | 'subject_id' | 'stream_id' | 'output_id' | 'detail'> {
  readonly condition: Condition;
  readonly at: Date;
}

/** An event of an incident for webhooks. */
export interface IncidentEvent {
  readonly type: 'incident.began' | 'incident.ended';
  readonly incidentID: string;
  readonly data: unknown;
}

export function courseOf(incident: Omit<Incident, 'seq'>): Course {
  const { condition, since, began_at: beganAt, confirmed_at: confirmedAt, ended_at: endedAt, count } = incident;
  return { condition, since, beganAt, confirmedAt, endedAt, count };
}

export function incidents(db: Queryable) {
  return {
    list: (userID: string, kinds: readonly string[], isOpen: boolean | null, before: number | null, count: number) =>
      all<Incident>(
        db,
        `select * from incidents
         where user_id = $1 and confirmed_at is not null and kind = any ($2)
           and ($3::boolean is null or (ended_at is null) = $3) and ($4::bigint is null or seq < $4)
         order by seq desc limit $5`,
        [userID, kinds, isOpen, before, count],
      ),

    find: (userID: string, id: string, kinds: readonly string[]) =>
      one<Incident>(
        db,
        'select * from incidents where id = $1 and user_id = $2 and confirmed_at is not null and kind = any ($3)',
        [id, userID, kinds],
      ),

    /** Locks the incidents of a user: one worker at a time reconciles them. */
    lockTurn: (userID: string) =>
      db.query(
        `insert into incident_turns (user_id) select id from users where id = $1
         on conflict (user_id) do update set user_id = excluded.user_id`,
        [userID],
      ),

    /** Takes and deletes the oldest signals of a user, at most `most`. */
    takeSignals: (userID: string, most: number) =>
      all<Signal>(
        db,
        `with taken as (
           delete from incident_signals where user_id = $1
             and id in (select id from incident_signals where user_id = $1 order by id limit $2) returning *)
         select * from taken order by id`,
        [userID, most],
      ),

    /** The open incidents of a user that are due or have signals. */
    open: (userID: string, now: Date, signals: readonly Signal[]) =>
      all<Incident>(
        db,
        `select * from incidents i
         where user_id = $1 and ended_at is null
           and (due_at <= $2 or (kind, subject_id) in (select * from unnest($3::text[], $4::text[])))`,
        [userID, now, signals.map(({ kind }) => kind), signals.map(({ subject_id: subjectID }) => subjectID)],
      ),

    /** Stores new and changed incidents, and deletes those that passed before they were confirmed. */
    save: async (changed: readonly Omit<Incident, 'seq'>[], passedIDs: readonly string[]) => {
      if (passedIDs.length > 0) await db.query('delete from incidents where id = any ($1)', [passedIDs]);
      if (changed.length === 0) return;
      await db.query(
        `insert into incidents (id, user_id, kind, subject_id, stream_id, output_id, condition, since, began_at,
           confirmed_at, ended_at, count, detail, due_at)
         select * from jsonb_to_recordset($1) as i (id text, user_id text, kind text, subject_id text, stream_id text,
           output_id text, condition text, since timestamptz, began_at timestamptz, confirmed_at timestamptz,
           ended_at timestamptz, count integer, detail jsonb, due_at timestamptz)
         on conflict (id) do update
         set condition = excluded.condition, since = excluded.since, confirmed_at = excluded.confirmed_at,
           ended_at = excluded.ended_at, count = excluded.count, detail = excluded.detail, due_at = excluded.due_at`,
        [JSON.stringify(changed)],
      );
    },

    /** At most `most` users with signals or due incidents, by id, after a user. */
    usersToReconcile: async (afterUserID: string, most: number): Promise<string[]> => {
      const rows = await all<{ user_id: string }>(
        db,
        `with recursive signalled as (
           (select user_id from incident_signals where user_id > $1 order by user_id limit 1)
           union all
           select (select user_id from incident_signals s where s.user_id > signalled.user_id order by user_id limit 1)
           from signalled where signalled.user_id is not null)
         (select user_id from signalled where user_id is not null limit $2)
         union
         (select distinct user_id from incidents where user_id > $1 and due_at <= now() order by user_id limit $2)
         order by user_id limit $2`,
        [afterUserID, most],
      );
      return rows.map((row) => row.user_id);
    },

    /**
     * Sends a command to reconcile the incidents of all users when the first of them is due.
     * @param soonSeconds the most seconds until then, for signals of running transactions; null: no limit
     */
    scheduleNext: (soonSeconds: number | null) =>
      db.query(
        `insert into outbox (queue, body, visible_at)
         select 'webhooks', '{"incidents": ""}', at
         from (
           select least(
             (select min(due_at) from incidents where due_at is not null),
             now() + make_interval(secs => $1)) as at) next
         where at is not null and not exists (
           select from outbox where queue = 'webhooks' and body ? 'incidents' and dead_at is null and receipt is null
             and visible_at <= greatest(at, now()))`,
        [soonSeconds],
      ),

    /** Sends events to the webhooks that subscribe to them, in this order. */
    notifyWebhooks: async (userID: string, events: readonly IncidentEvent[]) => {
      if (events.length === 0) return;
      await db.query(
        `select record_event($1, type, incident_id, data)
         from unnest($2::text[], $3::text[], $4::json[]) with ordinality as e (type, incident_id, data, place)
         order by place`,
        [
          userID,
          events.map(({ type }) => type),
          events.map(({ incidentID }) => incidentID),
          events.map(({ data }) => JSON.stringify(data)),
        ],
      );
    },

    /** Deletes incidents that ended long ago, and all but the newest of each user. */
    forget: (days: number, keptOfUser: number, most: number) =>
      db.query(
        `delete from incidents where id in (
           select id from incidents where ended_at < now() - make_interval(days => $1) limit $3)
         or id in (
           select i.id from (select user_id from incidents where ended_at is not null
             group by user_id having count(*) > $2) many,
             lateral (select id from incidents where user_id = many.user_id and ended_at is not null
               order by seq desc offset $2 limit $3) i)`,
        [days, keptOfUser, most],
      ),

    /** Sends commands for overdue signals, incidents and notices, whose own commands must have been lost. */
    wakeForgotten: (lateSeconds: number) =>
      db.query(
        `with late as (select now() - make_interval(secs => $1) as at)
         insert into outbox (queue, body)
         select 'webhooks', '{"incidents": ""}'::jsonb from late
         where exists (select from incident_signals s where s.at < late.at)
           or exists (select from incidents i where i.due_at < late.at)
         union all
         select distinct 'webhooks', jsonb_build_object('alertChannelID', c.id)
         from late, alert_notices n join alert_channels c on c.id = n.channel_id
         where n.sent_at is null and greatest(n.due_at, c.retry_at) < late.at
           and c.enabled and (c.leased_until is null or c.leased_until < now())`,
        [lateSeconds],
      ),
  };
}
