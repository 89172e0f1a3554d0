// Forgets joins of sound that nobody needs any more, and has their objects deleted.
import type { Pool } from 'pg';
import { inTransaction } from '../../data/database.ts';
import type { Database } from '../../data/database.ts';
import { joinKey } from '../../domain/media/object-keys.ts';

/** Those that no run has wanted for long. @param most so many at once */
export function forgetOldJoins(pool: Pool, most: number): Promise<void> {
  return inTransaction(pool, async (data) => deleteObjects(data, await data.joins.forgetOld(most)));
}

/** Those in which a content is heard that no upload has any more. */
export function forgetJoinsOf(pool: Pool, contentHash: string): Promise<void> {
  return inTransaction(pool, async (data) => deleteObjects(data, await data.joins.forgetOf(contentHash)));
}

async function deleteObjects({ outbox }: Database, names: readonly string[]): Promise<void> {
  await outbox.sendAll(
    'media',
    names.map((name) => ({ task: 'delete_object', objectKey: joinKey(name) }) as const),
  );
}
