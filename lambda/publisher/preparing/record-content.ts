// Records the content of an upload, and takes it down again if operators have blocked it.
import type { Pool } from 'pg';
import { inTransaction } from '../../data/database.ts';
import { bytesHashOf } from '../../domain/playout/rendition.ts';
import { contentBlocked, takeDown } from '../../orchestration/media/take-down.ts';
import { MediaError } from '../media/media-error.ts';

/**
 * Records the content of an upload. If operators have blocked its bytes, they are taken down again, with everything
 * that plays them. An operator who blocks them at the same time waits for the lock, and then finds this upload.
 * @throws {MediaError} if the content is blocked
 */
export async function recordContent(pool: Pool, uploadID: string, contentHash: string): Promise<void> {
  const bytesHash = bytesHashOf(contentHash);
  const isBlocked = await inTransaction(pool, async (data) => {
    await data.blockedContents.lock(bytesHash);
    await data.uploads.recordContentHash(uploadID, contentHash);
    if (!(await data.blockedContents.find(bytesHash))) return false;
    await takeDown(data, bytesHash);
    return true;
  });
  if (isBlocked) throw new MediaError(contentBlocked.code, contentBlocked.detail);
}
