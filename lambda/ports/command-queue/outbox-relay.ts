// Relay of committed outbox rows to remote queues. A row is deleted once its queue has accepted it.
import type { Pool, PoolClient } from 'pg';
import { isFunded } from '../../data/shared/funded.ts';
import type { QueueLog } from './command-queue.ts';
import type { QueueName } from './queues.ts';

export interface RelayedRow {
  readonly id: string;
  readonly queue: QueueName;
  /** JSON text. */
  readonly body: string;
  /** User of the work; null for work of no user. */
  readonly user_id: string | null;
  /** Whether the user is not funded; false for work of no user. */
  readonly is_unfunded: boolean;
  readonly traceparent: string | null;
}

/** Reason why a row was not accepted. */
export interface SendFailure {
  readonly code: string;
  /** Whether the row itself is at fault, so that a retry cannot succeed. */
  readonly senderFault: boolean;
}

/** Sends up to `batchRows` rows. @returns failures by row id; rejects if no row was accepted */
export type SendBatch = (queue: QueueName, rows: readonly RelayedRow[]) => Promise<ReadonlyMap<string, SendFailure>>;

/** Maximum entries and bytes of one SendMessageBatch (Amazon SQS API reference; newer quotas are larger). */
const batchRows = 10;
const batchBytes = 256 * 1024;
const rowsPerTransaction = 100;

/**
 * Sends the due rows. They are locked while they are sent, so that concurrent relays send different rows. A crash in
 * between sends some twice. A rejected row is retried after 1 s, doubled each time up to 64 s; one that can never be
 * accepted is marked dead.
 * @returns number of moved rows
 * @throws {Error} if the database fails
 */
export async function relayOutbox(
  pool: Pool,
  queues: readonly QueueName[],
  send: SendBatch,
  log: QueueLog,
): Promise<number> {
  let moved = 0;
  for (;;) {
    const { found, sent } = await relaySome(pool, queues, send, log);
    moved += sent;
    if (found < rowsPerTransaction) return moved;
  }
}

async function relaySome(pool: Pool, queues: readonly QueueName[], send: SendBatch, log: QueueLog) {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const { rows } = await client.query<RelayedRow>(
      // As text: the pool makes numbers of bigints, and an entry's id in SQS is text.
      `select id::text as id, queue, body::text as body, user_id, traceparent,
         user_id is not null and not ${isFunded('outbox.user_id')} as is_unfunded
       from outbox
       where queue = any($1) and visible_at <= now() and dead_at is null
       order by outbox.turn + 0, outbox.id limit $2 for update skip locked`,
      [queues, rowsPerTransaction],
    );
    const failures = new Map<string, SendFailure>();
    for (const batch of inBatches(rows)) {
      const [{ queue }] = batch;
      const failed = await send(queue, batch).catch((error: unknown) => {
        const code = error instanceof Error ? error.name : 'unknown';
        return new Map(batch.map((row) => [row.id, { code, senderFault: false }]));
      });
      if (failed.size > 0) {
        const codes = new Set(Array.from(failed.values(), ({ code }) => code));
        log('relay_failed', { queue, rows: failed.size, codes: [...codes] });
      }
      for (const [id, failure] of failed) failures.set(id, failure);
    }
    const ids = rows.map(({ id }) => id);
    await settle(client, ids, failures);
    await client.query('commit');
    client.release();
    return { found: rows.length, sent: rows.length - failures.size };
  } catch (error) {
    // The connection is closed, as it may be the fault. That rolls back.
    client.release(true);
    throw error;
  }
}

async function settle(
  client: PoolClient,
  ids: readonly string[],
  failures: ReadonlyMap<string, SendFailure>,
): Promise<void> {
  const hopeless = [...failures].filter(([, { senderFault }]) => senderFault).map(([id]) => id);
  await client.query('delete from outbox where id = any($1) and not id = any($2)', [ids, [...failures.keys()]]);
  if (failures.size === 0) return;
  await client.query(
    `update outbox
     set receives = receives + 1, visible_at = now() + make_interval(secs => 2 ^ least(receives, 6)),
       dead_at = case when id = any($2) then now() end
     where id = any($1)`,
    [[...failures.keys()], hopeless],
  );
}

/**
 * Cuts rows into batches, each for one queue and within the limits. An oversized row gets its own batch, which the
 * queue refuses.
 */
function inBatches(rows: readonly RelayedRow[]): [RelayedRow, ...RelayedRow[]][] {
  const batches: [RelayedRow, ...RelayedRow[]][] = [];
  for (const sameQueue of Map.groupBy(rows, (row) => row.queue).values()) {
    let bytes = Infinity;
    for (const row of sameQueue) {
      const rowBytes = Buffer.byteLength(row.body);
      const batch = batches.at(-1);
      if (batch && batch.length < batchRows && bytes + rowBytes <= batchBytes) {
        batch.push(row);
        bytes += rowBytes;
      } else {
        batches.push([row]);
        bytes = rowBytes;
      }
    }
  }
  return batches;
}
