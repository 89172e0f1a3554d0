// The command queue of one machine: consumers receive rows straight from the outbox.
import type { SQSRecord } from 'aws-lambda';
import type { Pool } from 'pg';
import { awsPartition } from '../../domain/shared/aws-partition.ts';
import type { BusyLanes } from './busy-lanes.ts';
import { defaultBatchSize } from './command-queue.ts';
import type { CommandQueue, QueueLog } from './command-queue.ts';
import { queuePolicies } from './queues.ts';
import type { QueueName } from './queues.ts';
import { deliverUntilAborted } from './delivery.ts';
import { listenToOutbox } from './outbox-listener.ts';
import { attributesWith } from '../../telemetry/traced-records.ts';
import { createWakeUp } from './wake-up.ts';

export interface PostgresCommandQueueOptions {
  /**
   * Every `consume` opens one more connection with the options of this pool. Whoever made the pool listens to its
   * errors.
   */
  readonly pool: Pool;
  /** The name of the process that consumes, for `redeliver`. */
  readonly consumer?: string;
  readonly log: QueueLog;
}

interface ClaimedRow {
  id: string;
  body: string;
  user_id: string | null;
  traceparent: string | null;
  receipt: string;
  receives: number;
  /** Since when it could have been received, as a record of SQS is sent when its row is due. */
  dueAtMs: number;
  dead: boolean;
}

/** What records name in the place of a region, as those of SQS do. */
const region = 'local';
/** How often a consumer looks for rows that gets no notification. It also wakes when the next row is due. */
const pollIntervalMs = 5000;
/** The same while rows of some users are left: to ask when the next of all others becomes due would read all those. */
const leavingPollIntervalMs = 250;
/** The shortest wait: a row that is due but locked is being received by another consumer at this moment. */
const shortestWaitMs = 10;

export function createPostgresCommandQueue({ pool, consumer, log }: PostgresCommandQueueOptions): CommandQueue {
  return {
    async relay() {
      return 0;
    },

    async consume(queue, handler, options) {
      const { signal, lanes, room, policy = queuePolicies[queue] } = options;
      const batchSize = lanes || room ? 1 : (options.batchSize ?? defaultBatchSize);
      const wakeUp = createWakeUp();
      signal.addEventListener('abort', wakeUp.ring, { once: true });
      const listening = listenToOutbox(pool.options, queue, wakeUp.ring, { signal, log });

      /** False while the last look has seen that there is nothing: looking costs less than claiming does. */
      let mayBeDue = true;
      const claimDue = (leaving: readonly string[]) =>
        claim(pool, { queue, batchSize }, [policy.visibilitySeconds, policy.maxReceives, consumer ?? null], leaving);
      const receiveRows = async (busy: BusyLanes): Promise<ClaimedRow[]> => {
        const leaving = busy.usersAtBound();
        const rows = mayBeDue || leaving.length > 0 ? await claimDue(leaving) : [];
        if (rows.length > 0) return rows;
        const dueInMs = leaving.length > 0 ? leavingPollIntervalMs : await msUntilDue(pool, queue);
        const waitMs = Math.max(shortestWaitMs, Math.min(dueInMs, pollIntervalMs));
        const isWokenUp = await wakeUp.wait(waitMs);
        mayBeDue = isWokenUp || dueInMs <= waitMs;
        return [];
      };
      const receive = async (busy: BusyLanes): Promise<SQSRecord[]> => {
        // It is listened before it is looked whose lanes are taken: one may become free while rows are claimed.
        const stopListening = busy.onFreed(wakeUp.ring);
        const rows = await receiveRows(busy).finally(stopListening);
        const dead = rows.filter((row) => row.dead);
        if (dead.length > 0) log('commands_dead', { queue, messageIds: dead.map((row) => row.id) });
        return rows.filter((row) => !row.dead).map((row) => recordOf(queue, row));
      };
      const remove = async (records: readonly SQSRecord[]) => {
        await pool.query(
          `delete from outbox using unnest($1::bigint[], $2::uuid[]) as done (id, receipt)
           where outbox.id = done.id and outbox.receipt = done.receipt returning ${unsynced}`,
          [records.map((record) => record.messageId), records.map((record) => record.receiptHandle)],
        );
      };
      await deliverUntilAborted({ receive, remove }, handler, { ...options, queue, log });
      signal.removeEventListener('abort', wakeUp.ring);
      await listening;
    },
  };
}

/**
 * Makes rows due at once that were delivered to a consumer which is known to be dead.
 * @param consumer its name; null: all consumers are dead
 */
export async function redeliver(pool: Pool, consumer: string | null): Promise<void> {
  await pool.query(
    `update outbox set visible_at = now(), receipt = null
     where receipt is not null and dead_at is null and ($1::text is null or consumer = $1)`,
    [consumer],
  );
}

/**
 * SQL: lets a statement that wrote rows end before the disk has it. If the machine fails in that moment, a command is
 * delivered once more, as any may be. Whatever is committed after it waits for the disk, and takes it along.
 */
const unsynced = `set_config('synchronous_commit', 'off', true)`;

/** What is received. It stands in the SQL: a plan for any queue, and for any number of rows, is a bad one for each. */
interface Batch {
  readonly queue: QueueName;
  readonly batchSize: number;
}

/** Rows that may be received, those first whose turn it is. */
const inTurn = ({ queue, batchSize }: Batch) => `select id, visible_at as due_at from outbox
  where queue = '${queue}' and visible_at <= now() and dead_at is null
  order by turn, id limit ${batchSize} for update skip locked`;

/**
 * The same without the rows of some users, `$4`. It asks each user that has rows for the first one: whoever reads one
 * row after the other until one is nobody's of these, reads all 100,000 of a user again and again.
 */
const inTurnOfOthers = ({ queue, batchSize }: Batch) => `with recursive first as (
    (select user_id, id from outbox
     where queue = '${queue}' and visible_at <= now() and dead_at is null and user_id is not null
     order by user_id, turn limit 1)
    union all
    select next.user_id, next.id from first cross join lateral (
      select user_id, id from outbox
      where queue = '${queue}' and visible_at <= now() and dead_at is null and user_id > first.user_id
      order by user_id, turn limit 1) next)
  select id, visible_at as due_at from outbox
  where visible_at <= now() and dead_at is null and id = any (
    array(select id from first where user_id <> all ($4))
    || array(
      select id from outbox where queue = '${queue}' and visible_at <= now() and dead_at is null and user_id is null
      order by user_id, turn limit ${batchSize}))
  order by turn, id limit ${batchSize} for update skip locked`;

/**
 * Receives due rows, those first whose turn it is, so that nobody waits behind all of another user's, and none of the
 * users who are left for now. It hides them for a while, and marks those as dead that were received often enough. A
 * receipt tells each delivery of a row from the next one. It is one statement, so that consumers which receive in the
 * same moment get different rows.
 */
async function claim(
  pool: Pool,
  batch: Batch,
  parameters: readonly [visibilitySeconds: number, maxReceives: number, consumer: string | null],
  leaving: readonly string[],
) {
  const isLeaving = leaving.length > 0;
  const { rows } = await pool.query<ClaimedRow>(
    `with due as (${isLeaving ? inTurnOfOthers(batch) : inTurn(batch)})
     update outbox o set
       visible_at = now() + make_interval(secs => $1),
       receives = o.receives + (o.receives < $2)::int,
       receipt = gen_random_uuid(),
       consumer = $3,
       dead_at = case when o.receives >= $2 then now() end
     from due where o.id = due.id
     returning o.id, o.body::text as body, o.user_id, o.traceparent, o.receipt, o.receives,
       o.dead_at is not null as dead, ${unsynced},
       extract(epoch from due.due_at)::float8 * 1000 as "dueAtMs"`,
    isLeaving ? [...parameters, leaving] : [...parameters],
  );
  return rows;
}

async function msUntilDue(pool: Pool, queue: QueueName): Promise<number> {
  const { rows } = await pool.query<{ ms: number | null }>({
    name: `next_due_${queue}`,
    text: `select extract(epoch from min(visible_at) - now())::float8 * 1000 as ms from outbox
     where queue = '${queue}' and dead_at is null`,
  });
  return rows[0]?.ms ?? Infinity;
}

function recordOf(queue: QueueName, row: ClaimedRow): SQSRecord {
  const sentMs = String(Math.floor(row.dueAtMs));
  return {
    messageId: row.id,
    receiptHandle: row.receipt,
    body: row.body,
    attributes: {
      ApproximateReceiveCount: String(row.receives),
      SentTimestamp: sentMs,
      SenderId: 'outbox',
      ApproximateFirstReceiveTimestamp: sentMs,
      ...(row.user_id !== null && { MessageGroupId: row.user_id }),
    },
    messageAttributes: attributesWith(row.traceparent),
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: `arn:${awsPartition}:sqs:${region}:000000000000:${queue}`,
    awsRegion: region,
  };
}
