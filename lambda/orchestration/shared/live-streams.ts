// Work on streams that are live: each in a transaction of its own, in which the stream is locked.
import type { Pool } from 'pg';
import { inTransaction } from '../../data/database.ts';
import type { Database } from '../../data/database.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { isLive } from '../../domain/streams/stream-lifecycle.ts';
import type { Locked } from '../../data/shared/locked.ts';

/** @param now by the clock of the database */
export type StreamWork = (data: Database, stream: Locked<Stream>, now: Date) => Promise<void>;

/** Works on those of these streams that are live once they are locked. */
export async function forLiveStreams(pool: Pool, ids: readonly string[], work: StreamWork): Promise<void> {
  for (const id of ids) {
    await inTransaction(pool, async (data) => {
      const stream = await data.streams.lockAny(id);
      if (stream && isLive(stream.state)) await work(data, stream, await data.now());
    });
  }
}

/** The same for the streams that play a content. */
export async function forLiveStreamsPlaying(pool: Pool, contentHash: string, work: StreamWork): Promise<void> {
  const ids = await inTransaction(pool, (data) => data.streamSounds.playing(contentHash));
  await forLiveStreams(pool, ids, work);
}
