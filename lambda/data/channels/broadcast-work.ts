// SQL of broadcasts for the worker of mirrors, which makes them and records their states.
import { isOpen } from './broadcasts.ts';
import type { Broadcast, BroadcastHealth } from './broadcasts.ts';
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';
import type { BroadcastPhase } from '../../domain/channels/channel-words.ts';

/** A broadcast that has not ended, as far as we know. */
export type OpenBroadcastRow = Broadcast & { readonly phase: 'prepared' | 'starting' | 'live' };

/** The data of a broadcast that is sent to the platform when it is made. */
export interface BroadcastMaking {
  readonly title: string;
  readonly scheduledStartAt: Date;
  readonly autoStart: boolean;
  /** Null: nothing was sent yet. */
  readonly describedHash: string | null;
}

export function broadcastWork(db: Queryable) {
  return {
    /** The open broadcasts of a stream on a connection, the oldest first. */
    openOf: (streamID: string, connectionID: string) =>
      all<OpenBroadcastRow>(
        db,
        `select * from broadcasts where stream_id = $1 and connection_id = $2 and ${isOpen} order by n`,
        [streamID, connectionID],
      ),

    /** The number of the next broadcast of a stream. */
    nextNumber: async (streamID: string) =>
      (await one<{ n: number }>(db, 'select coalesce(max(n), 0) + 1 as n from broadcasts where stream_id = $1', [
        streamID,
      ]))!.n,

    /**
     * The first second from `at` on at which no other open broadcast of the connection starts.
     * @param except a broadcast to leave out; null: none
     */
    freeStart: async (connectionID: string, at: Date, except: string | null) =>
      (await one<{ at: Date }>(
        db,
        `select at from generate_series(date_trunc('second', $2::timestamptz), $2::timestamptz + interval '1 hour',
             interval '1 second') as at
         where not exists (
           select from broadcasts
           where connection_id = $1 and scheduled_start_at = at and ${isOpen} and id is distinct from $3)
         order by at limit 1`,
        [connectionID, at, except],
      ))!.at,

    /** Records that a broadcast is about to be made. The caller commits this before it calls the platform. */
    beginMaking: (
      broadcast: { id: string; streamID: string; connectionID: string; n: number },
      { title, scheduledStartAt, autoStart, describedHash }: BroadcastMaking,
      now: Date,
    ) =>
      db.query(
        `insert into broadcasts (id, stream_id, connection_id, n, title, scheduled_start_at, auto_start,
           described_hash, pending_since, created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)
         on conflict (id) do update set
           title = excluded.title, scheduled_start_at = excluded.scheduled_start_at, auto_start = excluded.auto_start,
           described_hash = excluded.described_hash, pending_since = excluded.pending_since,
           created_at = excluded.created_at`,
        [
          broadcast.id,
          broadcast.streamID,
          broadcast.connectionID,
          broadcast.n,
          title,
          scheduledStartAt,
          autoStart,
          describedHash,
          now,
        ],
      ),

    /** Records that the broadcast exists. @param externalID null: the platform has no broadcasts */
    markMade: (id: string, externalID: string | null, watchURL: string | null, now: Date) =>
      db.query(
        `update broadcasts set external_id = $2, watch_url = $3, pending_since = null,
           missed_at = null, health_observed_at = $4
         where id = $1`,
        [id, externalID, watchURL, now],
      ),

    /** Records that the broadcast does not exist. */
    markUnmade: (id: string) =>
      db.query('update broadcasts set pending_since = null, missed_at = null where id = $1', [id]),

    markMissed: (id: string, now: Date) => db.query('update broadcasts set missed_at = $2 where id = $1', [id, now]),

    /** Records a finished step. `looksAgain`: the broadcast is read back before its next step. */
    markDone: (id: string, done: 'bound' | 'looksAgain') =>
      db.query(
        `update broadcasts set bound = bound or $2 = 'bound',
           health_observed_at = case when $2 <> 'looksAgain' then health_observed_at end
         where id = $1`,
        [id, done],
      ),

    /** Records that the thumbnail is set, or that the platform refuses it. */
    markThumbnail: (id: string, uploadID: string) =>
      db.query('update broadcasts set thumbnail_upload_id = $2 where id = $1', [id, uploadID]),

    /** The external ids among these that broadcasts of the connection have. */
    known: async (connectionID: string, externalIDs: readonly string[]) => {
      const rows = await all<{ external_id: string }>(
        db,
        'select external_id from broadcasts where connection_id = $1 and external_id = any ($2)',
        [connectionID, externalIDs],
      );
      return new Set(rows.map((row) => row.external_id));
    },

    markDescribed: (
      id: string,
      { title, scheduledStartAt, describedHash }: Omit<BroadcastMaking, 'autoStart'>,
      now: Date,
    ) =>
      db.query(
        `update broadcasts set title = $2, scheduled_start_at = $3, described_hash = $4, described_at = $5
         where id = $1`,
        [id, title, scheduledStartAt, describedHash, now],
      ),

    /**
     * Records a phase that was observed or that a call caused. Quota that was reserved for the end and not used is
     * released.
     */
    setPhase: (id: string, phase: BroadcastPhase, now: Date) =>
      db.query(
        `with given_back as (
           update platform_quota q set used_units = q.used_units - b.reserved_units
           from broadcasts b join connections c on c.id = b.connection_id
           where b.id = $1 and $2 in ('ended', 'failed') and b.reserved_units > 0
             and q.platform = c.platform and q.day = b.reserved_day::date)
         update broadcasts set phase = $2::text,
           reserved_units = case when $2 in ('ended', 'failed') then 0 else reserved_units end,
           live_at = case when $2 = 'live' then coalesce(live_at, $3::timestamptz) else live_at end,
           ended_at = case when $2 in ('ended', 'failed') then coalesce(ended_at, $3) else ended_at end,
           pending_since = null
         where id = $1`,
        [id, phase, now],
      ),

    /** Records what the platform reported. @param isActive null: not reported */
    saveObserved: (
      id: string,
      { isActive, health, now }: { isActive: boolean | null; health: BroadcastHealth | null; now: Date },
    ) =>
      db.query(
        `update broadcasts set health_observed_at = $4, health = coalesce($3::jsonb, health),
           ingest_active_at = case
             when $2::boolean is null then ingest_active_at when $2 then coalesce(ingest_active_at, $4) end
         where id = $1`,
        [id, isActive, health, now],
      ),
  };
}
