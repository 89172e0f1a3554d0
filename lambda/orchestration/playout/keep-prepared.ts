// Keeps the playlists of prepared streams prepared before a start, so that a start need not wait.
import type { Database } from '../../data/database.ts';
import { targetOf } from '../../domain/playout/sound.ts';
import { requestWithinLimit } from '../media/request-renditions.ts';
import type { RequestOptions } from '../media/request-renditions.ts';
import { requestSound } from './apply-sound.ts';
import { keptVariants, saveKeptDrawings } from './prepared-looks.ts';

/**
 * Requests the preparation of playlists of streams with the prepared backend: of their drafts, which a start plays, and
 * their live snapshots. If that would exceed the limit of the user, only recorded uploads are requested; a start
 * reports the limit.
 * @param changed the kind of the changed resource
 * @param id of the stream, playlist or upload; the hash of the content
 */
export async function keepPrepared(
  data: Database,
  changed: 'stream' | 'playlist' | 'upload' | 'content',
  id: string,
  options: RequestOptions,
): Promise<void> {
  const kept = await data.renditions.lockToKeep(changed, id);
  for (const [userID, uploads] of Map.groupBy(kept, (upload) => upload.user_id)) {
    const requested = await requestWithinLimit(data, userID, [...uploads, ...keptVariants(uploads)], options);
    await saveKeptDrawings(data, uploads, requested);
    const sounds = uploads.map(({ upload_id: uploadID, item_sound: item, stream_sound: stream }) => {
      return { uploadID, targetLUFS: targetOf(item, stream) };
    });
    await requestSound(data, userID, sounds, options);
  }
}
