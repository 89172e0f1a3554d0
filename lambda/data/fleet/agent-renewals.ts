// SQL of renewals: one statement renews the lease of an agent each second and returns its work.
import { fewLook } from '../../domain/fleet/claim-share.ts';
import { declaredDead, leaseSeconds } from './agents.ts';
import type { AgentLoad } from './agents.ts';
import { isPlaceFree, isRecoveryPlaceFree } from '../shared/places.ts';
import { isAnyDueFree } from '../streams/due-times.ts';
import type { LookedAtReplica } from './previews.ts';
import { one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

export interface Renewal {
  /** The time of the database, which is the clock of all timelines. */
  readonly now: Date;
  /** Epochs by the id of the replica: the replicas that this agent holds or takes over as a successor. */
  readonly holding: ReadonlyMap<string, number>;
  /** A hash of `holding`. */
  readonly holdingHash: string;
  /** Ids of the replicas that this agent holds and has to end. */
  readonly ending: readonly string[];
  /** False after the agent was declared dead: its replicas may have other holders. */
  readonly leaseHolds: boolean;
  /** The time since the agent began to renew its lease without a gap. */
  readonly renewingForMs: number;
  /** Whether replicas wait that this agent should try to claim. */
  readonly isAnyWaiting: boolean;
  /** Whether a due time of a stream or of an account has come that no other process is firing. */
  readonly isAnyDue: boolean;
  /**
   * Whether the lease of another agent is over and there is work: it was not declared dead yet, or a place is free to
   * recover its replicas. Without this check, hundreds of agents would ask for a place each second, at the cost of a
   * hundred lost streams.
   */
  readonly isAnyToRecover: boolean;
  /** Whether the outbox has commands to relay. */
  readonly isAnyUnsent: boolean;
  /** Whether another agent that keeps up has room for a media command, and streams that use no more than asked. */
  readonly isMediaPlaceElsewhere: boolean;
  /** The replicas it holds whose encoded preview is watched. */
  readonly lookedAt: readonly LookedAtReplica[];
}

export type KnownHolding = Pick<Renewal, 'holding' | 'holdingHash'>;

/** SQL conditions. An order with a limit makes every plan use the index of that order, unlike `exists`. */
const isAnyOffered = `coalesce((
  select true from replicas where is_offered and successor_id is null order by backend, requested_at limit 1), false)`;
const isAnyAccountDue = `coalesce((
  select true from billing_accounts where due_at <= now() order by due_at limit 1), false)`;

/** The most seconds in which the number of these agents doubles: then it is beyond the size of any fleet. */
const mostDoublings = 20;
/** The number of newest waiting replicas that a renewal reads; the oldest of them decides. */
const newestRead = 20;

interface RenewalRow {
  readonly now: Date;
  /** Null: unchanged. */
  readonly holding: Readonly<Record<string, number>> | null;
  readonly holding_hash: string;
  readonly ending: readonly string[];
  readonly lease_holds: boolean;
  readonly renewing_for_ms: number;
  readonly is_any_waiting: boolean;
  readonly is_any_due: boolean;
  readonly is_any_to_recover: boolean;
  readonly is_any_unsent: boolean;
  readonly is_media_place_elsewhere: boolean;
  readonly looked_at: readonly LookedAtReplica[];
}

/**
 * SQL condition: a replica waits, and this agent is one of the few that look for it. The start has woken agents
 * already; if all that have room looked each second, most claims would find nothing. Each second that a replica waits
 * doubles their number, as it may fit into only one of them. The newest are read first: claims take the oldest, so the
 * old end of the index has many entries that were just claimed.
 * @param unfunded the parameter that says whether replicas of users who are not funded count
 */
const isAnyToClaim = (unfunded: string) => `coalesce((
  select case when count(*) > 0 then
    random() < ${fewLook} * 2 ^ least(extract(epoch from now() - min(requested_at)), ${mostDoublings}) / (
      select greatest(count(*), 1) from agents
      where lease_expires_at > now() and not is_draining and behind_reason is null and used_share < 1) end
  from (
    select requested_at from replicas where agent_id is null and wanted <> 'ended' and is_unfunded <= ${unfunded}
    order by is_unfunded desc, requested_at desc limit ${newestRead}) newest), false)`;

const noLoad: AgentLoad = { usedShare: 0, behindReason: null };

export function agentRenewals(db: Queryable) {
  return {
    /**
     * Renews the lease and returns the work of the agent. It is one statement, as every agent sends it every second: a
     * renewal costs one round trip for any number of streams.
     * @param known from the previous renewal; null: none. `holding` is read again only if it has changed
     * @param mediaShare the most that the streams of another agent may use, if that is to take media commands
     *   (`takesMedia`); null: not asked
     * @param countsUnfunded false: `isAnyWaiting` leaves out replicas of users who are not funded
     */
    renew: async (
      agentID: string,
      load: AgentLoad = noLoad,
      known: KnownHolding | null = null,
      mediaShare: number | null = null,
      countsUnfunded = true,
    ): Promise<Renewal> => {
      const text = `with renewed as (
           update agents
           set lease_expires_at = now() + make_interval(secs => $2), renewed_at = now(),
             used_share = $3, behind_reason = $4, is_media_full = $5,
             renewing_since = case when lease_expires_at > now() then renewing_since else now() end
           where id = $1 and lease_expires_at > ${declaredDead}
           returning renewing_since),
         -- Not materialized: the rows are read from one index alone (replicas_of_agent).
         holding as not materialized (
           select id, epoch, wanted from replicas where agent_id = $1
           union all
           -- A replica that it takes over has the epoch that it gets when this agent reports it live.
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
           ($3 < 1 and ${isAnyToClaim('$8')})
             or ${isAnyOffered} as is_any_waiting,
           ${isAnyDueFree} or (${isAnyAccountDue}
             and exists (select from places where work = 'accounts' and ${isPlaceFree})) as is_any_due,
           exists (
             select from agents
             where id <> $1 and lease_expires_at < now()
               and (lease_expires_at > ${declaredDead} or ${isRecoveryPlaceFree})) as is_any_to_recover,
           exists (select from outbox where visible_at <= now() and dead_at is null) as is_any_unsent,
           $7::float8 is not null and exists (
             select from agents
             where id <> $1 and lease_expires_at > now() and not is_draining and behind_reason is null
               and not is_media_full and used_share <= $7
               and (backends = '{}' or 'ffmpeg' = any (backends))) as is_media_place_elsewhere,
           (select coalesce(json_agg(json_build_object('streamID', p.stream_id, 'replicaID', id, 'role', role)), '[]')
            from stream_previews p cross join lateral (
              select id, role from replicas where id = p.replica_id and agent_id = $1 offset 0) r
            where looked_at_until > now()) as looked_at
         from hashed`;
      const { usedShare, behindReason, isMediaFull = false } = load;
      const knownHash = known?.holdingHash ?? null;
      const asked = [knownHash, mediaShare, countsUnfunded];
      const values = [agentID, leaseSeconds, usedShare, behindReason, isMediaFull, ...asked];
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
        isMediaPlaceElsewhere: row.is_media_place_elsewhere,
        lookedAt: row.looked_at,
      };
    },
  };
}
