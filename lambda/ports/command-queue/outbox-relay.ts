// Moves committed rows of the outbox to queues elsewhere. A row is deleted once its queue has taken it.
import type { Pool, PoolClient } from 'pg';
import type { QueueLog } from './command-queue.ts';
import type { QueueName } from './queues.ts';

export interface RelayedRow {
  readonly id: string;
  readonly queue: QueueName;
  /** JSON text. */
  readonly body: string;
  /** Whose work it is; null: nobody's. */
  readonly user_id: string | null;
  readonly traceparent: string | null;
}

/** Why a row was not taken. */
export interface SendFailure {
  readonly code: string;
  /** Whether the row itself is at fault, so that it will never be taken. */
  readonly senderFault: boolean;
}

/** Sends up to `batchRows` rows at once. @returns failures by the id of the row; it rejects if no row was taken */
export type SendBatch = (queue: QueueName, rows: readonly RelayedRow[]) => Promise<ReadonlyMap<string, SendFailure>>;

/** The most entries and bytes of one SendMessageBatch (Amazon SQS API reference; newer quotas are larger). */
const batchRows = 10;
const batchBytes = 256 * 1024;
const rowsPerTransaction = 100;

/**
 * Sends the rows that are due. They are locked while they are sent, so that processes which relay at the same time send
 * different rows. After a crash in between, some are sent twice. A row that was not taken waits for 1 s, doubled each
 * time up to 64 s; one that never can be taken is marked as dead.
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
      `select id::text as id, queue, body::text as body, user_id, traceparent from outbox
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
    // The connection is closed, as it may be what failed. That rolls back.
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
 * Cuts rows into batches, each for one queue and within the limits. A row that is too large even alone gets a batch of
 * its own, which the queue refuses.
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
