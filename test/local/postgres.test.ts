// The Postgres launcher: durable across runs, private, usable below closed folders, and recovers from what killed runs leave.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startPostgres } from '../../bin/local/postgres.ts';
import type { RunningPostgres } from '../../bin/local/postgres.ts';

let parent: string;
let dataFolder: string;
const running: RunningPostgres[] = [];
// Creating a database takes most of the time, so the tests share one, and every test leaves it sound.
beforeAll(async () => {
  // mkdtemp makes it 0700: as root, the user Postgres runs as cannot enter it.
  parent = await mkdtemp(join(tmpdir(), 'postgres test-'));
  dataFolder = join(parent, 'not yet there', 'postgres');
});
afterEach(async () => {
  for (const postgres of running.splice(0)) await postgres.stop();
});
afterAll(() => rm(parent, { recursive: true }));

async function startDurable(
  more: { dataFolder?: string; port?: number; onProgress?(text: string): void } = {},
): Promise<RunningPostgres> {
  const postgres = await startPostgres({ durable: true, dataFolder, ...more });
  running.push(postgres);
  return postgres;
}

async function readPid(): Promise<number> {
  return Number.parseInt(await readFile(join(dataFolder, 'postmaster.pid'), 'utf8'), 10);
}

/** Starts Postgres from a process of its own and kills that process. The server is told of it when it continues, if it is `frozen`. */
async function killRun({ frozen = false } = {}): Promise<number> {
  const source = new URL('../../bin/local/postgres.ts', import.meta.url).href;
  const script = `
    import { startPostgres } from ${JSON.stringify(source)};
    await startPostgres({ durable: true, dataFolder: ${JSON.stringify(dataFolder)} });
    console.log('ready');`;
  const run = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(createInterface({ input: run.stdout }), 'line');
  const pid = await readPid();
  if (frozen) process.kill(pid, 'SIGSTOP');
  run.kill('SIGKILL');
  await once(run, 'exit');
  return pid;
}

async function query(url: string, statement: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<{ value: unknown }>(statement)).rows.map((row) => row.value);
  } finally {
    await client.end();
  }
}

describe('a durable server', () => {
  test('keeps its data, syncs it, and lets nobody in without the password', async () => {
    const first = await startDurable();
    expect(await query(first.url, "select current_setting('fsync') as value")).toEqual(['on']);
    await query(first.url, 'create table kept as select 42 as value');
    const withoutPassword = new URL(first.url);
    withoutPassword.password = 'guess';
    await expect(query(withoutPassword.href, 'select 1')).rejects.toThrow('password authentication failed');
    expect((await stat(join(dataFolder, 'password'))).mode & 0o777).toBe(0o600);
    await first.stop();
    expect(await first.exited).toEqual({ code: 0, signal: null });

    const second = await startDurable();
    expect(await query(second.url, 'select value from kept')).toEqual([42]);
    expect(second.major).toBe(18);
  });

  test('takes the wanted port, and another when that is taken', async () => {
    const occupant = createServer().listen(0, '127.0.0.1');
    await once(occupant, 'listening');
    const address = occupant.address();
    const taken = typeof address === 'object' && address ? address.port : 0;
    const other = await startDurable({ port: taken });
    expect(new URL(other.url).port).not.toBe(String(taken));
    occupant.close();
    await other.stop();

    const { port } = new URL(other.url);
    const wanted = await startDurable({ port: Number(port) });
    expect(new URL(wanted.url).port).toBe(port);
  });

  test('refuses a data folder that another live run uses', async () => {
    const first = await startDurable();
    await expect(startDurable()).rejects.toThrow(`Another run (process ${process.pid}) is using`);
    expect(await query(first.url, 'select 1 as value')).toEqual([1]);
  });

  test('refuses the data folder of another major version and says what to do', async () => {
    const old = join(parent, 'old');
    await mkdir(old);
    await writeFile(join(old, 'PG_VERSION'), '14\n');
    await expect(startDurable({ dataFolder: old })).rejects.toThrow(
      /Postgres 14.*Postgres 18\. Delete the folder.*DATABASE_URL/,
    );
  });

  test('tells the end of the log when it cannot start', async () => {
    const settings = join(dataFolder, 'postgresql.auto.conf');
    await writeFile(settings, 'no_such_setting = on\n');
    await expect(startDurable()).rejects.toThrow(/ended while it started(.|\n)*no_such_setting/);
    await writeFile(settings, '');
  });

  test('starts again over what a run killed during the creation left', async () => {
    const other = join(parent, 'other');
    await mkdir(`${other}.unfinished/base`, { recursive: true });
    await writeFile(`${other}.unfinished.password`, 'old');
    const postgres = await startDurable({ dataFolder: other });
    expect(await query(postgres.url, 'select 1 as value')).toEqual([1]);
    expect(await readdir(parent)).not.toContain('other.unfinished');
  });

  test('ignores the lock file of a server that is gone, even if its number is in use by another process', async () => {
    await writeFile(join(dataFolder, 'postmaster.pid'), `${process.pid}\n${dataFolder}\n`);
    const postgres = await startDurable();
    expect(await query(postgres.url, 'select 1 as value')).toEqual([1]);
  });

  test('runs in a folder that is open to others without any capability', async () => {
    await chmod(parent, 0o755);
    const postgres = await startDurable();
    const pid = await readPid();
    expect(/^CapEff:\s*0+$/m.test(await readFile(`/proc/${pid}/status`, 'utf8'))).toBe(true);
    await chmod(parent, 0o700);
    expect(await query(postgres.url, 'select 1 as value')).toEqual([1]);
  });
});

describe('after a run was killed with SIGKILL', () => {
  test('its server ends, and the next run starts', async () => {
    const pid = await killRun();
    // Empty also for a process that has ended and is not yet collected.
    await expect
      .poll(() => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''), { interval: 10, timeout: 5000 })
      .toBe('');
    const next = await startDurable();
    expect(await query(next.url, 'select 1 as value')).toEqual([1]);
  });

  test('the next run stops its server if that still runs', async () => {
    const pid = await killRun({ frozen: true });
    const progress: string[] = [];
    const next = await startDurable({
      onProgress(text) {
        progress.push(text);
        if (text.startsWith('Stopping')) process.kill(pid, 'SIGCONT');
      },
    });
    expect(progress).toEqual(['Stopping the database server of an earlier run', 'Starting the database']);
    expect(await query(next.url, 'select 1 as value')).toEqual([1]);
  });
});

describe('a throwaway server', () => {
  test('listens on no port, syncs nothing and leaves nothing behind', async () => {
    const postgres = await startPostgres({ durable: false });
    const folder = new URL(postgres.url).searchParams.get('host') ?? '';
    expect(
      await query(
        postgres.url,
        "select current_setting(name) as value from (values ('listen_addresses'), ('fsync')) names(name)",
      ),
    ).toEqual(['', 'off']);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    await postgres.stop();
    await expect(access(folder)).rejects.toThrow('ENOENT');
  });
});
