// SQL of renewals: the statement by which an agent keeps its lease each second, and learns what there is to do.
import { declaredDead, leaseSeconds } from './agents.ts';
import type { AgentLoad } from './agents.ts';
import { isRecoveryPlaceFree } from '../shared/places.ts';
import type { LookedAtReplica } from './previews.ts';
import { one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

export interface Renewal {
  /** The database's time, which is the clock of all timelines. */
  readonly now: Date;
  /** Epochs by the id of the replica: what this agent holds, and what it takes over as a successor. */
  readonly holding: ReadonlyMap<string, number>;
  /** Of what it holds: another one where that is anything else. */
  readonly holdingHash: string;
  /** Ids of the replicas that this agent holds and has to end. */
  readonly ending: readonly string[];
  /** False once the agent was declared dead: what it held may have other holders by now. */
  readonly leaseHolds: boolean;
  /** For how long the agent has renewed its lease without losing it. */
  readonly renewingForMs: number;
  /** Whether replicas wait for an agent to take them, be it this one or another. */
  readonly isAnyWaiting: boolean;
  /** Whether the time of anything has come, for a stream or for the credits of a user. */
  readonly isAnyDue: boolean;
  /**
   * Whether the lease of another agent is over, and there is something to do about it: it was not declared dead yet, or
   * a place is free for whoever frees what it holds. Hundreds of agents that only ask for a place cost as much as a
   * hundred lost streams, each second.
   */
  readonly isAnyToRecover: boolean;
  /** Whether the outbox has commands to relay. */
  readonly isAnyUnsent: boolean;
  /** What it holds that somebody looks at while it is encoded. */
  readonly lookedAt: readonly LookedAtReplica[];
}

export type KnownHolding = Pick<Renewal, 'holding' | 'holdingHash'>;

interface RenewalRow {
  readonly now: Date;
  /** Null: what the agent knows already. */
  readonly holding: Readonly<Record<string, number>> | null;
  readonly holding_hash: string;
  readonly ending: readonly string[];
  readonly lease_holds: boolean;
  readonly renewing_for_ms: number;
  readonly is_any_waiting: boolean;
  readonly is_any_due: boolean;
  readonly is_any_to_recover: boolean;
  readonly is_any_unsent: boolean;
  readonly looked_at: readonly LookedAtReplica[];
}

/**
 * SQL: whether any replica waits. It begins with the newest: claims take the oldest, and in the index there are as many
 * of these that were taken a moment ago as there are claims in that moment.
 */
const isAnyUntaken = `coalesce((
  select true from replicas where agent_id is null and wanted <> 'ended' order by requested_at desc limit 1), false)`;

const noLoad: AgentLoad = { usedShare: 0, behindReason: null };

export function agentRenewals(db: Queryable) {
  return {
    /**
     * Renews the lease, and tells what the agent has to know. It is one statement because every agent sends it every
     * second: a renewal costs one round trip, however many streams there are.
     * @param known what the renewal before answered: what the agent holds is told again only if it has changed
     */
    renew: async (agentID: string, load: AgentLoad = noLoad, known: KnownHolding | null = null): Promise<Renewal> => {
      const text = `with renewed as (
           update agents
           set lease_expires_at = now() + make_interval(secs => $2), renewed_at = now(),
             used_share = $3, behind_reason = $4, is_media_full = $5,
             renewing_since = case when lease_expires_at > now() then renewing_since else now() end
           where id = $1 and lease_expires_at > ${declaredDead}
           returning renewing_since),
         -- What it holds is read from one index alone (replicas_of_agent): materialized, its rows would be copied.
         holding as not materialized (
           select id, epoch, wanted from replicas where agent_id = $1
           union all
           -- What it takes over has the epoch that it will have once this agent reports it live.
           select id, epoch + 1, wanted from replicas where successor_id = $1 and wanted <> 'ended'),
         hashed as materialized (
           select coalesce(bit_xor(hashtextextended(id, epoch)), 0)::text as holding_hash,
             array_agg(id) filter (where wanted = 'ended') as ended
           from holding)
         select clock_timestamp() as now,
           exists (select from renewed) as lease_holds,
           coalesce(extract(epoch from now() - (select renewing_since from renewed))::float8 * 1000, 0)
             as renewing_for_ms,
           holding_hash, case when holding_hash is distinct from $6 then (
             select coalesce(json_object_agg(id, epoch), '{}') from holding) end as holding,
           array(select id from replicas where id = any (ended) and state <> 'ended') as ending,
           ${isAnyUntaken} or exists (select from replicas where is_offered and successor_id is null) as is_any_waiting,
           exists (select from due_times where due_at <= now() and not resting)
             or exists (select from billing_accounts where due_at <= now()) as is_any_due,
           exists (
             select from agents
             where id <> $1 and lease_expires_at < now()
               and (lease_expires_at > ${declaredDead} or ${isRecoveryPlaceFree})) as is_any_to_recover,
           exists (select from outbox where visible_at <= now() and dead_at is null) as is_any_unsent,
           (select coalesce(json_agg(json_build_object('streamID', p.stream_id, 'replicaID', id, 'role', role)), '[]')
            from stream_previews p cross join lateral (
              select id, role from replicas where id = p.replica_id and agent_id = $1 offset 0) r
            where looked_at_until > now()) as looked_at
         from hashed`;
      const { usedShare, behindReason, isMediaFull = false } = load;
      const values = [agentID, leaseSeconds, usedShare, behindReason, isMediaFull, known?.holdingHash ?? null];
      const row = (await one<RenewalRow>(db, { name: 'renew', text }, values))!;
      return {
        now: row.now,
        holding: row.holding === null ? known!.holding : new Map(Object.entries(row.holding)),
        holdingHash: row.holding_hash,
        ending: row.ending,
        leaseHolds: row.lease_holds,
        renewingForMs: row.renewing_for_ms,
        isAnyWaiting: row.is_any_waiting,
        isAnyDue: row.is_any_due,
        isAnyToRecover: row.is_any_to_recover,
        isAnyUnsent: row.is_any_unsent,
        lookedAt: row.looked_at,
      };
    },
  };
}
