// SQL of losses: the replicas of dead agents are freed for other agents, or dealt out to them.
import type { Dealee } from '../../domain/fleet/dealing.ts';
import { declaredDead, leaseSeconds } from './agents.ts';
import { all } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';
import { replicaColumns } from './replica-claims.ts';
import { freed } from './replicas.ts';
import type { Replica } from './replicas.ts';
import type { Stream } from '../streams/streams.ts';
import type { Locked } from '../shared/locked.ts';

/** A replica that was taken from an agent, with the claim of that agent. */
export interface FreedReplica extends Replica {
  readonly held_by: string;
  readonly held_epoch: number;
}

/** A replica as a dead agent held it, and the agent that gets it. */
export interface Dealt {
  readonly replica: Replica;
  readonly agentID: string;
}

/** SQL condition: the holder of a replica is dead. A subquery, so that no plan reads all replicas of dead agents. */
const isHeldByDead = `(select lease_expires_at = ${declaredDead} from agents where id = agent_id)`;

/**
 * SQL condition: an agent has renewed its lease in the last two seconds; agents renew each second. The leases of agents
 * that die together end one after the other: the replicas of the first must not be dealt to the last.
 */
const isRenewing = `lease_expires_at > now() + make_interval(secs => ${leaseSeconds - 2})`;

export function replicaLosses(db: Queryable) {
  return {
    /** Ids of at most `most` streams with replicas that dead agents hold, ordered by user. */
    lostStreams: async (most: number) => {
      const rows = await all<{ id: string }>(
        db,
        `select s.id from agents a join replicas r on r.agent_id = a.id join streams s on s.id = r.stream_id
         where a.lease_expires_at = ${declaredDead}
         order by s.user_id, s.id limit $1`,
        [most],
      );
      return [...new Set(rows.map(({ id }) => id))];
    },

    /**
     * The streams among these with replicas that dead agents hold, locked. It skips streams that another process has
     * locked.
     */
    lockLost: (streamIDs: readonly string[]) =>
      all<Locked<Stream>>(
        db,
        `select s.* from streams s
         where s.id = any ($1) and exists (select from replicas where stream_id = s.id and ${isHeldByDead})
         for update of s skip locked`,
        [streamIDs],
      ),

    /** Frees the replicas of streams that dead agents hold. @returns these replicas */
    releaseOfDeadAgents: (streamIDs: readonly string[]) =>
      all<FreedReplica>(
        db,
        `update replicas set ${freed} where stream_id = any ($1) and ${isHeldByDead}
         returning replicas.*, old.agent_id as held_by, old.epoch as held_epoch`,
        [streamIDs],
      ),

    /**
     * Gives replicas of dead agents to live agents, which see them at their next renewal.
     * @returns the dealt replicas
     */
    deal: (dealt: readonly Dealt[]) =>
      all<FreedReplica>(
        db,
        {
          name: 'deal',
          text: `update replicas
           set agent_id = d.agent_id, epoch = replicas.epoch + case when successor_id is null then 1 else 2 end,
             is_offered = false, successor_id = null, state = 'connecting', since = now(), at_backup_url = false,
             takes_media = false
           from unnest($1::text[], $2::text[], $3::integer[], $4::text[]) as d (id, held_by, held_epoch, agent_id)
             join agents a on a.id = d.agent_id and ${isRenewing} and not a.is_draining
             cross join lateral (
               select id from replicas
               where id = d.id and agent_id = d.held_by and epoch = d.held_epoch and wanted <> 'ended'
                 and ${isHeldByDead} offset 0) held
           where replicas.id = held.id
           returning ${replicaColumns.replaceAll(/\w+/g, 'replicas.$&')}, d.held_by, d.held_epoch`,
        },
        [
          dealt.map(({ replica }) => replica.id),
          dealt.map(({ replica }) => replica.agent_id),
          dealt.map(({ replica }) => replica.epoch),
          dealt.map(({ agentID }) => agentID),
        ],
      ),

    /** The agents that renew their leases, keep up and take streams of any backend. */
    dealees: () =>
      all<Dealee>(
        db,
        `select id, backends, capacity, used_share as "usedShare" from agents
         where ${isRenewing} and not is_draining and behind_reason is null`,
      ),

    /** Adds dealt replicas to the load of agents, until they report it themselves. */
    addLoads: (shares: ReadonlyMap<string, number>) =>
      db.query(
        `update agents set used_share = used_share + o.share
         from unnest($1::text[], $2::float8[]) as o (id, share) where agents.id = o.id`,
        [[...shares.keys()], [...shares.values()]],
      ),
  };
}
