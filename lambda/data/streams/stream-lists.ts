// SQL of lists of streams: search with filters and sort orders, and counts.
import type { StreamState } from '../../domain/streams/stream-lifecycle.ts';
import { all } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';
import type { Stream } from './streams.ts';
import type { SortPosition } from '../media/upload-lists.ts';
import type { StreamSortKey } from '../../domain/streams/stream-words.ts';

/** Conditions of a search. Null: no condition. */
export interface StreamFilter {
  /** A part of the name, in any case. */
  readonly q: string | null;
  readonly states: readonly StreamState[] | null;
  readonly needsAttention: boolean | null;
  /** The destination of any output. */
  readonly destinationID: string | null;
  readonly updatedSince: Date | null;
}

/** SQL of the sort keys. Equal rows are sorted by `seq`. */
const sortKeys: Readonly<Record<StreamSortKey, string | null>> = {
  createdAt: null,
  name: `coalesce(name, '') collate natural_order`,
  // In microseconds: a Date has only milliseconds.
  updatedAt: '(extract(epoch from updated_at) * 1000000)::bigint',
};

export interface StreamOrder {
  readonly by: StreamSortKey;
  readonly descending: boolean;
}

export type SortedStream = Stream & { readonly sort_key: string | number | null };

/** The number of streams in a state, and of those that need attention. */
export interface StreamCount {
  readonly state: StreamState;
  readonly count: number;
  readonly needing: number;
}

/** SQL condition: the stream `s` needs the attention of its user. */
const needsAttention = `(s.state in ('failing', 'failed')
  or s.state = 'active' and s.state_reason is not null
  or exists (
    select from incidents
    where user_id = s.user_id and stream_id = s.id and confirmed_at is not null and ended_at is null)
  or s.stream_destination = 'managed' and exists (
    select from mirror_intents where stream_id = s.id and state = 'blocked'))`;

export function streamLists(db: Queryable) {
  return {
    search: (
      userID: string,
      filter: StreamFilter,
      { by, descending }: StreamOrder,
      after: SortPosition | null,
      count: number,
    ) => {
      const key = sortKeys[by];
      const [before, direction] = descending ? ['<', 'desc'] : ['>', 'asc'];
      const isAfter = key === null ? `seq ${before} $7` : `(${key}, seq) ${before} ($9, $7)`;
      return all<SortedStream>(
        db,
        `select s.*, ${key ?? 'null'} as sort_key from streams s
         where user_id = $1 and deleted_at is null
           and ($2::text is null or position(lower($2) in lower(coalesce(name, ''))) > 0)
           and ($3::text[] is null or state = any ($3))
           and ($4::boolean is null or ${needsAttention} = $4)
           and ($5::text is null or destination_id = $5
             or exists (select from outputs where stream_id = s.id and destination_id = $5 and deleted_at is null))
           and ($6::timestamptz is null or updated_at >= $6)
           and ($7::bigint is null or ${isAfter})
         order by ${key === null ? '' : `${key} ${direction}, `}seq ${direction} limit $8`,
        [
          userID,
          filter.q,
          filter.states,
          filter.needsAttention,
          filter.destinationID,
          filter.updatedSince,
          after?.seq ?? null,
          count,
          ...(key === null ? [] : [after?.key ?? null]),
        ],
      );
    },

    /** Streams that wait for a schedule or run by one. @param id null: all of them */
    withSchedule: (userID: string, id: string | null) =>
      all<Stream>(
        db,
        `select * from streams
         where user_id = $1 and deleted_at is null and ($2::text is null or id = $2) and schedule_start_at is not null
           and (state = 'scheduled' or state in ('preparing', 'activating', 'active', 'failing')
             and (recurrence is not null or schedule_start_at <= now()))
         order by seq`,
        [userID, id],
      ),

    counts: (userID: string) =>
      all<StreamCount>(
        db,
        `select state, count(*)::int as count, (count(*) filter (where ${needsAttention}))::int as needing
         from streams s where user_id = $1 and deleted_at is null group by state`,
        [userID],
      ),
  };
}
