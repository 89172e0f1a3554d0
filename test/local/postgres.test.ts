// The Postgres launcher: durable, private, usable below closed folders, and able to clean up after killed runs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startDurablePostgres, startThrowawayPostgres } from '../../bin/local/postgres/postgres.ts';
import type { DurablePostgresOptions, RunningPostgres } from '../../bin/local/postgres/postgres.ts';

let parent: string;
let dataFolder: string;
const running: RunningPostgres[] = [];
// The tests share one database, because its creation takes most of the time. Every test leaves it intact.
beforeAll(async () => {
  // mkdtemp gives it the mode 0700. If root runs the tests, the user of Postgres cannot enter it.
  parent = await mkdtemp(join(tmpdir(), 'postgres test-'));
  dataFolder = join(parent, 'not yet there', 'postgres');
});
afterEach(async () => {
  for (const postgres of running.splice(0)) await postgres.stop();
});
afterAll(() => rm(parent, { recursive: true }));

async function startDurable(options: Partial<DurablePostgresOptions> = {}): Promise<RunningPostgres> {
  const postgres = await startDurablePostgres({ dataFolder, ...options });
  running.push(postgres);
  return postgres;
}

async function readPid(): Promise<number> {
  return Number.parseInt(await readFile(join(dataFolder, 'postmaster.pid'), 'utf8'), 10);
}

/**
 * Starts Postgres from a separate process and kills that process.
 * @param frozen stops the server's process before: it learns of the death only when a test lets it continue
 */
async function killRun({ frozen = false } = {}): Promise<number> {
  const source = new URL('../../bin/local/postgres/postgres.ts', import.meta.url).href;
  const script = `
    import { startDurablePostgres } from ${JSON.stringify(source)};
    await startDurablePostgres({ dataFolder: ${JSON.stringify(dataFolder)} });
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

  test('takes the wanted port, or another one when that is in use', async () => {
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

  test('shows the end of its log when it cannot start', async () => {
    const settings = join(dataFolder, 'postgresql.auto.conf');
    await writeFile(settings, 'no_such_setting = on\n');
    await expect(startDurable()).rejects.toThrow(/ended while it started(.|\n)*no_such_setting/);
    await writeFile(settings, '');
  });

  test('starts over the remains of a run that was killed while it created the database', async () => {
    const other = join(parent, 'other');
    await mkdir(`${other}.unfinished/base`, { recursive: true });
    await writeFile(`${other}.unfinished.password`, 'old');
    const postgres = await startDurable({ dataFolder: other });
    expect(await query(postgres.url, 'select 1 as value')).toEqual([1]);
    expect(await readdir(parent)).not.toContain('other.unfinished');
  });

  test('ignores the lock file of a server that is gone, even if another process has its pid', async () => {
    await writeFile(join(dataFolder, 'postmaster.pid'), `${process.pid}\n${dataFolder}\n`);
    const postgres = await startDurable();
    expect(await query(postgres.url, 'select 1 as value')).toEqual([1]);
  });

  test('runs without any capability in a folder that is open to others', async () => {
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
    // The command of a process is empty once it has ended, even before its parent knows that.
    const commandLine = () => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    await expect.poll(commandLine, { interval: 10, timeout: 5000 }).toBe('');
    const next = await startDurable();
    expect(await query(next.url, 'select 1 as value')).toEqual([1]);
  });

  test('the next run stops its server if the server still runs', async () => {
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
    const postgres = await startThrowawayPostgres();
    const folder = new URL(postgres.url).searchParams.get('host') ?? '';
    const settings = "select current_setting(name) as value from (values ('listen_addresses'), ('fsync')) names(name)";
    expect(await query(postgres.url, settings)).toEqual(['', 'off']);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    await postgres.stop();
    await expect(access(folder)).rejects.toThrow('ENOENT');
  });
});
