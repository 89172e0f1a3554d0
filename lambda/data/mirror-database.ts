// The statements of all aggregates with those that only the worker of mirrors sends: other functions are smaller so.
import type { Pool } from 'pg';
import { broadcastWork } from './channels/broadcast-work.ts';
import { connectionLeases } from './channels/connection-leases.ts';
import { databaseOn, inTransaction } from './database.ts';
import { mirrorWork } from './channels/mirror-work.ts';
import { platformQuota } from './channels/platform-quota.ts';
import type { Queryable } from './shared/queryable.ts';
import { readBacks } from './channels/read-backs.ts';

export type MirrorDatabase = ReturnType<typeof mirrorDatabaseOn>;

export function mirrorDatabaseOn(db: Queryable) {
  const data = databaseOn(db);
  return {
    ...data,
    broadcasts: { ...data.broadcasts, ...broadcastWork(db) },
    connections: { ...data.connections, ...connectionLeases(db) },
    mirrorIntents: { ...data.mirrorIntents, ...mirrorWork(db) },
    platformQuota: platformQuota(db),
    readBacks: readBacks(db),
  };
}

/** As `inTransaction`, with these statements. */
export function inMirrorTransaction<Result>(
  pool: Pool,
  work: (data: MirrorDatabase) => Promise<Result>,
): Promise<Result> {
  return inTransaction(pool, work, mirrorDatabaseOn);
}
