// Carries out the command that prepares a join.
import type { Pool } from 'pg';
import type { Log } from '../../log.ts';
import { databaseOn, inTransaction } from '../../data/database.ts';
import { joinKey } from '../../domain/object-keys.ts';
import { settleJoin } from '../../orchestration/settle-joins.ts';
import type { ObjectStore } from '../../ports/object-store/object-store.ts';
import { MediaError } from '../media/media-error.ts';
import type { MediaTools } from '../media/media-tools.ts';
import { unlessClaimed } from './claimed-work.ts';
import type { Attempt } from './claimed-work.ts';
import { prepareJoin } from './prepare-join.ts';

export interface MakeJoinOptions {
  readonly pool: Pool;
  readonly objects: ObjectStore;
  readonly tools: MediaTools;
  readonly log: Log;
}

const sourceURLSeconds = 900;
/** A join takes a second or two. */
const joinTimeoutMs = 120_000;

/** Makes a join that a stream on the air still wants. Where it cannot be made, its place is a cut. */
export async function makeJoin(options: MakeJoinOptions, name: string, attempt: Attempt): Promise<void> {
  const { pool, objects, tools, log } = options;
  const { joins, uploads } = databaseOn(pool);
  try {
    await unlessClaimed(options, attempt, joinKey(name), async () => {
      const join = await joins.find(name);
      if (join?.state !== 'preparing') return;
      if (await inTransaction(pool, (data) => data.joins.dropUnwanted(name))) return;
      const urls = new Map<string, string>();
      for (const contentHash of join.content_hashes) {
        const upload = await uploads.anyWithContent(contentHash);
        if (!upload) return joins.settle(name, 'failed');
        const url = await objects.presignGet(upload.object_key, { expiresInSeconds: sourceURLSeconds });
        urls.set(contentHash, url);
      }
      const signal = AbortSignal.any([attempt.signal, AbortSignal.timeout(joinTimeoutMs)]);
      const urlOf = (contentHash: string) => urls.get(contentHash)!;
      const bytes = await prepareJoin(tools, { recipe: join.recipe, urlOf }, signal);
      await objects.write(joinKey(name), bytes, { contentType: 'application/octet-stream' });
      await joins.settle(name, 'ready');
      log('join_prepared', { name, shape: join.recipe.shape });
    });
    await settleJoin(pool, name);
  } catch (error) {
    attempt.signal.throwIfAborted();
    if (!(error instanceof MediaError) && !attempt.isLast) throw error;
    log('join_not_prepared', { name, error: String(error) });
    await joins.settle(name, 'failed');
  }
}
