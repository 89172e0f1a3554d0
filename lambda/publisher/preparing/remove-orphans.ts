// Deletes what is left of contents that no upload has any more: one command of all agents at a time. Decision D288.
import { databaseOn } from '../../data/database.ts';
import { removeOrphanedPictures } from '../inspecting/remove-pictures.ts';
import { unlessClaimed } from './claimed-work.ts';
import type { Attempt } from './claimed-work.ts';
import { removeOrphanedRenditions } from './remove-renditions.ts';
import type { RemoveRenditionsOptions } from './remove-renditions.ts';

/** The work that a command claims, so that removals have one lane of all agents together. */
const work = 'removal of orphans';
/** Delay of the next command while there is more: commands of users who wait come between. */
const continuesAfterSeconds = 1;
/** Delay of the next command while other commands make or delete what is left. */
const triedAgainAfterSeconds = 60;

/** Deletes some orphaned pictures and renditions. Another command continues. */
export async function removeOrphans(options: RemoveRenditionsOptions, attempt: Attempt): Promise<void> {
  const isMore = await unlessClaimed(options, attempt, work, async () => {
    const areMorePictures = await removeOrphanedPictures(options);
    return (await removeOrphanedRenditions(options, attempt)) || areMorePictures;
  });
  const { orphanedRenditions } = databaseOn(options.pool);
  if (isMore) await orphanedRenditions.askForRemoval(continuesAfterSeconds);
  else if (isMore === null || (await orphanedRenditions.areLeft()))
    await orphanedRenditions.askForRemoval(triedAgainAfterSeconds);
}
