// Takes back replicas that no agent holds any more: what is still wanted goes to other agents, what was ending has ended.
import type { Pool } from 'pg';
import { databaseOn } from '../data/database.ts';
import type { Database } from '../data/database.ts';
import type { Replica } from '../data/replicas.ts';
import type { Stream } from '../data/streams.ts';
import { eachInTurn } from './each-in-turn.ts';
import { settleStopping } from './stop-stream.ts';

const agentLost = { code: 'agent_lost', detail: 'The publisher of this stream stopped working; another takes over.' };

/**
 * Buries agents whose lease is over and frees what buried ones held, each stream in a transaction of its own. Any number of processes may
 * do so at once, and one that dies half way leaves the rest to the next.
 * @returns how many streams were affected
 * @throws the first failure, once every other stream was recovered
 */
export async function recoverReplicas(pool: Pool): Promise<number> {
  const { agents } = databaseOn(pool);
  await agents.buryDead();
  const next = (data: Database, except: readonly string[]) => data.replicas.nextOfBuried(except);
  const recovered = await eachInTurn(pool, next, async (data, { stream_id: streamID }) => {
    // Locked before its replicas, as by everything else that moves a stream.
    const stream = (await data.streams.lockAny(streamID))!;
    await settleFreed(data, stream, await data.replicas.releaseOfBuried(streamID));
  });
  await agents.removeBuried();
  return recovered;
}

async function settleFreed(data: Database, stream: Stream, freed: readonly Replica[]): Promise<void> {
  for (const { wanted, backend } of freed) {
    if (wanted === 'live') await data.outbox.send({ queue: `publish-${backend}`, body: { streamID: stream.id } });
  }
  const replicas = await data.replicas.ofStream(stream.id);
  if (!replicas.some((replica) => replica.state === 'live')) await data.streams.move(stream, 'media_interrupted', agentLost);
  await settleStopping(data, stream);
}
