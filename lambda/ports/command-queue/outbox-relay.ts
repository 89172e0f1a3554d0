// Moves committed outbox rows to queues elsewhere: a row goes once it has been taken, at least once, whoever else is relaying.
import type { Pool, PoolClient } from 'pg';
import type { QueueLog } from './command-queue.ts';
import type { QueueName } from './queues.ts';

export interface RelayedRow {
  readonly id: string;
  readonly queue: QueueName;
  /** JSON text. */
  readonly body: string;
}

/** Why a row was not taken. With `senderFault` it never will be. */
export interface SendFailure {
  readonly code: string;
  readonly senderFault: boolean;
}

/** Sends up to `batchRows` rows at once and answers with those that were not taken. Rejects when none was. */
export type SendBatch = (queue: QueueName, rows: readonly RelayedRow[]) => Promise<ReadonlyMap<string, SendFailure>>;

/** Entries and total bytes of one SendMessageBatch (Amazon SQS API reference; newer quotas are larger). */
const batchRows = 10;
const batchBytes = 256 * 1024;
const rowsPerTransaction = 100;

/**
 * Rows stay locked while they are sent, so relays at the same time send different ones; a crash in between sends some twice.
 * What was not taken waits in the outbox for 1 s, doubling up to 64 s, or is marked dead when it never can be.
 * @returns how many rows were moved
 * @throws when the database fails
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
      // As text: the pool makes numbers of bigints, and SQS takes no number for an entry's id.
      `select id::text as id, queue, body::text as body from outbox where queue = any($1) and visible_at <= now() and dead_at is null
       order by outbox.id limit $2 for update skip locked`,
      [queues, rowsPerTransaction],
    );
    const failures = new Map<string, SendFailure>();
    for (const batch of inBatches(rows)) {
      const [{ queue }] = batch;
      const failed = await send(queue, batch).catch((error: unknown) => {
        const code = error instanceof Error ? error.name : 'unknown';
        return new Map(batch.map((row) => [row.id, { code, senderFault: false }]));
      });
      if (failed.size > 0)
        log('relay_failed', {
          queue,
          rows: failed.size,
          codes: [...new Set(Array.from(failed.values(), ({ code }) => code))],
        });
      for (const [id, failure] of failed) failures.set(id, failure);
    }
    await settle(
      client,
      rows.map((row) => row.id),
      failures,
    );
    await client.query('commit');
    client.release();
    return { found: rows.length, sent: rows.length - failures.size };
  } catch (error) {
    // Closes the connection, which rolls back: it may be what failed.
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
    `update outbox set receives = receives + 1, visible_at = now() + make_interval(secs => 2 ^ least(receives, 6)),
       dead_at = case when id = any($2) then now() end
     where id = any($1)`,
    [[...failures.keys()], hopeless],
  );
}

/** Runs of one queue, within the limits of a batch. A row that is too large alone is a batch of its own, for the queue to refuse. */
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
