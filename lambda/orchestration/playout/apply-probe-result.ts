// Applies the results of probes and loudness measurements to streams and playlists.
import type { Pool } from 'pg';
import { inTransaction } from '../../data/database.ts';
import type { Database } from '../../data/database.ts';
import { judgeUsersOf } from '../streams/judge-parts.ts';
import { prepareRecording } from '../media/prepare-recording.ts';
import { keepPrepared } from './keep-prepared.ts';
import { applyLooksWithUpload } from './apply-look.ts';
import { refreshSoundOf } from './apply-sound.ts';

/**
 * Judges the idle streams that name the upload, applies looks with it, requests its preparation if it is a recording
 * and for streams that keep it prepared, and continues the publishing of drafts that waited for it.
 * @param limitFactor of the stage
 */
export async function applyProbeResult(data: Database, uploadID: string, limitFactor: number): Promise<void> {
  await judgeUsersOf(data, { uploadID });
  await applyLooksWithUpload(data, uploadID, limitFactor);
  await prepareRecording(data, uploadID, limitFactor);
  await keepPrepared(data, 'upload', uploadID, { retries: 'never', limitFactor });
  await continuePublishing(data, uploadID);
}

/** Applies the measured loudness of a content to streams that play it or keep it prepared. */
export async function applyLoudness(pool: Pool, contentHash: string, limitFactor: number): Promise<void> {
  const options = { retries: 'never', limitFactor } as const;
  await refreshSoundOf(pool, contentHash, options);
  await inTransaction(pool, (data) => keepPrepared(data, 'content', contentHash, options));
}

/** Sends commands to continue the publishing of drafts with the upload. */
export async function continuePublishing(data: Database, uploadID: string): Promise<void> {
  for (const playlist of await data.playlists.publishingWith(uploadID)) {
    const body = { task: 'publish_playlist', playlistID: playlist.id, request: playlist.publish_request } as const;
    await data.outbox.send({ queue: 'media', body });
  }
}
