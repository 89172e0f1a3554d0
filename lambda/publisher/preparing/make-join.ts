// Carries out the command that prepares a join.
import type { Pool } from 'pg';
import type { Log } from '../../log.ts';
import { databaseOn, inTransaction } from '../../data/database.ts';
import type { JoinRow } from '../../data/playout/joins.ts';
import { joinKey } from '../../domain/media/object-keys.ts';
import { formatOfJoined } from '../../domain/playout/picture-joins.ts';
import { formatName } from '../../domain/playout/rendition.ts';
import type { VideoCodec } from '../../domain/shared/video-format.ts';
import { settleJoin } from '../../orchestration/playout/settle-joins.ts';
import type { ObjectStore } from '../../ports/object-store/object-store.ts';
import { encoderKind } from '../ffmpeg/encoder-arguments.ts';
import type { EncoderSettings } from '../ffmpeg/encoder-arguments.ts';
import { MediaError } from '../media/media-error.ts';
import type { MediaTools } from '../media/media-tools.ts';
import { unlessClaimed } from './claimed-work.ts';
import type { Attempt } from './claimed-work.ts';
import { overlaysOfFormats } from './overlay-of-format.ts';
import { prepareJoin } from './prepare-join.ts';
import { prepareMix } from './prepare-mix.ts';
import { formatOfJoin, preparePictureJoin } from './prepare-picture-join.ts';

export interface MakeJoinOptions {
  readonly pool: Pool;
  readonly objects: ObjectStore;
  readonly tools: MediaTools;
  /** @throws {NoEncoder} */
  readonly encoderOf: (videoCodec: VideoCodec) => Promise<EncoderSettings>;
  readonly log: Log;
}

const sourceURLSeconds = 900;
/** A join takes a second or two. */
const joinTimeoutMs = 120_000;

/** Makes a join, unless no stream on the air wants it any more. If it cannot be made, the items follow by a cut. */
export async function makeJoin(options: MakeJoinOptions, name: string, attempt: Attempt): Promise<void> {
  const { pool, objects, log } = options;
  const { joins, uploads } = databaseOn(pool);
  try {
    await unlessClaimed(options, attempt, joinKey(name), async () => {
      const join = await joins.find(name);
      if (join?.state !== 'preparing') return;
      if (await inTransaction(pool, (data) => data.joins.dropUnwanted(name))) return;
      const urls = new Map<string, string>();
      for (const contentHash of join.content_hashes) {
        const upload = await uploads.anyWithContent(contentHash);
        if (!upload) return joins.finish(name, 'failed');
        const url = await objects.presignGet(upload.object_key, { expiresInSeconds: sourceURLSeconds });
        urls.set(contentHash, url);
      }
      const signal = AbortSignal.any([attempt.signal, AbortSignal.timeout(joinTimeoutMs)]);
      const urlOf = (contentHash: string) => urls.get(contentHash)!;
      const bytes = await bytesOf(options, { ...join, urlOf }, signal);
      await objects.write(joinKey(name), bytes, { contentType: 'application/octet-stream' });
      await joins.finish(name, 'ready');
      log('join_prepared', { name, shape: join.recipe.shape });
    });
    await settleJoin(pool, name);
  } catch (error) {
    attempt.signal.throwIfAborted();
    if (!(error instanceof MediaError) && !attempt.isLast) throw error;
    log('join_not_prepared', { name, error: String(error) });
    await joins.finish(name, 'failed');
  }
}

async function bytesOf(
  { pool, objects, tools, encoderOf }: MakeJoinOptions,
  { recipe, urlOf }: { readonly recipe: JoinRow['recipe']; readonly urlOf: (contentHash: string) => string },
  signal: AbortSignal,
): Promise<Buffer> {
  if (recipe.shape === 'mix') return prepareMix(tools, { recipe, urlOf }, signal);
  if (!('sound' in recipe)) return prepareJoin(tools, { recipe, urlOf }, signal);
  const format = formatOfJoin(recipe);
  const encoder = await encoderOf(format.videoCodec);
  const { item, from, firstGroup: first, groupCount } = recipe;
  const { variant: _, ...whole } = formatOfJoined(format, item);
  const base = await databaseOn(pool).renditions.find(item.contentHash, formatName(whole));
  // The join needs the parameter sets of the item, so only a worker with the item's kind of encoder can make it.
  if (base?.encoder && base.encoder !== encoderKind(encoder)) throw new Error(`no ${base.encoder} is here`);
  const pictures = [{ ...item, group: first }, ...(from ? [from] : [])].map(({ group, ...each }) => {
    return { format: formatOfJoined(format, each), first: group, end: group + groupCount };
  });
  const overlays = await overlaysOfFormats({ pool, objects }, pictures, signal);
  return preparePictureJoin(tools, { recipe, urlOf, encoder, overlays }, signal);
}
