// Frees replicas whose agent died or released them.
// Those that are still wanted go to other agents; the others have ended.
import type { Pool } from 'pg';
import { databaseOn } from '../data/database.ts';
import type { Database } from '../data/database.ts';
import type { ReplicaFigures } from '../data/figures.ts';
import type { Claim } from '../data/replicas.ts';
import type { StateReason, Stream, StreamBackend } from '../data/streams.ts';
import { eachInTurn } from './each-in-turn.ts';
import { meterStream } from './meter.ts';
import { settleStopping } from './stop-stream.ts';

const handedOver = { code: 'handed_over', detail: 'Another publisher takes this stream over.' };
const agentLost = { code: 'agent_lost', detail: 'The publisher of this stream stopped working; another takes over.' };

/**
 * Declares agents dead whose lease is over, and frees the replicas of dead agents, each stream in a transaction of its
 * own. Any number of processes may call this at once. Where one dies half way, the next one does the rest.
 * @returns how many streams were affected
 * @throws the first failure, once every other stream was recovered
 */
export async function recoverReplicas(pool: Pool): Promise<number> {
  const { agents } = databaseOn(pool);
  await agents.declareExpiredDead();
  const recovered = await eachInTurn(
    pool,
    (data, except) => data.replicas.nextOfDeadAgent(except),
    (data, { stream_id: streamID }) => recoverStream(data, streamID),
  );
  await agents.deleteDead();
  return recovered;
}

/**
 * Releases a replica that its agent sends no more, so that another agent can take it at once.
 * @param figures the last ones that the agent measured
 */
export async function releaseReplica(
  data: Database,
  streamID: string,
  claim: Claim,
  backend: StreamBackend,
  figures: ReplicaFigures,
): Promise<void> {
  const stream = await data.streams.lockAny(streamID);
  if (stream) await data.figures.keep(claim.agent_id!, figures);
  if (!stream || !(await data.replicas.release(claim))) return;
  await data.outbox.send({ queue: `publish-${backend}`, body: { streamID } });
  await settleLoss(data, stream, handedOver);
}

async function recoverStream(data: Database, streamID: string): Promise<void> {
  // The stream is locked before its replicas, as by everything else that moves a stream.
  const stream = (await data.streams.lockAny(streamID))!;
  await data.figures.keepSaid(streamID);
  for (const { wanted, backend } of await data.replicas.releaseOfDeadAgents(streamID)) {
    if (wanted === 'live') await data.outbox.send({ queue: `publish-${backend}`, body: { streamID } });
  }
  await settleLoss(data, stream, agentLost);
}

async function settleLoss(data: Database, stream: Stream, reason: StateReason): Promise<void> {
  await meterStream(data, stream, await data.now());
  const replicas = await data.replicas.ofStream(stream.id);
  if (!replicas.some((replica) => replica.state === 'live'))
    await data.streams.move(stream, 'media_interrupted', reason);
  await settleStopping(data, stream);
}
