// SQL of queued items: uploads that play next in a programme, once each.
// Decision D229.
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

export interface QueuedRow {
  readonly id: string;
  readonly programme_id: string;
  /** It increases with each queued item. */
  readonly number: number;
  readonly upload_id: string;
  readonly queued_at: Date;
  /** The beginning of its row in the last plan; null: it is in none. */
  readonly plays_at: Date | null;
  /** Whether a guest has asked for it. */
  readonly by_guest: boolean;
}

export interface NamedQueuedRow extends QueuedRow {
  readonly name: string;
}

/** The rows of a plan, as the queue reads them. */
export interface PlannedQueue {
  /** Items up to this number were planned before, and can no longer change. */
  readonly throughNumber: number;
  readonly rows: readonly { readonly number: number; readonly playsAt: Date }[];
}

export function queuedItems(db: Queryable) {
  return {
    /** @returns null if as many items wait already as may */
    add: (item: Pick<QueuedRow, 'id' | 'programme_id' | 'upload_id' | 'by_guest'>, most: number) =>
      one<QueuedRow>(
        db,
        `insert into queued_items (id, programme_id, upload_id, by_guest) select $1, $2, $3, $5
         where (select count(*) from queued_items
           where programme_id = $2 and (plays_at is null or plays_at > now())) < $4
         returning *`,
        [item.id, item.programme_id, item.upload_id, most, item.by_guest],
      ),

    /** All items that a plan may need, in their order. */
    ofProgramme: (programmeID: string) =>
      all<QueuedRow>(db, 'select * from queued_items where programme_id = $1 order by number', [programmeID]),

    /** The items that have not begun, in their order, with the names of their uploads. */
    waiting: (programmeID: string) =>
      all<NamedQueuedRow>(
        db,
        `select q.*, u.name from queued_items q join uploads u on u.id = q.upload_id
         where programme_id = $1 and (plays_at is null or plays_at > now()) order by number`,
        [programmeID],
      ),

    find: (programmeID: string, id: string) =>
      one<NamedQueuedRow>(
        db,
        `select q.*, u.name from queued_items q join uploads u on u.id = q.upload_id
         where programme_id = $1 and q.id = $2`,
        [programmeID, id],
      ),

    delete: (id: string) => db.query('delete from queued_items where id = $1', [id]),

    /** Records when a plan plays the items, and deletes those that have played, or that plans have passed. */
    savePlan: async (programmeID: string, { throughNumber, rows }: PlannedQueue) => {
      await db.query(
        `delete from queued_items where programme_id = $1 and number <= $2 and (plays_at is null or plays_at < now())`,
        [programmeID, throughNumber],
      );
      await db.query(
        `update queued_items q set plays_at = planned.plays_at
         from queued_items known left join unnest($3::bigint[], $4::timestamptz[]) as planned (number, plays_at)
           on planned.number = known.number
         where q.id = known.id and known.programme_id = $1 and known.number > $2
           and known.plays_at is distinct from planned.plays_at`,
        [programmeID, throughNumber, rows.map(({ number }) => number), rows.map(({ playsAt }) => playsAt)],
      );
    },
  };
}
