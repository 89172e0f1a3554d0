// Deletes the pictures of contents that no upload has any more, with what was found in these.
import type { Pool } from 'pg';
import { databaseOn } from '../../data/database.ts';
import { pictureKeys } from '../../domain/media/content-pictures.ts';
import type { ObjectStore } from '../../ports/object-store/object-store.ts';

/** So many contents a command takes at most; the next one goes on. */
const contentsAtOnce = 50;

/** What somebody looks through at the moment is left to whoever does. */
export async function removeOrphanedPictures({
  pool,
  objects,
}: {
  readonly pool: Pool;
  readonly objects: Pick<ObjectStore, 'delete'>;
}): Promise<void> {
  const { inspections, outbox } = databaseOn(pool);
  const orphans = await inspections.claimOrphans(contentsAtOnce);
  for (const orphan of orphans) {
    for (const key of pictureKeys(orphan.content_hash)) await objects.delete(key);
    await inspections.forget(orphan);
  }
  if (orphans.length === contentsAtOnce) await outbox.send({ queue: 'media', body: { task: 'remove_renditions' } });
}
