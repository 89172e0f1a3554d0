// Records the content of an upload, and takes it down again if operators have blocked it.
import type { Pool } from 'pg';
import { inTransaction } from '../../data/database.ts';
import { bytesHashOf } from '../../domain/playout/rendition.ts';
import { contentBlocked, takeDown } from '../../orchestration/media/take-down.ts';
import { MediaError } from '../media/media-error.ts';

/**
 * Records the content of an upload. If operators have blocked its bytes, they are taken down again, with everything
 * that plays them. An operator who blocks them at the same time waits for the lock, and then finds this upload.
 * @returns whether it has clips whose contents have no names yet
 * @throws {MediaError} if the content is blocked
 */
export async function recordContent(pool: Pool, uploadID: string, contentHash: string): Promise<boolean> {
  const bytesHash = bytesHashOf(contentHash);
  const hasClips = await inTransaction(pool, async (data) => {
    await data.blockedContents.lock(bytesHash);
    const found = await data.uploads.recordContentHash(uploadID, contentHash);
    if (!(await data.blockedContents.find(bytesHash))) return found;
    await takeDown(data, bytesHash);
    return null;
  });
  if (hasClips === null) throw new MediaError(contentBlocked.code, contentBlocked.detail);
  return hasClips;
}
