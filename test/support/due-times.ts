// What is armed for streams, as the table has it, and what tests make fall due.
import type { DueKind } from '../../lambda/data/streams/due-times.ts';
import { one } from '../../lambda/data/shared/queryable.ts';
import type { WithPool } from './database.ts';

/** When something happens to a stream; null if it is not armed. */
export async function dueTimeOf({ pool }: WithPool, streamID: string, kind: DueKind): Promise<Date | null> {
  const row = await one<{ due_at: Date }>(pool(), 'select due_at from due_times where stream_id = $1 and kind = $2', [
    streamID,
    kind,
  ]);
  return row?.due_at ?? null;
}

/** Makes everything that is armed due now. */
export async function makeEverythingDue({ pool }: WithPool): Promise<void> {
  await pool().query('update due_times set due_at = now()');
}

/** Makes one of the things that are armed due now: whichever nobody else has locked. */
export async function makeSomethingDue({ pool }: WithPool): Promise<void> {
  await pool().query(
    `update due_times set due_at = now()
     where ctid in (select ctid from due_times for update skip locked limit 1)`,
  );
}
