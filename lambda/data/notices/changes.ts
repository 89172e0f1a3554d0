// SQL of what changed for users. Triggers note it (migration 0061), each change with its transaction.
import type { ChangedKind } from '../../domain/notices/changes.ts';
import { one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

/** Incidents of credits are told apart here, as not everybody may read of them. */
export type NotedKind = ChangedKind | 'creditsIncident';

export interface Change {
  readonly kind: NotedKind;
  readonly id: string;
  readonly deleted: boolean;
}

export interface Changes {
  /** A snapshot of Postgres: which transactions this has seen. Each other one is told later, however it began. */
  readonly seen: string;
  /** The oldest transaction that was under way then. */
  readonly oldest: number;
  /** Whether what was seen is too long ago, or of a database of which a crash or a restore has left less. */
  readonly isForgotten: boolean;
  /** Each thing once, with the last change of it; the one that changed longest ago comes first. */
  readonly changed: readonly Change[];
}

/** Characters of a snapshot: some hundred transactions that are under way at once. */
const mostSeen = 1000;

export function changes(db: Queryable) {
  return {
    /**
     * What transactions have changed that were not seen; null: none is asked for. One statement, so that what it finds
     * and what it says to have seen are the same. Where very many are under way, some are told twice. What was
     * forgotten of a transaction that had not ended when others were seen is known once it has ended: one that lasts
     * for hours has nobody read everything again before.
     */
    unseen: async (userID: string, seen: string | null, kinds: readonly NotedKind[], most: number): Promise<Changes> =>
      (await one<Changes>(
        db,
        `with now as materialized (select pg_current_snapshot() as snapshot)
         select pg_snapshot_xmin(snapshot)::text::bigint as oldest,
           case when length(snapshot::text) <= ${mostSeen} then snapshot::text
             else pg_snapshot_xmin(snapshot) || ':' || pg_snapshot_xmin(snapshot) || ':' end as seen,
           not coalesce(pg_snapshot_xmax($2::pg_snapshot) > up_to
             and not exists (
               select from pg_snapshot_xip($2) as awaited
               where awaited <= up_to and pg_visible_in_snapshot(awaited, snapshot))
             and pg_snapshot_xmax($2) <= pg_snapshot_xmax(snapshot), false) as "isForgotten",
           coalesce((
             select jsonb_agg(jsonb_build_object('kind', kind, 'id', id, 'deleted', deleted) order by at)
             from (
               select kind, id, bool_or(is_deleted) as deleted, max(at) as at from changes
               where user_id = $1 and xid >= pg_snapshot_xmin($2) and not pg_visible_in_snapshot(xid, $2)
                 and kind = any ($3)
               group by kind, id limit $4) changed), '[]') as changed
         from now, (select max(up_to) as up_to from forgotten_changes) forgotten`,
        [userID, seen, kinds, most],
      ))!,

    /**
     * Forgets changes of long ago, and notes up to which transaction. After a crash, which takes all changes, it notes
     * that of now.
     */
    forget: (minutes: number, most: number) =>
      db.query(
        `with gone as (
           delete from changes where ctid = any (array(
             select ctid from changes where at < now() - make_interval(mins => $1) order by at limit $2))
           returning xid),
         noted as (
           update forgotten_changes set up_to = greatest(up_to, (select max(xid) from gone))
           where exists (select from gone))
         insert into forgotten_changes
         select pg_snapshot_xmax(pg_current_snapshot()) where not exists (select from forgotten_changes)`,
        [minutes, most],
      ),
  };
}
