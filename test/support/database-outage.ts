// A test's database that goes away although its server runs on, and connections to it that break or wait.
import { expect } from 'vitest';
import { all } from '../../lambda/data/shared/queryable.ts';
import { onServer } from './database.ts';
import type { WithPool } from './database.ts';

/**
 * Takes a database away for as long as something else is done: its connections break, and new ones are refused.
 * @param databaseURL of the database that goes away
 * @param serverURL of another database on that server, with a user who may do this
 */
export async function whileDatabaseIsAway<Result>(
  { databaseURL, serverURL }: { databaseURL: string; serverURL: string },
  work: () => Promise<Result>,
): Promise<Result> {
  const name = new URL(databaseURL).pathname.slice(1);
  await onServer(serverURL, `alter database "${name}" with allow_connections false`);
  try {
    await onServer(serverURL, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
    return await work();
  } finally {
    await onServer(serverURL, `alter database "${name}" with allow_connections true`);
  }
}

/** Resolves once so many connections to the database wait for locks that others hold. */
export async function untilLockWaits({ pool }: WithPool, count: number, timeoutMs = 1000): Promise<void> {
  const waiting = () =>
    all(pool(), `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
  await expect.poll(waiting, { timeout: timeoutMs }).toHaveLength(count);
}

/** Breaks the connections that are within a transaction while their owners do something else. */
export async function breakIdleTransactions({ pool }: WithPool): Promise<void> {
  await pool().query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and state = 'idle in transaction'`,
  );
}

/** How many connections an application has, by the name that it gave. */
export async function countConnectionsOf({ pool }: WithPool, applicationName: string): Promise<number> {
  const connections = 'select from pg_stat_activity where application_name = $1';
  return (await all(pool(), connections, [applicationName])).length;
}

/** Breaks the connections of an application, by the name that they gave. Resolves once they are gone. */
export async function breakConnectionsOf({ pool }: WithPool, applicationName: string): Promise<void> {
  await pool().query('select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = $1', [
    applicationName,
  ]);
}
