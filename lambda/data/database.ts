// Every aggregate's SQL behind one object, bound to a pool or to a transaction.
import type { Pool } from 'pg';
import { accounts } from './accounts.ts';
import { agents } from './agents.ts';
import { billing } from './billing.ts';
import { destinations } from './destinations.ts';
import { dueTimes } from './due-times.ts';
import { idempotency } from './idempotency.ts';
import { outbox } from './outbox.ts';
import { playlists } from './playlists.ts';
import type { Queryable } from './queryable.ts';
import { replicas } from './replicas.ts';
import { streams } from './streams.ts';
import { timelines } from './timelines.ts';
import { uploads } from './uploads.ts';

/** The statements of all aggregates. What a call sees and changes is decided by what it is bound to. */
export type Database = ReturnType<typeof databaseOn>;

/** Binds the statements to a pool (each statement by itself) or to a client within a transaction. */
export function databaseOn(db: Queryable) {
  return {
    accounts: accounts(db),
    agents: agents(db),
    billing: billing(db),
    destinations: destinations(db),
    dueTimes: dueTimes(db),
    idempotency: idempotency(db),
    outbox: outbox(db),
    playlists: playlists(db),
    replicas: replicas(db),
    streams: streams(db),
    timelines: timelines(db),
    uploads: uploads(db),
  };
}

/** Runs `work` in one transaction: all of it is committed, or, when it throws, none. */
export async function inTransaction<Result>(pool: Pool, work: (data: Database) => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('begin');
    const result = await work(databaseOn(client));
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch((failure: Error) => (broken = failure));
    throw error;
  } finally {
    client.release(broken);
  }
}
