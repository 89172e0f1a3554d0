// Deals the replicas of dead agents out to other agents.
import type { Database } from '../../data/database.ts';
import { costOfReplica } from '../../data/fleet/replica-costs.ts';
import type { FreedReplica } from '../../data/fleet/replica-losses.ts';
import type { Dealer } from '../../domain/fleet/dealing.ts';
import type { Stream } from '../../data/streams/streams.ts';
import type { Locked } from '../../data/shared/locked.ts';

export interface Deal {
  readonly dealt: readonly FreedReplica[];
  /** Whether agents hold further replicas of the streams. */
  readonly areAnyLeft: boolean;
  /** The additional shares of agents, by id. */
  readonly loads: ReadonlyMap<string, number>;
}

/**
 * Gives the replicas that dead agents hold to live agents. Only a replica that is the only one of its stream is dealt:
 * for any other, the agents that may take it depend on where the stream's other replicas are. Those of users who are
 * not funded are left to claims, which keep their part of the agents (decision D291).
 */
export async function dealOut(data: Database, streams: readonly Locked<Stream>[], dealer: Dealer): Promise<Deal> {
  const replicas = await data.replicas.ofStreams(streams.map(({ id }) => id));
  const wanted = replicas.filter((replica) => replica.wanted !== 'ended');
  const byStream = Map.groupBy(wanted, (replica) => replica.stream_id);
  const alone = [...byStream.values()].flatMap((replicas) =>
    replicas.length === 1 && !replicas[0]!.is_unfunded ? replicas : [],
  );
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
