// The aggregates with those that only the worker of mirrors needs. Other functions do not bundle these.
import type { Pool } from 'pg';
import { broadcastWork } from './channels/broadcast-work.ts';
import { connectionLeases } from './channels/connection-leases.ts';
import { aggregates, inTransaction } from './database.ts';
import { bindingOf } from './shared/bind-aggregates.ts';
import { mirrorWork } from './channels/mirror-work.ts';
import { platformQuota } from './channels/platform-quota.ts';
import { readBacks } from './channels/read-backs.ts';

/** Binds these aggregates to a pool or to a client within a transaction. */
export const mirrorDatabaseOn = bindingOf({
  ...aggregates,
  broadcastWork,
  connectionLeases,
  mirrorWork,
  platformQuota,
  readBacks,
});

/** The statements of all aggregates and of the worker of mirrors. */
export type MirrorDatabase = ReturnType<typeof mirrorDatabaseOn>;

/** Runs `work` in one transaction, as `inTransaction` does, with these aggregates. */
export function inMirrorTransaction<Result>(
  pool: Pool,
  work: (data: MirrorDatabase) => Promise<Result>,
): Promise<Result> {
  return inTransaction(pool, work, mirrorDatabaseOn);
}
