// Deletes joins that no stream needs any more, with their objects.
import type { Pool } from 'pg';
import { inTransaction } from '../../data/database.ts';
import type { Database } from '../../data/database.ts';
import { joinKey } from '../../domain/media/object-keys.ts';

/** Deletes joins that no run has needed for long. @param most the most joins of each kind */
export function forgetOldJoins(pool: Pool, most: number): Promise<void> {
  return inTransaction(pool, async (data) => deleteObjects(data, await data.joins.forgetOld(most)));
}

/** Deletes joins with a content that no upload has any more. */
export function forgetJoinsOf(pool: Pool, contentHash: string): Promise<void> {
  return inTransaction(pool, async (data) => deleteObjects(data, await data.joins.forgetOf(contentHash)));
}

async function deleteObjects({ outbox }: Database, names: readonly string[]): Promise<void> {
  await outbox.sendAll(
    'media',
    names.map((name) => ({ task: 'delete_object', objectKey: joinKey(name) }) as const),
  );
}
