// The database of the local run on a full disk: it comes back by itself once there is room, and nothing is lost.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, describe, expect, onTestFailed, test } from 'vitest';
import { startDurablePostgres } from '../../bin/local/postgres/postgres.ts';

const mib = 1024 ** 2;
const disk = mkdtempSync(join(tmpdir(), 'full-disk-'));
const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${192 * mib}`, 'tmpfs', disk]).status === 0;
if (!isMounted) rmdirSync(disk);

describe.runIf(isMounted)(`a disk of 192 MiB${isMounted ? '' : ' (skipped: mounting a disk needs root)'}`, () => {
  afterAll(() => {
    // Lazily: the server of a failed test may still use it.
    spawnSync('umount', ['-l', disk]);
    rmdirSync(disk);
  });

  test('that is full ends neither the server for good nor what was committed', { timeout: 180_000 }, async () => {
    chmodSync(disk, 0o755);
    const lines: string[] = [];
    const postgres = await startDurablePostgres({
      dataFolder: join(disk, 'postgres'),
      // Fewer files of its log: it needs a new one, and so room, sooner.
      settings: { min_wal_size: '32MB', max_wal_size: '32MB' },
      log: (line) => void lines.push(line),
    });
    onTestFailed(() => console.log(lines.slice(-40).join('\n')));
    const end = { hasCome: false };
    void postgres.exited.then(() => (end.hasCome = true));
    const query = async (sql: string) => {
      const client = new Client({ connectionString: postgres.url, connectionTimeoutMillis: 2000 });
      client.on('error', () => {});
      try {
        await client.connect();
        return (await client.query<{ count: string }>(sql)).rows;
      } finally {
        await client.end().catch(() => {});
      }
    };
    const insert = 'insert into kept values (1)';
    await query('create table kept (number integer)');
    await query(insert);
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(join(disk, 'other'), Buffer.alloc(bavail * bsize));
    let committed = 1;
    // Each commit begins a new file of the server's log. Without room for one, Postgres ends.
    while (!lines.some((line) => line.includes('PANIC'))) {
      await query(insert)
        .then(() => query('select pg_switch_wal()'))
        .then(
          () => (committed += 1),
          () => {},
        );
    }
    expect(await query('select 1').catch(() => null)).toBeNull();
    rmSync(join(disk, 'other'));
    const count = () => query('select count(*) from kept').catch(() => null);
    await expect.poll(count, { timeout: 60_000 }).not.toBeNull();
    expect(Number((await count())![0]!.count)).toBeGreaterThanOrEqual(committed);
    await expect.poll(() => query(insert).catch(() => null), { timeout: 60_000 }).not.toBeNull();
    expect(end.hasCome).toBe(false);
    await postgres.stop();
  });
});
