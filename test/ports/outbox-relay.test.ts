// The relay of the outbox: rows leave it once the queue has accepted them, whatever the queue does.
import type { Pool } from 'pg';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { databaseOn } from '../../lambda/data/database.ts';
import { createPool } from '../../lambda/data/shared/queryable.ts';
import { relayOutbox } from '../../lambda/ports/command-queue/outbox-relay.ts';
import type { SendBatch } from '../../lambda/ports/command-queue/outbox-relay.ts';
import { testDatabase } from '../support/database.ts';
import { clearCommands, makeCommandsDue } from '../support/outbox-rows.ts';
import { writeCommands } from './command-queue-contract.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('outbox relay', () => {
  const database = testDatabase();
  let pool: Pool;
  beforeEach(async () => {
    pool = database.pool();
    await clearCommands(database);
  });
  const relay = (send: SendBatch) => relayOutbox(pool, ['media', 'imports'], send, () => {});
  /** The rows that were not accepted yet. */
  const left = async () => {
    const query = `select body, receives, dead_at is not null as dead, visible_at > now() as waits
      from outbox order by id`;
    return (await pool.query(query)).rows;
  };

  test('four relays at the same time send every row once', async () => {
    await writeCommands(pool, 'media', numbers(250));
    const sent: string[] = [];
    const send: SendBatch = async (_, rows) => {
      sent.push(...rows.map((row) => row.body));
      return new Map();
    };
    const moved = await Promise.all(Array.from({ length: 4 }, () => relay(send)));
    expect(moved.reduce((sum, each) => sum + each)).toBe(250);
    expect(new Set(sent).size).toBe(250);
    expect(sent).toHaveLength(250);
    expect(await left()).toEqual([]);
  });

  test('a batch is of one queue, with 10 rows and 256 KiB at most', async () => {
    const large = 'x'.repeat(100_000);
    await writeCommands(pool, 'imports', numbers(12));
    await writeCommands(pool, 'media', [large, large, large, large, large]);
    const batches: { queue: string; rows: number }[] = [];
    await relay(async (queue, rows) => {
      batches.push({ queue, rows: rows.length });
      return new Map();
    });
    expect(batches).toEqual([
      { queue: 'imports', rows: 10 },
      { queue: 'imports', rows: 2 },
      { queue: 'media', rows: 2 },
      { queue: 'media', rows: 2 },
      { queue: 'media', rows: 1 },
    ]);
  });

  test('ids are text, even with a pool that makes numbers of bigints', async () => {
    await writeCommands(pool, 'media', ['one']);
    const withNumbers = createPool({ connectionString: database.url(), max: 1 });
    onTestFinished(() => withNumbers.end());
    const ids: unknown[] = [];
    const send: SendBatch = async (_, rows) => {
      ids.push(...rows.map((row) => row.id));
      return new Map();
    };
    await relayOutbox(withNumbers, ['media'], send, () => {});
    expect(ids).toEqual([expect.any(String)]);
    expect(await left()).toEqual([]);
  });

  test('a row that the queue did not take waits, and one that it never will is dead', async () => {
    await writeCommands(pool, 'media', ['taken', 'busy', 'malformed']);
    const failures = new Map([
      ['"busy"', { code: 'Throttled', senderFault: false }],
      ['"malformed"', { code: 'Invalid', senderFault: true }],
    ]);
    const moved = await relay(async (_, rows) => {
      const failed = rows.filter(({ body }) => failures.has(body));
      return new Map(failed.map(({ id, body }) => [id, failures.get(body)!]));
    });
    expect(moved).toBe(1);
    expect(await left()).toEqual([
      { body: 'busy', receives: 1, dead: false, waits: true },
      { body: 'malformed', receives: 1, dead: true, waits: true },
    ]);
  });

  test('no row is lost while the queue is away, and all go afterwards', async () => {
    await writeCommands(pool, 'media', numbers(150));
    expect(await relay(async () => Promise.reject(new Error('unreachable')))).toBe(0);
    expect(await left()).toHaveLength(150);
    await makeCommandsDue(database, 'media');
    expect(await relay(async () => new Map())).toBe(150);
  });

  test('rows that are not visible yet, and those of other queues, stay', async () => {
    await writeCommands(pool, 'publish-ffmpeg', [1]);
    const command = { queue: 'media', body: { task: 'delete_object', objectKey: 'later' } } as const;
    await databaseOn(pool).outbox.send(command, 3600);
    expect(await relay(async () => new Map())).toBe(0);
    expect(await left()).toHaveLength(2);
  });
});
