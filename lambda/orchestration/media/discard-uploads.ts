// Deletes uploads: their rows at once, their bytes by commands, as the object store has no transactions.
import type { Pool } from 'pg';
import { databaseOn, inTransaction } from '../../data/database.ts';
import type { Database } from '../../data/database.ts';
import type { Upload } from '../../data/media/uploads.ts';
import { abandonedAfterDays, uploadURLSeconds } from '../../domain/media/upload-times.ts';
import { judgeUsersOf } from '../streams/judge-parts.ts';
import type { Locked } from '../../data/shared/locked.ts';

/** The most abandoned uploads that one sweep discards; the next one continues. */
const abandonedAtOnce = 100;

/** Deletes an unused upload and its bytes. Those of a clip stay: they are those of the whole upload. */
export async function discardUpload(data: Database, upload: Locked<Upload>): Promise<void> {
  const multipartID = (await data.uploads.delete(upload.id))?.multipart_id ?? null;
  await judgeUsersOf(data, { uploadID: upload.id });
  if (upload.clip_of !== null) return;
  const body = {
    task: 'delete_object',
    objectKey: upload.object_key,
    ...(multipartID === null ? {} : { multipartID }),
  } as const;
  const command = { queue: 'media', body } as const;
  await data.outbox.send(command);
  // Deleted again later, as a valid upload URL can still bring bytes, even by a PUT in its last second.
  await data.outbox.send(command, 2 * uploadURLSeconds);
}

/**
 * Discards uploads that were never completed, with any bytes that have arrived. Uploads that a stream or playlist names
 * stay.
 * @returns the number of discarded uploads
 * @throws {AggregateError} the failures, after all other uploads had their turn
 */
export async function discardAbandonedUploads(pool: Pool): Promise<number> {
  const ids = await databaseOn(pool).uploadLists.abandoned(abandonedAfterDays, abandonedAtOnce);
  const turns = await Promise.allSettled(ids.map((id) => discardIfAbandoned(pool, id)));
  const failures = turns.flatMap((turn) => (turn.status === 'rejected' ? [turn.reason as unknown] : []));
  if (failures.length > 0)
    throw new AggregateError(failures, `uploads could not be discarded: ${failures.map(String).join('; ')}`);
  return turns.filter((turn) => turn.status === 'fulfilled' && turn.value).length;
}

function discardIfAbandoned(pool: Pool, id: string): Promise<boolean> {
  return inTransaction(pool, async (data) => {
    const upload = await data.uploads.lockAny(id);
    if (!upload || upload.uploaded || (await data.uploadUses.isInUse(id))) return false;
    await discardUpload(data, upload);
    return true;
  });
}
