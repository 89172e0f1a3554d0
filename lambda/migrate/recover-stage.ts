// Recovers a stage in AWS: what the function Migration does when it is sent the address of a restored database.
import type { PoolConfig } from 'pg';
import { createPool } from '../data/shared/queryable.ts';
import type { Log } from '../log.ts';
import { migrate } from './migrate.ts';
import { planRecovery, recover } from './recover.ts';
import type { RecoveryPlan } from './recover.ts';
import { exactText } from './recovery-source.ts';

/** What `npm run recover` sends. The password is that of the owner of the restored database, and is logged nowhere. */
export interface RecoveryRequest {
  readonly host: string;
  readonly username: string;
  readonly password: string;
  /** False: only look. */
  readonly carryOut: boolean;
}

export interface RecoveryAnswer {
  readonly plan: RecoveryPlan;
  /** Whether the rows have taken their place. If not, and it was to be carried out: send the request again. */
  readonly isDone: boolean;
}

/** Whoever waits for the answer of a function waits five minutes at most. */
const workMs = 4 * 60_000;
/** One for the lock, one for the work, and two for proofs. */
const connections = 4;

/**
 * @param target how the owner of the stage's own database connects
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
    // Both are ours, and the restored one may be of the release before.
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
