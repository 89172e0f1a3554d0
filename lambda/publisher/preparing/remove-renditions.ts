// Deletes the renditions of contents that no upload has any more, a limited number of objects at a time.
import type { Pool } from 'pg';
import { databaseOn } from '../../data/database.ts';
import { forgetJoinsOf } from '../../orchestration/playout/forget-joins.ts';
import type { ObjectStore } from '../../ports/object-store/object-store.ts';
import { segmentKeyNamed } from '../prepared/segment-format.ts';
import { unlessClaimed } from './claimed-work.ts';
import type { Attempt } from './claimed-work.ts';

/** Most objects that are deleted at a time. It takes a few seconds, for which other commands wait. */
const objectsAtOnce = 500;
/** Most renditions that are read at a time, all with one query. */
const renditionsAtOnce = 50;
/** Objects deleted in parallel. */
const inParallel = 16;

export interface RemoveRenditionsOptions {
  readonly pool: Pool;
  readonly objects: Pick<ObjectStore, 'delete'>;
}

/**
 * Deletes the objects of orphaned renditions, the last segments first, and then the row. The row first records that the
 * segments are gone, so that a new upload of the content does not rely on them.
 * @returns whether there may be more, apart from renditions that other commands are making
 */
export async function removeOrphanedRenditions(options: RemoveRenditionsOptions, attempt: Attempt): Promise<boolean> {
  const orphans = await databaseOn(options.pool).orphanedRenditions.find(renditionsAtOnce);
  let left = objectsAtOnce;
  for (const orphan of orphans) {
    if (left <= 0) break;
    attempt.signal.throwIfAborted();
    const work = `${orphan.content_hash}/${orphan.format}`;
    left -= (await unlessClaimed(options, attempt, work, () => removeSome(options, orphan, left))) ?? 0;
  }
  return left <= 0 || (left < objectsAtOnce && orphans.length === renditionsAtOnce);
}

/** Deletes at most `count` objects of a rendition. @returns the number of segments handled, at least one */
async function removeSome(
  { pool, objects }: RemoveRenditionsOptions,
  { content_hash: contentHash, format }: { readonly content_hash: string; readonly format: string },
  count: number,
): Promise<number> {
  const { orphanedRenditions, uploads, outbox } = databaseOn(pool);
  const forgotten = await orphanedRenditions.forgetSegments(contentHash, format, count);
  if (!forgotten) {
    await orphanedRenditions.markAgain(contentHash);
    return 1;
  }
  const { from, end } = forgotten;
  // This statement sees an upload that was added while the previous one ran.
  if (await uploads.anyWithContent(contentHash)) await orphanedRenditions.restore(contentHash, format, forgotten);
  else {
    for (let segment = from; segment < end; segment += inParallel) {
      const batch = Array.from({ length: Math.min(inParallel, end - segment) }, (_, index) => segment + index);
      await Promise.all(batch.map((each) => objects.delete(segmentKeyNamed(contentHash, format, each))));
    }
    if (from === 0) {
      await forgetJoinsOf(pool, contentHash);
      await orphanedRenditions.remove(contentHash, format);
    } else await orphanedRenditions.recordDeleted(contentHash, format, from);
  }
  // An upload that was added meanwhile may have found a rendition in preparation, which no command continues.
  const heir = await uploads.anyWithContent(contentHash);
  if (heir)
    await outbox.send({ queue: 'media', body: { task: 'prepare_upload', uploadID: heir.id, contentHash, format } });
  return end - from;
}
