// Carries out the command that prepares a join.
import { databaseOn, inTransaction } from '../../data/database.ts';
import { joinKey } from '../../domain/media/object-keys.ts';
import type { Part } from '../../domain/playout/composition-parts.ts';
import { allowFinishedJoin } from '../../orchestration/playout/prepare-joins.ts';
import type { FileAddress } from '../ffmpeg/composed-audio.ts';
import { encoderKind } from '../ffmpeg/encoder-arguments.ts';
import { MediaError } from '../media/media-error.ts';
import { unlessClaimed } from './claimed-work.ts';
import type { Attempt } from './claimed-work.ts';
import { drawingFiles } from './overlay-of-format.ts';
import { preparePart } from './prepare-part.ts';
import type { PrepareUploadOptions } from './prepare-upload.ts';

const sourceURLSeconds = 900;
/** A join takes a second or two. */
const joinTimeoutMs = 120_000;

/** Makes a join, unless no stream on the air wants it any more. If it cannot be made, the items follow by a cut. */
export async function makeJoin(options: PrepareUploadOptions, name: string, attempt: Attempt): Promise<void> {
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
      const bytes = await bytesOf(options, join.part, urlOf, signal);
      await objects.write(joinKey(name), bytes, { contentType: 'application/octet-stream' });
      await joins.finish(name, 'ready');
      log('join_prepared', { name });
    });
    await allowFinishedJoin(pool, name);
  } catch (error) {
    attempt.signal.throwIfAborted();
    if (!(error instanceof MediaError) && !attempt.isLast) throw error;
    log('join_not_prepared', { name, error: String(error) });
    await joins.finish(name, 'failed');
  }
}

async function bytesOf(
  { pool, objects, tools, encoderOf }: PrepareUploadOptions,
  part: Part,
  urlOf: FileAddress,
  signal: AbortSignal,
): Promise<Buffer> {
  const encoder = part.format && (await encoderOf(part.format.videoCodec));
  const { contentHash, format } = part.rendition;
  const base = encoder && (await databaseOn(pool).renditions.find(contentHash, format));
  // The part needs the parameter sets of the item, so only a worker with the item's kind of encoder can make it.
  if (base?.encoder && base.encoder !== encoderKind(encoder!)) throw new Error(`no ${base.encoder} is here`);
  return preparePart(tools, { part, urlOf, encoder, drawings: drawingFiles({ pool, objects }) }, signal);
}
