// Every aggregate's SQL behind one object, bound to a pool or to a transaction.
import type { Pool } from 'pg';
import { accounts } from './accounts.ts';
import { agents } from './agents.ts';
import { apiKeys } from './api-keys.ts';
import { applications } from './applications.ts';
import { billing } from './billing.ts';
import { dataKeys } from './data-keys.ts';
import { crypto } from './crypto.ts';
import { destinations } from './destinations.ts';
import { dueTimes } from './due-times.ts';
import { expiredCredentials } from './expired-credentials.ts';
import { figures } from './figures.ts';
import { idempotency } from './idempotency.ts';
import { imports } from './imports.ts';
import { ledger } from './ledger.ts';
import { metering } from './metering.ts';
import { notifications } from './notifications.ts';
import { outbox } from './outbox.ts';
import { payments } from './payments.ts';
import { playlists } from './playlists.ts';
import type { Queryable } from './queryable.ts';
import { reconciliation } from './reconciliation.ts';
import { renditions } from './renditions.ts';
import { replicas } from './replicas.ts';
import { requestWindows } from './request-windows.ts';
import { securityEvents } from './security-events.ts';
import { signingKeys } from './signing-keys.ts';
import { streamParts } from './stream-parts.ts';
import { streams } from './streams.ts';
import { timelines } from './timelines.ts';
import { tokenRevocations } from './token-revocations.ts';
import { uploads } from './uploads.ts';
import { usage } from './usage.ts';
import { webhookDeliveries } from './webhook-deliveries.ts';
import { webhooks } from './webhooks.ts';

/** The statements of all aggregates. What a call sees and changes is decided by what it is bound to. */
export type Database = ReturnType<typeof databaseOn>;

/** Binds the statements to a pool (each statement by itself) or to a client within a transaction. */
export function databaseOn(db: Queryable) {
  return {
    /** The database's time: the clock of timelines, whoever asks. */
    now: async () => (await db.query<{ now: Date }>('select clock_timestamp() as now')).rows[0]!.now,
    /** Whether this transaction alone, until its end, is at the work of this name. It holds nothing else up meanwhile. */
    takes: async (name: string) =>
      (await db.query<{ taken: boolean }>('select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as taken', [name]))
        .rows[0]!.taken,
    accounts: accounts(db),
    agents: agents(db),
    apiKeys: apiKeys(db),
    applications: applications(db),
    billing: billing(db),
    dataKeys: dataKeys(db),
    crypto: crypto(db),
    destinations: destinations(db),
    dueTimes: dueTimes(db),
    expiredCredentials: expiredCredentials(db),
    figures: figures(db),
    idempotency: idempotency(db),
    imports: imports(db),
    ledger: ledger(db),
    metering: metering(db),
    notifications: notifications(db),
    outbox: outbox(db),
    payments: payments(db),
    playlists: playlists(db),
    reconciliation: reconciliation(db),
    renditions: renditions(db),
    replicas: replicas(db),
    requestWindows: requestWindows(db),
    securityEvents: securityEvents(db),
    signingKeys: signingKeys(db),
    streamParts: streamParts(db),
    streams: streams(db),
    timelines: timelines(db),
    tokenRevocations: tokenRevocations(db),
    uploads: uploads(db),
    usage: usage(db),
    webhookDeliveries: webhookDeliveries(db),
    webhooks: webhooks(db),
  };
}

/** Postgres lost a race and says so: serialization failure, deadlock (PostgreSQL manual, appendix A). */
const retriableErrors = new Set(['40001', '40P01']);
const maxAttempts = 4;

/**
 * Runs `work` in one transaction: all of it is committed, or, when it throws, none. Where Postgres ends it in favour of another
 * transaction it is run again, so `work` does nothing that a rollback would not undo.
 */
export async function inTransaction<Result>(pool: Pool, work: (data: Database) => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryTransaction(pool, work);
    } catch (error) {
      if (attempt === maxAttempts || !retriableErrors.has((error as { code?: string }).code ?? '')) throw error;
    }
  }
}

async function tryTransaction<Result>(pool: Pool, work: (data: Database) => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  const noteBroken = (error: Error) => void (broken = error);
  // A connection that is lost between two statements would otherwise end the process.
  client.on('error', noteBroken);
  try {
    await client.query('begin');
    const result = await work(databaseOn(client));
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(noteBroken);
    throw error;
  } finally {
    client.off('error', noteBroken);
    client.release(broken);
  }
}

/**
 * Does `work` unless somebody else is at the work of this name, wherever they are. Who dies at it is at it no more.
 * @returns what the work gives; null when it is taken
 */
export async function unlessTaken<Result>(
  pool: Pool,
  name: string,
  work: () => Promise<Result>,
): Promise<Result | null> {
  return tryTransaction(pool, async (data) => ((await data.takes(name)) ? await work() : null));
}
