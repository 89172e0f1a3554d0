// Removes uploads: the record at once, the bytes by commands, since the store is no part of the transaction.
import type { Pool } from 'pg';
import { databaseOn, inTransaction } from '../data/database.ts';
import type { Database } from '../data/database.ts';
import type { Upload } from '../data/uploads.ts';
import { abandonedAfterDays, uploadURLSeconds } from '../domain/upload-times.ts';
import { judgeUsersOf } from './judge-parts.ts';

/** A sweep takes no more than these; the next one goes on. */
const abandonedAtOnce = 100;

/** @param upload locked, and not in use */
export async function discardUpload(data: Database, upload: Upload): Promise<void> {
  const multipartID = (await data.uploads.delete(upload.id))?.multipart_id ?? null;
  const body = {
    task: 'delete_object',
    objectKey: upload.object_key,
    ...(multipartID === null ? {} : { multipartID }),
  } as const;
  const command = { queue: 'media', body } as const;
  await data.outbox.send(command);
  // A URL that was handed out can still bring bytes, and a PUT begun in its last second takes a while.
  await data.outbox.send(command, 2 * uploadURLSeconds);
  await judgeUsersOf(data, { uploadID: upload.id });
}

/**
 * Discards uploads that were begun and never completed, with the bytes that may have come, but those that somebody means to use.
 * @returns how many
 * @throws {AggregateError} what failed, after all others had their turn
 */
export async function discardAbandonedUploads(pool: Pool): Promise<number> {
  const ids = await databaseOn(pool).uploads.abandoned(abandonedAfterDays, abandonedAtOnce);
  const turns = await Promise.allSettled(
    ids.map((id) =>
      inTransaction(pool, async (data) => {
        const upload = await data.uploads.lockAny(id);
        if (!upload || upload.uploaded || (await data.uploads.isInUse(id))) return false;
        await discardUpload(data, upload);
        return true;
      }),
    ),
  );
  const failures = turns.flatMap((turn) => (turn.status === 'rejected' ? [turn.reason as unknown] : []));
  if (failures.length > 0)
    throw new AggregateError(failures, `uploads could not be discarded: ${failures.map(String).join('; ')}`);
  return turns.filter((turn) => turn.status === 'fulfilled' && turn.value).length;
}
