// Deletes the pictures and findings of contents that no upload has any more.
import type { Pool } from 'pg';
import { databaseOn } from '../../data/database.ts';
import { pictureKeys } from '../../domain/media/content-pictures.ts';
import type { ObjectStore } from '../../ports/object-store/object-store.ts';

/** Most contents that a command handles. The next command continues. */
const contentsAtOnce = 50;

/**
 * Deletes orphaned pictures, except those of contents that an agent is inspecting.
 * @returns whether there may be more
 */
export async function removeOrphanedPictures({
  pool,
  objects,
}: {
  readonly pool: Pool;
  readonly objects: Pick<ObjectStore, 'delete'>;
}): Promise<boolean> {
  const { inspections } = databaseOn(pool);
  const orphans = await inspections.claimOrphans(contentsAtOnce);
  for (const orphan of orphans) {
    for (const key of pictureKeys(orphan.content_hash)) await objects.delete(key);
    await inspections.forget(orphan);
  }
  return orphans.length === contentsAtOnce;
}
