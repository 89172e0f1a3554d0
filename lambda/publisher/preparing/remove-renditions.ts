// Deletes what was prepared from content that no upload has any more, a bounded number of objects with each command.
import type { Pool } from 'pg';
import { databaseOn } from '../../data/database.ts';
import { formatNamed } from '../../domain/playout/rendition.ts';
import { forgetJoinsOf } from '../../orchestration/playout/forget-joins.ts';
import type { ObjectStore } from '../../ports/object-store/object-store.ts';
import { segmentKey } from '../prepared/segment-format.ts';
import { unlessClaimed } from './claimed-work.ts';
import type { Attempt } from './claimed-work.ts';

/** So many objects a command deletes at most. Whoever waits behind it waits for a few seconds. */
const objectsAtOnce = 500;
/** So many renditions it looks at: one look at all of them is enough for a command. */
const renditionsAtOnce = 50;
/** So many objects are deleted at the same time. */
const inParallel = 16;
/** So long a command is held back for what another one is just making or deleting. */
const triedAgainAfterSeconds = 60;

export interface RemoveRenditionsOptions {
  readonly pool: Pool;
  readonly objects: Pick<ObjectStore, 'delete'>;
}

/**
 * Deletes the objects of orphaned renditions, the last ones first, and a rendition's row with the last of them. The row
 * says before that they are gone, so that nobody with the same content relies on them. The next command goes on.
 */
export async function removeOrphanedRenditions(options: RemoveRenditionsOptions, attempt: Attempt): Promise<void> {
  const orphans = await databaseOn(options.pool).orphanedRenditions.find(renditionsAtOnce);
  let left = objectsAtOnce;
  let isClaimed = false;
  for (const orphan of orphans) {
    if (left <= 0) break;
    attempt.signal.throwIfAborted();
    const work = `${orphan.content_hash}/${orphan.format}`;
    const deleted = await unlessClaimed(options, attempt, work, () => removeSome(options, orphan, left));
    isClaimed ||= deleted === null;
    left -= deleted ?? 0;
  }
  const isProgress = left < objectsAtOnce;
  if (isProgress && (left <= 0 || orphans.length === renditionsAtOnce)) await removeLater(options, 0);
  else if (isClaimed) await removeLater(options, triedAgainAfterSeconds);
}

async function removeLater({ pool }: RemoveRenditionsOptions, afterSeconds: number): Promise<void> {
  await databaseOn(pool).outbox.send({ queue: 'media', body: { task: 'remove_renditions' } }, afterSeconds);
}

/** Deletes at most so many objects of a rendition. @returns how many, or would have been, and at least one */
async function removeSome(
  { pool, objects }: RemoveRenditionsOptions,
  { content_hash: contentHash, format }: { readonly content_hash: string; readonly format: string },
  count: number,
): Promise<number> {
  const { orphanedRenditions, uploads, outbox } = databaseOn(pool);
  const forgotten = await orphanedRenditions.forgetSegments(contentHash, format, count);
  if (!forgotten) return 1;
  const { from, end } = forgotten;
  // These statements see an upload that came while those before them were under way.
  if (await uploads.anyWithContent(contentHash)) await orphanedRenditions.restore(contentHash, format, forgotten);
  else {
    const rendition = { contentHash, format: formatNamed(format) };
    for (let segment = from; segment < end; segment += inParallel) {
      const batch = Array.from({ length: Math.min(inParallel, end - segment) }, (_, index) => segment + index);
      await Promise.all(batch.map((each) => objects.delete(segmentKey(rendition, each))));
    }
    if (from === 0) {
      await forgetJoinsOf(pool, contentHash);
      await orphanedRenditions.remove(contentHash, format);
    } else await orphanedRenditions.noteDeleted(contentHash, format, from);
  }
  // Whoever came meanwhile may have found a rendition that is being prepared, by nobody.
  const heir = await uploads.anyWithContent(contentHash);
  if (heir)
    await outbox.send({ queue: 'media', body: { task: 'prepare_upload', uploadID: heir.id, contentHash, format } });
  return end - from;
}
