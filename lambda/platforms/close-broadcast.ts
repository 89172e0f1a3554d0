// Records the end of a broadcast, and passes the stream to its new connection if it has left this one.
import type { Broadcast } from '../data/channels/broadcasts.ts';
import type { MirrorDatabase } from '../data/mirror-database.ts';
import { remirror } from '../orchestration/channels/mirror-stream.ts';
import type { Mirror } from './load-mirror.ts';

export async function closeBroadcast(
  data: MirrorDatabase,
  { stream, connection, settings }: Pick<Mirror, 'stream' | 'connection' | 'settings'>,
  broadcast: Pick<Broadcast, 'id'>,
  phase: 'ended' | 'failed',
  now: Date,
): Promise<void> {
  await data.broadcastWork.setPhase(broadcast.id, phase, now);
  const isLeft = settings === null && (await data.broadcastWork.openOf(stream.id, connection.id)).length === 0;
  if (isLeft) await remirror(data, [stream.id], 'channel_left');
}
