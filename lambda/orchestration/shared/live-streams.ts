// Work on live streams, each in a transaction of its own with the stream locked.
import type { Pool } from 'pg';
import { inTransaction } from '../../data/database.ts';
import type { Database } from '../../data/database.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { isLive } from '../../domain/streams/stream-lifecycle.ts';
import type { Locked } from '../../data/shared/locked.ts';

/** Work on a stream in its transaction. @param now by the clock of the database */
export type StreamWork = (data: Database, stream: Locked<Stream>, now: Date) => Promise<void>;

/** Does the work on the streams among these that are live when they are locked. */
export async function forLiveStreams(pool: Pool, ids: readonly string[], work: StreamWork): Promise<void> {
  for (const id of ids) {
    await inTransaction(pool, async (data) => {
      const stream = await data.streams.lockAny(id);
      if (stream && isLive(stream.state)) await work(data, stream, await data.now());
    });
  }
}

/** Does the work on the live streams that play a content. */
export async function forLiveStreamsPlaying(pool: Pool, contentHash: string, work: StreamWork): Promise<void> {
  const ids = await inTransaction(pool, (data) => data.streamSounds.playing(contentHash));
  await forLiveStreams(pool, ids, work);
}
