// Command queue of one machine: consumers receive rows directly from the outbox.
import type { SQSRecord } from 'aws-lambda';
import type { Pool } from 'pg';
import { isFunded } from '../../data/shared/funded.ts';
import type { LeftOut } from '../../domain/fleet/lanes.ts';
import { awsPartition } from '../../domain/shared/aws-partition.ts';
import type { BusyLanes } from './busy-lanes.ts';
import { defaultBatchSize } from './command-queue.ts';
import type { CommandQueue, QueueLog } from './command-queue.ts';
import { queuePolicies } from './queues.ts';
import type { QueueName } from './queues.ts';
import { deliverUntilAborted } from './delivery.ts';
import { listenToOutbox } from './outbox-listener.ts';
import { recordAttributes } from './message-attributes.ts';
import { createWakeUp } from './wake-up.ts';

export interface PostgresCommandQueueOptions {
  /** Each `consume` opens one more connection with this pool's options. The pool's owner listens to its errors. */
  readonly pool: Pool;
  /** Name of the consuming process, for `redeliver`. */
  readonly consumer?: string;
  readonly log: QueueLog;
}

interface ClaimedRow {
  id: string;
  body: string;
  user_id: string | null;
  /** Whether the user is not funded; false for work of no user. */
  is_unfunded: boolean;
  traceparent: string | null;
  receipt: string;
  receives: number;
  /** Since when it could have been received, as a record of SQS is sent when its row is due. */
  dueAtMs: number;
  dead: boolean;
}

/** Region of records, as those of SQS name one. */
const region = 'local';
/** Interval of looks without notifications. A consumer also wakes when the next row is due. */
const pollIntervalMs = 5000;
/**
 * Interval while rows of some users are skipped: to ask for the next due row of other users would read all of those.
 */
const leavingPollIntervalMs = 250;
/** Shortest wait: another consumer is receiving a due row that is locked. */
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

      /** False if the last look found nothing: looking costs less than claiming. */
      let mayBeDue = true;
      const claimDue = (leftOut: LeftOut) =>
        claim(pool, { queue, batchSize }, [policy.visibilitySeconds, policy.maxReceives, consumer ?? null], leftOut);
      const receiveRows = async (busy: BusyLanes): Promise<ClaimedRow[]> => {
        const leftOut = busy.leftOut();
        const isLeaving = isAnyLeft(leftOut);
        const rows = mayBeDue || isLeaving ? await claimDue(leftOut) : [];
        if (rows.length > 0) return rows;
        const dueInMs = isLeaving ? leavingPollIntervalMs : await msUntilDue(pool, queue);
        const waitMs = Math.max(shortestWaitMs, Math.min(dueInMs, pollIntervalMs));
        const isWokenUp = await wakeUp.wait(waitMs);
        mayBeDue = isWokenUp || dueInMs <= waitMs;
        return [];
      };
      const receive = async (busy: BusyLanes): Promise<SQSRecord[]> => {
        // Listen before reading the taken lanes, so that a lane freed meanwhile is noticed.
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
 * Makes rows due at once that were delivered to a dead consumer.
 * @param consumer its name; null if all consumers are dead
 */
export async function redeliver(pool: Pool, consumer: string | null): Promise<void> {
  await pool.query(
    `update outbox set visible_at = now(), receipt = null
     where receipt is not null and dead_at is null and ($1::text is null or consumer = $1)`,
    [consumer],
  );
}

/**
 * SQL: lets a statement that wrote rows end before the disk has them. If the machine fails then, a command is delivered
 * once more, which is allowed. The next commit waits for the disk and includes these rows.
 */
const unsynced = `set_config('synchronous_commit', 'off', true)`;

/** Queue and size of a batch. Both stand in the SQL text, since one plan for all queues and sizes is bad for each. */
interface Batch {
  readonly queue: QueueName;
  readonly batchSize: number;
}

/** SQL: receivable rows in the order of their turns. */
const inTurn = ({ queue, batchSize }: Batch) => `select id, visible_at as due_at from outbox
  where queue = '${queue}' and visible_at <= now() and dead_at is null
  order by turn, id limit ${batchSize} for update skip locked`;

/**
 * SQL: receivable rows without those of the users `$5`, and of any who are not funded if `$4`. It asks each user with
 * rows for the first one: reading rows in order until one belongs to another user would read all 100,000 of a user
 * again and again.
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
    array(select id from first where user_id <> all ($5) and (not $4 or ${isFunded('first.user_id')}))
    || array(
      select id from outbox where queue = '${queue}' and visible_at <= now() and dead_at is null and user_id is null
      order by user_id, turn limit ${batchSize}))
  order by turn, id limit ${batchSize} for update skip locked`;

/**
 * Receives due rows in the order of their turns, without those of the skipped users, and hides them for a while. Rows
 * that were received often enough are marked dead. A receipt identifies each delivery of a row. One statement does it
 * all, so that concurrent consumers receive different rows.
 */
async function claim(
  pool: Pool,
  batch: Batch,
  parameters: readonly [visibilitySeconds: number, maxReceives: number, consumer: string | null],
  leftOut: LeftOut,
) {
  const isLeaving = isAnyLeft(leftOut);
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
       o.user_id is not null and not ${isFunded('o.user_id')} as is_unfunded,
       o.dead_at is not null as dead, ${unsynced},
       extract(epoch from due.due_at)::float8 * 1000 as "dueAtMs"`,
    isLeaving ? [...parameters, leftOut.unfunded, leftOut.userIDs] : [...parameters],
  );
  return rows;
}

const isAnyLeft = ({ userIDs, unfunded }: LeftOut) => unfunded || userIDs.length > 0;

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
    messageAttributes: recordAttributes({ traceparent: row.traceparent, isUnfunded: row.is_unfunded }),
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: `arn:${awsPartition}:sqs:${region}:000000000000:${queue}`,
    awsRegion: region,
  };
}
