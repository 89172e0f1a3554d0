// Scheduled actions of streams as the table has them, and changes of their times by tests.
import type { DueKind } from '../../lambda/data/streams/due-times.ts';
import { one } from '../../lambda/data/shared/queryable.ts';
import type { WithPool } from './database.ts';

/** The time of a stream's scheduled action; null if it is not scheduled. */
export async function dueTimeOf({ pool }: WithPool, streamID: string, kind: DueKind): Promise<Date | null> {
  const row = await one<{ due_at: Date }>(pool(), 'select due_at from due_times where stream_id = $1 and kind = $2', [
    streamID,
    kind,
  ]);
  return row?.due_at ?? null;
}

/** Makes all scheduled actions due now. */
export async function makeEverythingDue({ pool }: WithPool): Promise<void> {
  await pool().query('update due_times set due_at = now()');
}

/** Makes one scheduled action due now, one that no other transaction has locked. */
export async function makeSomethingDue({ pool }: WithPool): Promise<void> {
  await pool().query(
    `update due_times set due_at = now()
     where ctid in (select ctid from due_times for update skip locked limit 1)`,
  );
}
