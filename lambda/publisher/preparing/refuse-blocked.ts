// Keeps out what operators have blocked, whoever uploads it again.
import type { Pool } from 'pg';
import { databaseOn, inTransaction } from '../../data/database.ts';
import { contentBlocked, takeDown } from '../../orchestration/take-down.ts';
import { MediaError } from '../media/media-error.ts';

/**
 * Takes content that is blocked down again, with all that plays it. Called after the hash of an upload was noted: so
 * whoever blocks the content meanwhile finds the upload, and what was blocked before is found here.
 * @throws {MediaError} if the content is blocked
 */
export async function refuseBlocked(pool: Pool, bytesHash: string): Promise<void> {
  if (!(await databaseOn(pool).blockedContents.find(bytesHash))) return;
  await inTransaction(pool, (data) => takeDown(data, bytesHash));
  throw new MediaError(contentBlocked.code, contentBlocked.detail);
}
