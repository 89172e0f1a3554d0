// Rows leave the outbox once they were taken, whatever the queue does.
import type { Pool } from 'pg';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createPool } from '../../lambda/data/queryable.ts';
import { relayOutbox } from '../../lambda/ports/command-queue/outbox-relay.ts';
import type { SendBatch } from '../../lambda/ports/command-queue/outbox-relay.ts';
import { testDatabase } from '../support/database.ts';
import { writeCommands } from './command-queue-contract.ts';

describe('outbox relay', () => {
  const database = testDatabase();
  let pool: Pool;
  beforeEach(async () => {
    pool = database.pool();
    await pool.query('truncate outbox');
  });
  const relay = (send: SendBatch) => relayOutbox(pool, ['media', 'imports'], send, () => {});
  const left = async () =>
    (
      await pool.query(
        'select body, receives, dead_at is not null as dead, visible_at > now() as waits from outbox order by id',
      )
    ).rows;

  test('relays at the same time send every row once', async () => {
    await writeCommands(
      pool,
      'media',
      Array.from({ length: 250 }, (_, index) => index),
    );
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
    await writeCommands(
      pool,
      'imports',
      Array.from({ length: 12 }, () => 'small'),
    );
    await writeCommands(
      pool,
      'media',
      Array.from({ length: 5 }, () => 'x'.repeat(100_000)),
    );
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

  test('ids are text, whatever the pool makes of bigints', async () => {
    await writeCommands(pool, 'media', ['one']);
    const numbers = createPool({ connectionString: database.url(), max: 1 });
    onTestFinished(() => numbers.end());
    const ids: unknown[] = [];
    await relayOutbox(
      numbers,
      ['media'],
      async (_, rows) => {
        ids.push(...rows.map((row) => row.id));
        return new Map();
      },
      () => {},
    );
    expect(ids).toEqual([expect.any(String)]);
    expect(await left()).toEqual([]);
  });

  test('what the queue did not take stays and waits; what it never will is dead', async () => {
    await writeCommands(pool, 'media', ['taken', 'busy', 'malformed']);
    const moved = await relay(async (_, rows) => {
      const failures = {
        '"busy"': { code: 'Throttled', senderFault: false },
        '"malformed"': { code: 'Invalid', senderFault: true },
      };
      return new Map(
        rows.flatMap((row) =>
          Object.entries(failures)
            .filter(([body]) => body === row.body)
            .map(([, failure]) => [row.id, failure] as const),
        ),
      );
    });
    expect(moved).toBe(1);
    expect(await left()).toEqual([
      { body: 'busy', receives: 1, dead: false, waits: true },
      { body: 'malformed', receives: 1, dead: true, waits: true },
    ]);
  });

  test('an outage of the queue loses nothing and stops nothing', async () => {
    await writeCommands(
      pool,
      'media',
      Array.from({ length: 150 }, (_, index) => index),
    );
    expect(await relay(async () => Promise.reject(new Error('unreachable')))).toBe(0);
    expect(await left()).toHaveLength(150);
    await pool.query('update outbox set visible_at = now()');
    expect(await relay(async () => new Map())).toBe(150);
  });

  test('rows that are not visible yet, and those of other queues, stay', async () => {
    await writeCommands(pool, 'publish-ffmpeg', [1]);
    await pool.query(`insert into outbox (queue, body, visible_at) values ('media', '2', now() + interval '1 hour')`);
    expect(await relay(async () => new Map())).toBe(0);
    expect(await left()).toHaveLength(2);
  });
});
