// Recovery of a stage: 10,000 streams and billing records move to another cluster, by a killed and repeated command.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DataFolder } from '../../bin/local/data-folder.ts';
import { startDurablePostgres } from '../../bin/local/postgres/postgres.ts';
import { databaseOn } from '../../lambda/data/database.ts';
import { createPool } from '../../lambda/data/shared/queryable.ts';
import { migrate } from '../../lambda/migrate/migrate.ts';
import { recoverReplicas } from '../../lambda/orchestration/fleet/recover-replicas.ts';
import { createFileKeyWrapper } from '../../lambda/ports/sealer/key-wrapper.ts';
import { openSealer } from '../../lambda/ports/sealer/open-sealer.ts';
import { Fleet } from '../bench/fleet.ts';
import { fillStreams, insertAgents } from '../support/stage-rows.ts';

const streams = 10_000;
const newAgents = 40;
const command = join(import.meta.dirname, '../../bin/recover.ts');
const secretPlace = 'destinations/dst_1';

let root: string;
const folderOf = (name: string) => join(root, name);
/** Last sign of life of the lost region, in milliseconds, to which Postgres rounds the end of an interval. */
let lastSeen: Date;

/** Runs a function on the cluster of a data folder, which runs only during the call. */
async function onCluster<Result>(name: string, work: (pool: Pool) => Promise<Result>): Promise<Result> {
  const postgres = await startDurablePostgres({ dataFolder: DataFolder.at(folderOf(name)).postgres });
  const pool = createPool({ connectionString: postgres.url, max: 30 });
  try {
    return await work(pool);
  } finally {
    await pool.end();
    await postgres.stop();
  }
}

async function makeRun(name: string, fill: (pool: Pool) => Promise<void>): Promise<void> {
  const folder = await DataFolder.open(folderOf(name), { fresh: false });
  await folder.identity();
  await onCluster(name, async (pool) => {
    await migrate(pool);
    await openSealer(pool, createFileKeyWrapper(await readFile(folder.masterKeyFile), 'data key'));
    await openSealer(pool, createFileKeyWrapper(await readFile(folder.masterKeyFile), 'sources'));
    await fill(pool);
  });
}

/**
 * Runs the command.
 * @param killAfterLines number of printed lines after which it gets SIGKILL
 * @returns its output, and its exit code: null if it was killed
 */
async function recoverRun(
  args: readonly string[],
  killAfterLines = Infinity,
): Promise<{ lines: readonly string[]; code: number | null }> {
  const child = spawn(
    process.execPath,
    [command, 'local', '--from', folderOf('lost'), '--data', folderOf('new'), ...args],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, DATABASE_URL: undefined } },
  );
  const lines: string[] = [];
  const note = (line: string) => {
    lines.push(line);
    if (lines.length === killAfterLines) child.kill('SIGKILL');
  };
  createInterface(child.stdout).on('line', note);
  createInterface(child.stderr).on('line', note);
  const ended = Promise.withResolvers<number | null>();
  child.on('close', ended.resolve);
  return { code: await ended.promise, lines };
}

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'recover-'));
  await makeRun('lost', async (pool) => {
    await fillStreams(pool, streams, 100, streams);
    // The agents of the new region have their own names, and those of the lost one last reported an hour ago.
    await pool.query(
      `insert into agents (id, supervisor, release, backends, capacity, lease_expires_at, renewed_at, renewing_since)
       select 'lost_' || id, 's', 'r', backends, capacity, now() - interval '1 hour', now() - interval '1 hour',
         now() - interval '9 hours'
       from agents`,
    );
    await pool.query(`update replicas set agent_id = 'lost_' || agent_id`);
    await pool.query(
      `update live_intervals set agent_id = 'lost_' || agent_id, started_at = now() - interval '2 hours'`,
    );
    await pool.query(`delete from agents where id not like 'lost_%'`);
    // Some users' streams were charged before.
    await databaseOn(pool).agents.declareDead('lost_agent_1');
    await recoverReplicas(pool);
    const sealer = await openSealer(
      pool,
      createFileKeyWrapper(await readFile(DataFolder.at(folderOf('lost')).masterKeyFile), 'data key'),
    );
    await pool.query('update destinations set sealed_stream_key = $1 where id = $2', [
      sealer.seal('a stream key', secretPlace),
      'dst_1',
    ]);
    const { rows } = await pool.query<{ last: Date }>('select max(renewed_at)::timestamptz(3) as last from agents');
    lastSeen = rows[0]!.last;
    expect(await databaseOn(pool).reconciliation.differences()).toEqual([]);
  });
  await makeRun('new', (pool) => insertAgents(pool, newAgents, 1));
});
afterAll(() => rm(root, { recursive: true, force: true }));

describe('recovering 10,000 streams from a lost place', () => {
  it('shows a plan first, and does nothing', async () => {
    const { lines, code } = await recoverRun([]);
    expect(code).toBe(0);
    expect(lines.join('\n')).toContain(`1000 users, ${streams} streams`);
    expect(lines.join('\n')).toContain('Nothing was changed');
    await onCluster('new', async (pool) => {
      expect((await pool.query('select from streams')).rowCount).toBe(0);
      expect((await pool.query(`select from pg_namespace where nspname = 'recovery'`)).rowCount).toBe(0);
    });
  });

  it.each([8, 25, 60, 20])('is killed when it has said %i lines, and nobody sees half of it', async (lines) => {
    const { code } = await recoverRun(['--carry-out'], lines);
    expect(code).toBeNull();
    await onCluster('new', async (pool) => {
      const { rows } = await pool.query<{ count: number }>('select count(*) from streams');
      expect([0, streams]).toContain(rows[0]!.count);
    });
  });

  it('goes on where it was, until the books agree', async () => {
    const { lines, code } = await recoverRun(['--carry-out']);
    expect(lines.at(-1)).toMatch(/^The books agree\. It took [\d.]+ minutes\.$/);
    console.log(`${streams} streams. ${lines.at(-1)}`);
    expect(code).toBe(0);
    // Tables of previous runs are not copied again.
    expect(lines.filter((line) => line.startsWith('copied ')).length).toBeLessThan(30);
  });

  it('has nothing to do when it is called again', async () => {
    const { lines, code } = await recoverRun(['--carry-out']);
    expect([lines[0], code]).toEqual(['The recovery is done: the rows of this source are in place.', 0]);
  });

  it('leaves ledger and balances to the row what they were, and secrets that the new place opens', async () => {
    const booksOf = async (pool: Pool) => {
      const { rows } = await pool.query(
        `select (select count(*) from ledger_entries) as entries,
           (select md5(string_agg(l::text, '' order by l::text)) from ledger_entries l) as ledger,
           (select md5(string_agg(i::text, '' order by i::text)) from live_intervals i) as intervals`,
      );
      return rows[0] as { readonly entries: number };
    };
    const before = await onCluster('lost', booksOf);
    expect(before.entries).toBeGreaterThan(2000);
    await onCluster('new', async (pool) => {
      expect(await booksOf(pool)).toEqual(before);
      const key = await readFile(DataFolder.at(folderOf('new')).masterKeyFile);
      const sealer = await openSealer(pool, createFileKeyWrapper(key, 'data key'));
      const { rows } = await pool.query<{ sealed: Buffer }>(
        'select sealed_stream_key as sealed from destinations where id = $1',
        ['dst_1'],
      );
      expect(sealer.open(rows[0]!.sealed, secretPlace)).toBe('a stream key');
    });
  });

  it('lets agents of the new place take every stream on air, and nobody pay for the time in between', async () => {
    await onCluster('new', async (pool) => {
      // The agents of the new region remain, and kept renewing their leases meanwhile.
      const renewed = await pool.query(
        `update agents set lease_expires_at = now() + interval '1 minute' where id not like 'lost_%'`,
      );
      expect(renewed.rowCount).toBe(newAgents);
      const fleet = new Fleet({ pool, agents: newAgents, room: 400 });
      const all = fleet.countLive(streams);
      const beganMs = performance.now();
      fleet.begin();
      await all;
      console.log(`All were on air ${((performance.now() - beganMs) / 60_000).toFixed(2)} minutes later.`);
      await fleet.end();
      const { rows } = await pool.query<{ live: number; late: number }>(
        `select (select count(*) from replicas where state = 'live' and agent_id not like 'lost_%') as live,
           (select count(*) from live_intervals where agent_id like 'lost_%'
              and (ended_at is null or ended_at > $1)) as late`,
        [lastSeen],
      );
      expect(rows).toEqual([{ live: streams, late: 0 }]);
      expect(await databaseOn(pool).reconciliation.differences()).toEqual([]);
    });
  });
});
