// Recovers a stage in AWS, when the function Migration receives the address of a restored database.
import type { PoolConfig } from 'pg';
import { createPool } from '../data/shared/queryable.ts';
import type { Log } from '../log.ts';
import { migrate } from './migrate.ts';
import { planRecovery, recover } from './recover.ts';
import type { RecoveryPlan } from './recover.ts';
import { exactText } from './recovery-source.ts';

/**
 * The request of `npm run recover`. The password belongs to the owner of the restored database, and is never logged.
 */
export interface RecoveryRequest {
  readonly host: string;
  readonly username: string;
  readonly password: string;
  /** False for a dry run. */
  readonly carryOut: boolean;
}

export interface RecoveryAnswer {
  readonly plan: RecoveryPlan;
  /** Whether the rows have replaced those of the target. If not, and `carryOut` was set, send the request again. */
  readonly isDone: boolean;
}

/** The time limit of the work, in milliseconds. Callers wait for a function for five minutes at most. */
const workMs = 4 * 60_000;
/** One connection for the lock, one for the work, and two for checks. */
const connections = 4;

/**
 * @param target the connection options of the owner of the stage's own database
 * @param migrations the folder of the SQL files
 */
export async function recoverStage(
  target: PoolConfig,
  migrations: string,
  { host, username: user, password, carryOut }: RecoveryRequest,
  log: Log,
): Promise<RecoveryAnswer> {
  const endsAt = performance.now() + workMs;
  const common = { max: connections, options: exactText };
  const pools = {
    source: createPool({ ...target, ...common, host, user, password }),
    target: createPool({ ...target, ...common }),
  };
  try {
    // Both databases are ours, and the restored one may have the schema of the previous release.
    if (carryOut) await migrate(pools.source, migrations);
    const plan = await planRecovery(pools);
    if (!carryOut) return { plan, isDone: plan.isDone };
    const goesOn = () => performance.now() < endsAt;
    const onProgress = (step: string) => log('recovering', { step });
    const isDone = await recover({ ...pools, rewrap: null, goesOn, onProgress });
    return { plan: isDone ? plan : await planRecovery(pools), isDone };
  } finally {
    await Promise.all([pools.source.end(), pools.target.end()]);
  }
}
