// SQL of the changes that users see. Triggers record each change with its transaction.
// Decision D153.
import type { ChangedKind } from '../../domain/notices/changes.ts';
import { one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

/** The kinds of changes. Incidents of credits are a kind of their own, as they need another scope. */
export type NotedKind = ChangedKind | 'creditsIncident';

export interface Change {
  readonly kind: NotedKind;
  readonly id: string;
  readonly deleted: boolean;
}

export interface Changes {
  /** A snapshot of Postgres: the transactions that this answer has seen. All others are reported later. */
  readonly seen: string;
  /** The oldest transaction that was running then. */
  readonly oldest: number;
  /**
   * Whether the cursor is too old, too many changes came since, or it is from before a crash or a restore of the
   * database: read everything again.
   */
  readonly isForgotten: boolean;
  /** Each changed resource once, the oldest change first. */
  readonly changed: readonly Change[];
}

/** The most characters of a snapshot: some hundred running transactions. */
const mostSeen = 1000;
/** The most rows that one answer reads: a user may change the same thousand uploads again and again. */
const mostRead = 20_000;

export function changes(db: Queryable) {
  return {
    /**
     * The changes of transactions that a snapshot has not seen. It is one statement, so that the changes and the new
     * snapshot match. With very many running transactions, some changes are reported twice. Changes of a transaction
     * that runs for hours may be deleted before it ends; clients read everything again only after it has ended.
     * @param seen the `seen` of the previous answer; null: none, and no changes are returned
     */
    unseen: async (userID: string, seen: string | null, kinds: readonly NotedKind[], most: number): Promise<Changes> =>
      (await one<Changes>(
        db,
        `with now as materialized (select pg_current_snapshot() as snapshot),
         read as materialized (
           select * from changes where user_id = $1 and xid >= pg_snapshot_xmin($2) order by xid limit ${mostRead})
         select pg_snapshot_xmin(snapshot)::text::bigint as oldest,
           case when length(snapshot::text) <= ${mostSeen} then snapshot::text
             else pg_snapshot_xmin(snapshot) || ':' || pg_snapshot_xmin(snapshot) || ':' end as seen,
           not coalesce(pg_snapshot_xmax($2::pg_snapshot) > up_to
             and not exists (
               select from pg_snapshot_xip($2) as awaited
               where awaited <= up_to and pg_visible_in_snapshot(awaited, snapshot))
             and pg_snapshot_xmax($2) <= pg_snapshot_xmax(snapshot)
             and (select count(*) from read) < ${mostRead}, false) as "isForgotten",
           coalesce((
             select jsonb_agg(jsonb_build_object('kind', kind, 'id', id, 'deleted', deleted) order by at)
             from (
               select kind, id, bool_or(is_deleted) as deleted, max(at) as at from read
               where not pg_visible_in_snapshot(xid, $2) and kind = any ($3)
               group by kind, id limit $4) changed), '[]') as changed
         from now, (select max(up_to) as up_to from forgotten_changes) forgotten`,
        [userID, seen, kinds, most],
      ))!,

    /**
     * Deletes old changes and records the last deleted transaction. After a crash, which deletes all changes, it
     * records the current one.
     * @returns whether it has deleted as many as it may, so that there may be more
     */
    forget: async (minutes: number, most: number): Promise<boolean> => {
      const { rows } = await db.query<{ count: number }>(
        `with gone as (
           delete from changes where ctid = any (array(
             select ctid from changes where at < now() - make_interval(mins => $1) order by at limit $2))
           returning xid),
         noted as (
           update forgotten_changes set up_to = greatest(up_to, (select max(xid) from gone))
           where exists (select from gone)),
         begun as (
           insert into forgotten_changes
           select pg_snapshot_xmax(pg_current_snapshot()) where not exists (select from forgotten_changes))
         select count(*)::int as count from gone`,
        [minutes, most],
      );
      return rows[0]!.count === most;
    },
  };
}
