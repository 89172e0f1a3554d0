// SQL of generations for the worker of mirrors, which takes the due ones and records their results.
import type { MirrorCode } from '../../domain/channels/mirror-retries.ts';
import { isOpen } from './broadcasts.ts';
import type { MirrorIntent } from './mirror-intents.ts';
import { one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';
import type { Stream } from '../streams/streams.ts';
import type { Locked } from '../shared/locked.ts';

/** SQL of the streams that the connection $1 may have to reconcile. */
const concerned = `
  select s.id from managed_settings m join streams s on s.managed_settings_id = m.id
  where m.connection_id = $1 and s.stream_destination = 'managed'
  union select stream_id from broadcasts where connection_id = $1 and ${isOpen}`;

export function mirrorWork(db: Queryable) {
  return {
    /** The generation of a stream that is due; null if there is none any more. */
    dueOf: (stream: Locked<Pick<Stream, 'id'>>, connectionID: string, now: Date) =>
      one<MirrorIntent>(
        db,
        `select * from mirror_intents
         where stream_id = $1 and state = 'pending' and next_attempt_at <= $3 and connection_to_work(stream_id) = $2`,
        [stream.id, connectionID, now],
      ),

    /** The id of the stream of the connection whose generation has been due for longest; null: none. */
    nextDue: async (connectionID: string, now: Date) =>
      (
        await one<{ stream_id: string }>(
          db,
          `select i.stream_id from (${concerned}) c join mirror_intents i on i.stream_id = c.id
           where i.state = 'pending' and i.next_attempt_at <= $2 and connection_to_work(c.id) = $1
           order by i.next_attempt_at, i.stream_id limit 1`,
          [connectionID, now],
        )
      )?.stream_id ?? null,

    markDone: ({ stream_id, generation }: MirrorIntent) =>
      db.query(
        `update mirror_intents set state = 'done', code = null, detail = null, updated_at = now()
         where stream_id = $1 and generation = $2`,
        [stream_id, generation],
      ),

    /** Postpones a generation that has no fault, with a command for that time. */
    wait: ({ stream_id, generation }: MirrorIntent, connectionID: string, until: Date) =>
      db.query(
        `with waiting as (
           update mirror_intents set next_attempt_at = $4, code = null, detail = null, updated_at = now()
           where stream_id = $1 and generation = $2 and state = 'pending' returning next_attempt_at)
         insert into outbox (queue, body, visible_at)
         select 'platforms', jsonb_build_object('connectionID', $3::text), next_attempt_at from waiting`,
        [stream_id, generation, connectionID, until],
      ),

    /**
     * Records that a step failed, with a command for the next attempt. Does nothing if the generation was superseded.
     * @param retryAt null: the generation is blocked
     */
    fail: (
      { stream_id, generation }: MirrorIntent,
      connectionID: string,
      { code, detail, retryAt }: { code: MirrorCode; detail: string; retryAt: Date | null },
    ) =>
      db.query(
        `with failed as (
           update mirror_intents set state = case when $4::timestamptz is null then 'blocked' else 'pending' end,
             code = $5, detail = $6, attempts = attempts + 1, next_attempt_at = coalesce($4, next_attempt_at),
             updated_at = now()
           where stream_id = $1 and generation = $2 and state = 'pending' returning next_attempt_at, state)
         insert into outbox (queue, body, visible_at)
         select 'platforms', jsonb_build_object('connectionID', $3::text), next_attempt_at
         from failed where state = 'pending'`,
        [stream_id, generation, connectionID, retryAt, code, detail],
      ),

    /** Retries all generations, of any user, that wait for room on the channel of a connection. */
    wakeBusy: (connectionID: string, now: Date) =>
      db.query(
        `with channel as (
           select o.id from connections c join connections o on o.platform = c.platform and o.account_id = c.account_id
           where c.id = $1),
         woken as (
           update mirror_intents i set next_attempt_at = $2, updated_at = now()
           from channel join managed_settings m on m.connection_id = channel.id
             join streams s on s.managed_settings_id = m.id and s.stream_destination = 'managed'
           where i.stream_id = s.id and i.state = 'pending' and i.code = 'channel_busy' and i.next_attempt_at > $2
           returning m.connection_id)
         insert into outbox (queue, body)
         select distinct 'platforms', jsonb_build_object('connectionID', connection_id) from woken`,
        [connectionID, now],
      ),
  };
}
