// Contributions to live inputs without an ingest: their sessions, and streams that they can take over.
import { databaseOn } from '../../lambda/data/database.ts';
import { newID } from '../../lambda/data/shared/new-id.ts';
import { sessionIDPrefix } from '../../lambda/domain/live/session-ids.ts';
import type { LiveSource } from '../../lambda/domain/live/live-source.ts';
import { gopSeconds } from '../../lambda/domain/playout/rendition.ts';
import type { WithPool } from './database.ts';

export const source: LiveSource = {
  videoCodec: 'h264',
  audioCodec: 'aac',
  width: 1280,
  height: 720,
  framerate: 29.97,
  bitrateKbps: 4200,
  keyframeSeconds: 2,
};

/** Begins a session of an input that has received media for some seconds. @returns its id */
export async function pretendReceived({ pool }: WithPool, liveInputID: string, seconds = 20): Promise<string> {
  const { liveSessions } = databaseOn(pool());
  const id = newID(sessionIDPrefix, new Date());
  const made = { format: 'q_720p-f_30', encoder: 'libx264 veryfast' };
  await liveSessions.begin({ id, liveInputID, protocol: 'rtmp', address: '192.0.2.7', ...made }, 2);
  await reportReceived({ pool }, id, seconds);
  return id;
}

/** Reports that a session has received media for some seconds. */
export async function reportReceived({ pool }: WithPool, id: string, seconds: number) {
  const stored = { count: Math.floor(seconds / gopSeconds), sha256: null };
  return databaseOn(pool()).liveSessions.report(
    { id, stored, firstPictureAgoSeconds: seconds, source },
    Buffer.alloc(0),
  );
}

/** Marks a started stream as on the air with prepared media, so that it can be taken over. */
export async function pretendPrepared({ pool }: WithPool, streamID: string): Promise<void> {
  await pool().query(
    `update streams set state = 'active', stream_backend = 'manifest',
       anchored_at = coalesce(anchored_at, date_trunc('milliseconds', now()) - interval '60 seconds')
     where id = $1`,
    [streamID],
  );
}
