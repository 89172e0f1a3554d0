// Deals out what dead agents held of streams, which the caller has locked.
import type { Database } from '../../data/database.ts';
import { costOfReplica } from '../../data/fleet/replica-costs.ts';
import type { FreedReplica } from '../../data/fleet/replica-losses.ts';
import type { Dealer } from '../../domain/fleet/dealing.ts';

export interface Deal {
  readonly dealt: readonly FreedReplica[];
  /** Whether agents hold further replicas of the streams. */
  readonly areAnyLeft: boolean;
  /** By how much the agents are used more, by their ids. */
  readonly loads: ReadonlyMap<string, number>;
}

/**
 * Gives what dead agents hold of streams to agents that live. Which agent may take a replica depends on the others of
 * its stream: so only those are dealt that have no others.
 */
export async function dealOut(data: Database, streamIDs: readonly string[], dealer: Dealer): Promise<Deal> {
  const replicas = await data.replicas.ofStreams(streamIDs);
  const wanted = replicas.filter((replica) => replica.wanted !== 'ended');
  const byStream = Map.groupBy(wanted, (replica) => replica.stream_id);
  const alone = [...byStream.values()].flatMap((replicas) => (replicas.length === 1 ? replicas : []));
  const byID = new Map(alone.map((replica) => [replica.id, replica]));
  const hands = dealer.deal(
    alone.map((replica) => ({ id: replica.id, backend: replica.backend, cost: costOfReplica(replica) })),
  );
  const dealt = await data.replicaLosses.deal(
    hands.flatMap(({ agentID, replicaIDs }) => replicaIDs.map((id) => ({ agentID, replica: byID.get(id)! }))),
  );
  return {
    dealt,
    areAnyLeft: replicas.filter((replica) => replica.agent_id !== null).length > dealt.length,
    loads: new Map(hands.map(({ agentID, share }) => [agentID, share])),
  };
}
