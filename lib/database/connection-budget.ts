// The connections of a stage's database, and their share-out among tasks and functions.
// A connection of a pool is one transaction at once, and RDS Proxy lends each transaction a connection of the database.
import { leaseConnections } from '../../lambda/domain/fleet/lease.ts';
import { poolSizes } from '../../lambda/ports/aws/pool-sizes.ts';
import { queueCallsMax, requestsAtOnce } from '../shared/function-calls.ts';

/** Settings of a stage (`StageSettings`). */
interface BudgetSettings {
  readonly databaseProxy: boolean;
  readonly databaseInstanceClass: string;
  readonly ffmpegAgentsMax: number;
  readonly manifestAgentsMax: number;
  readonly mediaWorkersMax: number;
  readonly importWorkersMax: number;
  readonly liveIngest: { readonly maxTasks: number } | null;
  readonly apiRequestsPerSecond: number;
}

/** Processes of one kind, with the connections of each. */
export interface ConnectionUse {
  readonly who: string;
  readonly processes: number;
  readonly each: number;
}

export interface ConnectionBudget {
  /** The `max_connections` of the database. */
  readonly allowed: number;
  /** Those of them that tasks and functions may have together. */
  readonly shared: number;
  /** Connections of the pool of each agent and media worker, beside those of its lease. */
  readonly agentPool: number;
  /** At the settings' maximum of everything. */
  readonly uses: readonly ConnectionUse[];
}

const bytesOfGiB = 2 ** 30;
const GiBOfSize: Readonly<Record<string, number>> = { micro: 1, small: 2, medium: 4, large: 8, xlarge: 16 };
/** Memory for each size, as a multiple of that above, by the first letter of the family. */
const memoryOfFamily: Readonly<Record<string, number>> = { t: 1, m: 1, r: 2, x: 4 };

/** The rest is for Postgres' reserve, RDS' and the proxy's monitoring, the migration, and a person with psql. */
const sharedPart = 0.9;
const agentPools = { least: 3, most: 10 } as const;

/** @returns memory of an instance class without the prefix `db.`; null for a class whose memory is not known here */
export function memoryBytes(instanceClass: string): number | null {
  const [, family = '', times = '', size = ''] = /^([a-z])[a-z0-9]*\.(\d*)([a-z]+)$/.exec(instanceClass) ?? [];
  const GiB = (memoryOfFamily[family] ?? Number.NaN) * Number(times || 1) * (GiBOfSize[size] ?? Number.NaN);
  return Number.isNaN(GiB) ? null : GiB * bytesOfGiB;
}

/**
 * The parameter `max_connections` of a stage's database: as many for its memory as RDS would allow (“Quotas and
 * constraints for Amazon RDS”). RDS Proxy may open as many: its `MaxConnectionsPercent` is 100 by default.
 * @returns null for a class whose memory is not known here
 */
export function maxConnections(instanceClass: string): number | null {
  const bytes = memoryBytes(instanceClass);
  return bytes === null ? null : Math.min(Math.floor(bytes / 9_531_392), 5000);
}

/** @throws for an instance class that `faultOfConnections` refuses */
export function connectionBudget(settings: BudgetSettings): ConnectionBudget {
  const allowed = maxConnections(settings.databaseInstanceClass);
  if (allowed === null) throw new Error(`the memory of db.${settings.databaseInstanceClass} is unknown`);
  const shared = Math.floor(allowed * sharedPart);
  // A deployment starts new tasks before it ends old ones. Behind the proxy, both together have no more transactions
  // than the old ones had, as they carry the same streams, and idle connections occupy none of the database.
  const sets = settings.databaseProxy ? 1 : 2;
  const agents = sets * (settings.ffmpegAgentsMax + settings.manifestAgentsMax);
  const mediaWorkers = sets * settings.mediaWorkersMax;
  const others = otherUses(settings, sets);
  const left = (shared - sumOf(others)) / (agents + mediaWorkers) - leaseConnections;
  const agentPool = Math.max(agentPools.least, Math.min(agentPools.most, Math.floor(left)));
  const each = agentPool + leaseConnections;
  const uses = [
    { who: 'agents', processes: agents, each },
    { who: 'media workers', processes: mediaWorkers, each },
    ...others,
  ];
  return { allowed, shared, agentPool, uses };
}

/** The connections that a stage may have too many of; null if they fit. */
export function faultOfConnections(settings: BudgetSettings): string | null {
  const { databaseInstanceClass, databaseProxy } = settings;
  if (maxConnections(databaseInstanceClass) === null)
    return `databaseInstanceClass ${databaseInstanceClass}: its memory is not in lib/database/connection-budget.ts`;
  const { shared, uses } = connectionBudget(settings);
  const sum = sumOf(uses);
  if (sum <= shared) return null;
  const shown = uses.map(({ who, processes, each }) => `${who} ${processes * each}`).join(', ');
  return (
    `at their maximum, tasks and functions have ${sum} transactions at once (${shown}), and the database ` +
    `db.${databaseInstanceClass} has connections for ${shared}: choose a larger databaseInstanceClass, ` +
    `${databaseProxy ? '' : 'turn databaseProxy on, '}or lower ffmpegAgentsMax, manifestAgentsMax, mediaWorkersMax, ` +
    `importWorkersMax${settings.liveIngest ? ', liveIngest' : ''} or apiRequestsPerSecond`
  );
}

export function sumOf(uses: readonly ConnectionUse[]): number {
  return uses.reduce((sum, { processes, each }) => sum + processes * each, 0);
}

/** All but agents and media workers. Requests are those of surfaces: few are for the identity function. */
function otherUses(settings: BudgetSettings, sets: number): ConnectionUse[] {
  const { sweep, reconcile, synthetic, operate } = poolSizes;
  const calls = queueCallsMax(settings);
  const liveTasks = settings.liveIngest && sets * settings.liveIngest.maxTasks;
  return [
    ...(liveTasks === null ? [] : [{ who: 'live ingest', processes: liveTasks, each: poolSizes.liveIngest }]),
    { who: 'import workers', processes: sets * settings.importWorkersMax, each: poolSizes.importWorker },
    { who: 'webhooks', processes: calls, each: poolSizes.webhooks },
    { who: 'platforms', processes: calls, each: poolSizes.platforms },
    { who: 'timers', processes: calls, each: poolSizes.timersJob },
    { who: 'jobs and operators', processes: 1, each: sweep + reconcile + synthetic + operate },
    { who: 'requests', processes: requestsAtOnce(settings), each: poolSizes.surface },
  ];
}
