// Outages of a test's database while its server runs, and connections to it that break or wait.
import { expect } from 'vitest';
import { all } from '../../lambda/data/shared/queryable.ts';
import { onServer } from './database.ts';
import type { WithPool } from './database.ts';
import { descendantsOf } from './processes.ts';

/**
 * Makes a database unavailable during a callback: its connections break, and new ones are refused.
 * @param databaseURL of the unavailable database
 * @param serverURL of another database on that server, with a user who has the rights for this
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

/** Resolves once this many connections to the database wait for locks. */
export async function untilLockWaits({ pool }: WithPool, count: number, timeoutMs = 1000): Promise<void> {
  const waiting = () =>
    all(pool(), `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
  await expect.poll(waiting, { timeout: timeoutMs }).toHaveLength(count);
}

/** Breaks the connections that are idle within a transaction. */
export async function breakIdleTransactions({ pool }: WithPool): Promise<void> {
  await pool().query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and state = 'idle in transaction'`,
  );
}

/** The number of an application's connections, by the application's name. */
export async function countConnectionsOf({ pool }: WithPool, applicationName: string): Promise<number> {
  const connections = 'select from pg_stat_activity where application_name = $1';
  return (await all(pool(), connections, [applicationName])).length;
}

/** Breaks the connections of an application, by its name. Resolves once they are closed. */
export async function breakConnectionsOf({ pool }: WithPool, applicationName: string): Promise<void> {
  await pool().query('select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = $1', [
    applicationName,
  ]);
}

/**
 * Stops all processes of a local run's Postgres during a callback: its connections stay open, and nothing is answered.
 * @param pid of the local run
 */
export async function whilePostgresIsStopped<Result>(pid: number, work: () => Promise<Result>): Promise<Result> {
  const stopped = new Set<number>();
  // The server can fork until it is stopped itself, so its processes are listed until there is no other one.
  for (let before = -1; before !== stopped.size;) {
    before = stopped.size;
    for (const { pid: each, name } of await descendantsOf(pid)) {
      if (name !== 'postgres' || stopped.has(each)) continue;
      process.kill(each, 'SIGSTOP');
      stopped.add(each);
    }
  }
  if (stopped.size === 0) throw new Error('the local run has no Postgres');
  try {
    return await work();
  } finally {
    for (const each of stopped) process.kill(each, 'SIGCONT');
  }
}
