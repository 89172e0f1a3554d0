// Connections to a test's database with the rights that the live ingest has in AWS.
import type { Pool } from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { inTransaction } from '../../lambda/data/database.ts';
import type { Database } from '../../lambda/data/database.ts';
import { createPoolLike } from '../../lambda/data/shared/queryable.ts';
import { grantRights } from '../../lambda/migrate/database-roles.ts';
import { liveIngestRole } from '../../lambda/migrate/environment.ts';
import type { WithPool } from './database.ts';

/** Options of a connection that has these rights only, though a superuser opened it. */
export const asLiveIngest = `-c role=${liveIngestRole}`;

/** A pool of the live ingest, opened at its first use and closed after the tests of the calling file. */
export function liveIngestOn(service: WithPool) {
  let opened: Pool | undefined;
  beforeAll(() => grantRights(service.pool()));
  afterAll(() => opened?.end());
  const pool = () => (opened ??= createPoolLike(service.pool(), { max: 3, options: asLiveIngest }));
  return { pool, transaction: <Result>(work: (data: Database) => Promise<Result>) => inTransaction(pool(), work) };
}
