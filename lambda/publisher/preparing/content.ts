// Names the content of an upload: a hash of its bytes and of the facts that the probe found. Decision D118.
import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import type { Pool } from 'pg';
import { databaseOn } from '../../data/database.ts';
import { contentFacts } from '../../data/media/uploads.ts';
import type { Upload } from '../../data/media/uploads.ts';
import { contentHashOf } from '../../domain/playout/rendition.ts';
import type { ObjectStore } from '../../ports/object-store/object-store.ts';
import { recordContent } from './record-content.ts';

export type HashedUpload = Upload & { readonly content_hash: string };

/**
 * Reads the bytes of an examined upload, and records the name of its content.
 * @returns the name
 * @throws {MediaError} if operators have blocked these bytes
 */
export async function hashContent(
  { pool, objects }: { readonly pool: Pool; readonly objects: ObjectStore },
  uploadID: string,
  signal: AbortSignal,
): Promise<string> {
  const { uploads } = databaseOn(pool);
  const upload = await uploads.findAny(uploadID);
  if (upload?.probe_state !== 'completed') throw new Error(`upload ${uploadID} has not been examined`);
  const hash = createHash('sha256');
  await pipeline(await objects.read(upload.object_key), hash, { signal });
  const bytesHash = hash.digest('hex');
  const contentHash = contentHashOf(bytesHash, contentFacts(upload));
  const hasClips = await recordContent(pool, uploadID, contentHash);
  for (const clip of hasClips ? await uploads.unnamedClipsOf(uploadID) : [])
    await recordContent(pool, clip.id, contentHashOf(bytesHash, contentFacts(clip)));
  return contentHash;
}
