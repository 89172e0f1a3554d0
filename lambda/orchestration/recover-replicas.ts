// Takes from dead agents what they held: what is still wanted goes to other agents, what was ending has ended.
import type { Pool } from 'pg';
import { inTransaction } from '../data/database.ts';
import { settleStopping } from './stop-stream.ts';

const agentLost = { code: 'agent_lost', detail: 'The publisher of this stream stopped working; another takes over.' };

/** Any number of processes may do so at once. Answers how many replicas were freed. */
export async function recoverReplicas(pool: Pool): Promise<number> {
  return inTransaction(pool, async (data) => {
    const freed = await data.replicas.releaseOfDeadAgents();
    for (const { stream_id: streamID, wanted, backend } of freed) {
      const stream = await data.streams.lockAny(streamID);
      if (!stream) continue;
      if (wanted === 'ended') {
        await settleStopping(data, stream);
        continue;
      }
      await data.outbox.send({ queue: `publish-${backend}`, body: { streamID } });
      const others = await data.replicas.ofStream(streamID);
      if (!others.some((replica) => replica.state === 'live')) await data.streams.move(stream, 'media_interrupted', agentLost);
    }
    return freed.length;
  });
}
