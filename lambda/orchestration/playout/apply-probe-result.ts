// What follows once it is known whether an upload can be played, and how loud it is.
import type { Pool } from 'pg';
import { inTransaction } from '../../data/database.ts';
import type { Database } from '../../data/database.ts';
import { judgeUsersOf } from '../streams/judge-parts.ts';
import { keepPrepared } from './keep-prepared.ts';
import { applyLooksWithUpload } from './apply-look.ts';
import { refreshSoundOf } from './settle-sound.ts';

/**
 * Judges the idle streams that name the upload, lets those show it whose logo or stinger it is, has it prepared where
 * it is kept prepared, and continues the publishing of drafts that waited for it.
 * @param limitFactor of the stage
 */
export async function applyProbeResult(data: Database, uploadID: string, limitFactor: number): Promise<void> {
  await judgeUsersOf(data, { uploadID });
  await applyLooksWithUpload(data, uploadID, limitFactor);
  await keepPrepared(data, 'upload', uploadID, { retries: 'never', limitFactor });
  await continuePublishing(data, uploadID);
}

/** Once it is known how loud a content is, streams that play it or keep it prepared get it as loud as they wish. */
export async function applyLoudness(pool: Pool, contentHash: string, limitFactor: number): Promise<void> {
  const options = { retries: 'never', limitFactor } as const;
  await refreshSoundOf(pool, contentHash, options);
  await inTransaction(pool, (data) => keepPrepared(data, 'content', contentHash, options));
}

/** Has the drafts published that wait for the upload, as far as they wait for nothing else. */
export async function continuePublishing(data: Database, uploadID: string): Promise<void> {
  for (const playlist of await data.playlists.publishingWith(uploadID)) {
    const body = { task: 'publish_playlist', playlistID: playlist.id, request: playlist.publish_request } as const;
    await data.outbox.send({ queue: 'media', body });
  }
}
