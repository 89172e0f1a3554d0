// SQL of programmes: rules that plan the timeline of a stream, their published versions and their planners' states.
import type { PlaylistKind } from '../../domain/playout/playlist-words.ts';
import type { PlannerState } from '../../domain/programme/planned-row.ts';
import type { ProgrammeRules } from '../../domain/programme/programme-rules.ts';
import type { Locked } from '../shared/locked.ts';
import { pageRows } from '../shared/page-rows.ts';
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

/** Rules as they are stored: all random orders follow from the seed of the programme. */
export type StoredRules = Omit<ProgrammeRules, 'seed'>;

/** The rules that streams play. */
export interface PublishedRules extends StoredRules {
  readonly version: number;
  /** As ISO 8601. */
  readonly publishedAt: string;
}

export interface PublishedVersion {
  readonly version: number;
  readonly published_at: Date;
  readonly rules: StoredRules;
}

/** A published version without its rules. */
export interface ListedVersion extends Omit<PublishedVersion, 'rules'> {
  readonly block_count: number;
  readonly insert_count: number;
}

/** The most versions of a programme, and the most bytes that their rules take in the database. */
export interface VersionBounds {
  readonly count: number;
  readonly bytes: number;
}

/** Plans at once, and the seconds of the rest for each one. */
interface ChangePlans {
  readonly atOnce: number;
  readonly restSeconds: number;
}

/** The state of a planner before the first row that begins at or after a time. */
export interface StateAt {
  readonly at: Date;
  readonly state: PlannerState;
}

export interface Programme {
  readonly id: string;
  readonly seq: number;
  readonly user_id: string;
  readonly stream_id: string;
  /** The track of the stream that it plans. */
  readonly kind: PlaylistKind;
  readonly seed: number;
  /** It increases with each change of the draft. */
  readonly version: number;
  readonly draft: StoredRules;
  /** Null: it was not published yet, and no stream plays it. */
  readonly live: PublishedRules | null;
  /** The end of the rows that are planned for the present run; null: there is none. */
  readonly planned_until: Date | null;
  /** The reason for which the last plan has no rows; null: it has. */
  readonly plan_failure: { readonly code: string; readonly detail: string } | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** A programme that its stream plays. */
export interface PublishedProgramme extends Programme {
  readonly live: PublishedRules;
}

/** A programme as its answers show it: with the rules of its draft. */
export interface ShownProgramme extends Omit<Programme, 'user_id' | 'seed' | 'live'> {
  readonly live: Pick<PublishedRules, 'version' | 'publishedAt'> | null;
}

export interface ListedProgramme extends ShownProgramme {
  /** Bytes of the rules of its draft and of those that are published, as JSON. */
  readonly rules_bytes: number;
}

/** SQL of a page of the programmes of the user $1. */
const listed = pageRows({
  table: 'programmes',
  condition: 'user_id = $1 and ($2::text is null or stream_id = $2)',
  size: `octet_length(draft::text) + coalesce(octet_length(live::text), 0)`,
  before: '$3',
  count: '$4',
  mostSize: '$5',
});

export function programmes(db: Queryable) {
  return {
    /** @returns null if the stream has a programme for this track */
    insert: (programme: Pick<Programme, 'id' | 'user_id' | 'stream_id' | 'kind' | 'seed' | 'draft'>) =>
      one<Locked<Programme>>(
        db,
        `insert into programmes (id, user_id, stream_id, kind, seed, draft) values ($1, $2, $3, $4, $5, $6)
         on conflict (stream_id, kind) do nothing returning *`,
        [programme.id, programme.user_id, programme.stream_id, programme.kind, programme.seed, programme.draft],
      ),

    find: (userID: string, id: string) =>
      one<Programme>(db, 'select * from programmes where id = $1 and user_id = $2', [id, userID]),

    lock: (userID: string, id: string) =>
      one<Locked<Programme>>(db, 'select * from programmes where id = $1 and user_id = $2 for update', [id, userID]),

    /**
     * Programmes of a user, the newest first.
     * @param mostBytes the bytes of rules after which the next programme is the last one
     */
    list: (userID: string, streamID: string | null, before: number | null, count: number, mostBytes: number) =>
      all<ListedProgramme>(
        db,
        `${listed.with}
         select id, seq, stream_id, kind, version, draft, planned_until, plan_failure, created_at, updated_at,
           row_size as rules_bytes, case when live is not null then
             jsonb_build_object('version', live -> 'version', 'publishedAt', live -> 'publishedAt') end as live
         from ${listed.from} order by seq desc`,
        [userID, streamID, before, count, mostBytes],
      ),

    saveDraft: async (id: string, draft: StoredRules) =>
      (await one<Locked<Programme>>(
        db,
        `update programmes set draft = $2, version = version + 1, updated_at = now() where id = $1 returning *`,
        [id, draft],
      ))!,

    /** Deletes a programme. Its stream plays it until the end of its run. */
    delete: async ({ id, stream_id: streamID, kind }: Locked<Programme>) => {
      await db.query('delete from programmes where id = $1', [id]);
      await db.query(
        `update streams set planned_tracks = nullif(array_remove(planned_tracks, $2), '{}') where id = $1`,
        [streamID, kind],
      );
    },

    /** The published programmes of streams. */
    ofStreams: (streamIDs: readonly string[]) =>
      all<PublishedProgramme>(
        db,
        'select * from programmes where stream_id = any ($1) and live is not null order by kind',
        [streamIDs],
      ),

    /** Makes the draft the live version, and keeps it with those before it that the bounds have room for. */
    publish: async ({ id, stream_id: streamID, kind }: Locked<Programme>, kept: VersionBounds) => {
      await db.query(
        `insert into programme_versions (programme_id, version, rules) select id, version, draft from programmes
         where id = $1 on conflict do nothing`,
        [id],
      );
      await db.query(
        `delete from programme_versions where programme_id = $1 and version in (
           select version from (
             select version, row_number() over latest as number, sum(pg_column_size(rules)) over latest as bytes
             from programme_versions where programme_id = $1 window latest as (order by version desc)) listed
           where number > 1 and (number > $2 or bytes > $3))`,
        [id, kept.count, kept.bytes],
      );
      await db.query(
        `update streams set planned_tracks = array_append(planned_tracks, $2)
         where id = $1 and (planned_tracks @> array[$2]) is not true`,
        [streamID, kind],
      );
      return (await one<Locked<Programme>>(
        db,
        `update programmes set updated_at = now(), live = draft || jsonb_build_object('version', version,
           'publishedAt', to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
         where id = $1 returning *`,
        [id],
      ))!;
    },

    /** The published versions of a user's programme, the latest first; null: the user has no such programme. */
    versions: async (userID: string, id: string) => {
      const rows = await all<ListedVersion | { readonly version: null }>(
        db,
        `select v.version, published_at, block_count, insert_count
         from programmes p left join programme_versions v on programme_id = p.id
         where p.id = $1 and user_id = $2 order by v.version desc`,
        [id, userID],
      );
      return rows.length === 0 ? null : rows.filter((row) => row.version !== null);
    },

    version: (id: string, version: number) =>
      one<PublishedVersion>(
        db,
        'select version, published_at, rules from programme_versions where programme_id = $1 and version = $2',
        [id, version],
      ),

    /** The latest state of the planner at or before a time; null: it has planned nothing until then. */
    stateAt: (id: string, at: Date) =>
      one<StateAt>(
        db,
        'select at, state from programme_states where programme_id = $1 and at <= $2 order by at desc limit 1',
        [id, at],
      ),

    /**
     * Stores a state in place of those from its time on. Older ones are deleted, but the last one at or before `now`:
     * plans continue from it.
     */
    saveState: async (id: string, { at, state }: StateAt, now: Date) => {
      await db.query(
        `delete from programme_states where programme_id = $1 and (at >= $2 or at < (
           select max(at) from programme_states where programme_id = $1 and at <= least($2, $3::timestamptz)))`,
        [id, at, now],
      );
      await db.query('insert into programme_states (programme_id, at, state) values ($1, $2, $3)', [id, at, state]);
    },

    /**
     * The time of the plan that a change asks for: now, or after the rest of those before it. Changes that come before
     * it have the same plan.
     */
    changePlanAt: async (id: string, { atOnce, restSeconds }: ChangePlans, now: Date): Promise<Date> =>
      (await one<{ readonly at: Date }>(
        db,
        `update programmes set queue_rested_at = case
           when queue_rested_at - make_interval(secs => $2::float8 * $3) > $4 then queue_rested_at
           else greatest($4, queue_rested_at) + make_interval(secs => $3) end
         where id = $1
         returning greatest($4, queue_rested_at - make_interval(secs => $2::float8 * $3)) as at`,
        [id, atOnce, restSeconds, now],
      ))!.at,

    /** Records the end of a plan, or the reason for which there is none. */
    savePlan: (id: string, plannedUntil: Date | null, failure: Programme['plan_failure']) =>
      db.query('update programmes set planned_until = $2, plan_failure = $3 where id = $1', [
        id,
        plannedUntil,
        failure,
      ]),
  };
}
