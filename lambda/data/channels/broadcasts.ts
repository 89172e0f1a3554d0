// SQL of the broadcasts of streams on managed platforms.
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';
import type { BroadcastPhase } from '../../domain/channels/channel-words.ts';
import type { OpenBroadcast } from '../../domain/channels/mirror.ts';

export interface BroadcastHealth {
  readonly state: 'good' | 'ok' | 'bad' | 'no_data' | 'unknown';
  readonly issues: readonly { readonly type: string; readonly severity: string; readonly detail: string }[];
}

export interface Broadcast extends Omit<OpenBroadcast, 'phase'> {
  readonly seq: number;
  readonly stream_id: string;
  readonly connection_id: string;
  readonly watch_url: string | null;
  /** `failed`: it was never made. */
  readonly phase: BroadcastPhase;
  readonly title: string;
  readonly scheduled_start_at: Date;
  readonly live_at: Date | null;
  readonly ended_at: Date | null;
  readonly health: BroadcastHealth | null;
  /** Null: unknown. */
  readonly viewers: number | null;
  readonly viewers_observed_at: Date | null;
  /** The quota units that are reserved for its end, counted as used on `reserved_day`, YYYY-MM-DD. */
  readonly reserved_units: number;
  readonly reserved_day: string | null;
}

/** SQL condition: a broadcast has not ended, as far as we know. */
export const isOpen = `phase in ('prepared', 'starting', 'live')`;

export function broadcasts(db: Queryable) {
  return {
    /** Whether a stream has an open broadcast. */
    hasOpen: async (streamID: string) =>
      (await one(db, `select from broadcasts where stream_id = $1 and ${isOpen} limit 1`, [streamID])) !== null,

    /** Whether a connection has an open broadcast. */
    hasOpenOn: async (connectionID: string) =>
      (await one(db, `select from broadcasts where connection_id = $1 and ${isOpen} limit 1`, [connectionID])) !== null,

    /** The public URL of each of these streams: of its live broadcast, else of the prepared one. */
    watchURLs: (streamIDs: readonly string[]) =>
      all<{ stream_id: string; watch_url: string }>(
        db,
        `select distinct on (stream_id) stream_id, watch_url from broadcasts
         where stream_id = any ($1) and ${isOpen} and watch_url is not null
         order by stream_id, phase = 'live' desc, n desc`,
        [streamIDs],
      ),

    list: (streamID: string, before: number | null, count: number) =>
      all<Broadcast>(
        db,
        `select * from broadcasts where stream_id = $1 and ($2::bigint is null or seq < $2) order by seq desc limit $3`,
        [streamID, before, count],
      ),
  };
}
