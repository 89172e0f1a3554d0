// Starts a Postgres server from the npm binaries: a durable one for the local platform, a throwaway one for tests.
import { mkdtemp, rm, stat, statfs } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { ChildExit, RunningChild } from '../child-process.ts';
import { loopbackAccess, socketAccess } from './access.ts';
import type { ServerAccess } from './access.ts';
import { checkMajor, createGuardedCluster, createOpenCluster } from './cluster.ts';
import { stopLeftover, temporaryPath } from './leftovers.ts';
import { findPrograms } from './programs.ts';
import type { ServerPrograms } from './programs.ts';
import { startServer } from './server.ts';
import { giveTo, serverUser } from './server-user.ts';

export interface RunningPostgres {
  /** URL of the superuser's database `postgres`. For a durable server it contains the password: do not log it. */
  readonly url: string;
  /** Major version of the server, such as 18. */
  readonly major: number;
  /** Resolves when the server has ended, for any reason, and is not started again. */
  readonly exited: Promise<ChildExit>;
  stop(): Promise<void>;
}

export interface DurablePostgresOptions {
  /** Created if it is missing, with its parents. */
  readonly dataFolder: string;
  /** The port to listen on. If it is taken or absent, any free port is used. */
  readonly port?: number;
  /** Settings of the server, in place of or in addition to its own: they use little memory. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Whether the server is started again when it ends by itself. @default true */
  readonly restarts?: boolean;
  /** Receives the server's log, line by line. */
  readonly log?: (line: string) => void;
  /** Receives the current step, as text for a waiting user. */
  readonly onProgress?: (text: string) => void;
}

const stopGraceMs = 15_000;
const maxStarts = 3;
const restartAfterMs = 1000;
/** A server that ends sooner after its start has failed to start. */
const lastingMs = 60_000;
/** Bytes of the disk that a server needs to recover: three files of its log, and room for its tables. */
const roomToStart = 64 * 1024 * 1024;

const commonSettings = { timezone: 'UTC', log_timezone: 'UTC' };
const durableSettings = {
  ...commonSettings,
  shared_buffers: '64MB',
  // `keepRunning` restarts it. The restart of Postgres 18 itself hangs at times when the disk is full meanwhile.
  restart_after_crash: 'off',
};
const throwawaySettings = {
  ...commonSettings,
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '64MB',
  // A test that counts statements switches it on for its own database.
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track': 'none',
};

/**
 * Starts a server whose data survives crashes and later starts, and waits until it accepts connections. It listens on
 * 127.0.0.1 with a random password, which is in the data folder, readable by its owner only.
 *
 * Postgres refuses to run as root. So if root starts a server, it runs as the data folder's owner, or as `postgres` or
 * `nobody`. The server ends when this process ends, for any reason. A server that an earlier run left on the data
 * folder is stopped first.
 * @throws if there are no binaries for this machine, another live run uses the data folder, the data folder is of
 *   another major version or another user, or the server does not start (with the end of its log)
 */
export async function startDurablePostgres(options: DurablePostgresOptions): Promise<RunningPostgres> {
  const { dataFolder, port, settings, restarts = true, log, onProgress = () => {} } = options;
  const { folder, major } = await findPrograms();
  const programs: ServerPrograms = { folder, user: await serverUser(dataFolder), log };

  if (await exists(dataFolder)) {
    await checkMajor(dataFolder, major);
    await giveTo(programs.user, dataFolder);
    await stopLeftover(dataFolder, onProgress);
  } else {
    onProgress('Creating the database');
    await createGuardedCluster(programs, dataFolder);
  }

  onProgress('Starting the database');
  const { server, access } = await startOnLoopback(programs, dataFolder, { ...durableSettings, ...settings }, port);
  const start = restarts ? () => startServer(programs, dataFolder, access) : null;
  const kept = keepRunning(server, dataFolder, start);
  return { url: access.url, major, ...kept };
}

/**
 * Starts a server again when it ends by itself: as often as necessary while its disk is full, which ends Postgres, else
 * a few times.
 * @param start null: it is not started again
 */
function keepRunning(
  first: RunningChild,
  dataFolder: string,
  start: (() => Promise<RunningChild>) | null,
): Pick<RunningPostgres, 'exited' | 'stop'> {
  const stopping = new AbortController();
  let running = first;
  const restart = async (): Promise<ChildExit> => {
    for (let failures = 0; ;) {
      const startedMs = performance.now();
      const exit = await running.exited;
      if (start === null || stopping.signal.aborted) return exit;
      const hasLasted = performance.now() - startedMs > lastingMs;
      const isDiskFull = (await freeBytes(dataFolder)) < roomToStart;
      failures = hasLasted || isDiskFull ? 0 : failures + 1;
      if (failures > maxStarts) return exit;
      await delay(restartAfterMs, undefined, { signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted) return exit;
      running = (await start().catch(() => null)) ?? running;
      // A stop during the start has stopped only the server before it.
      if (stopping.signal.aborted) return running.stop('SIGINT', stopGraceMs);
    }
  };
  const exited = restart();
  return {
    exited,
    async stop() {
      stopping.abort();
      // Postgres' fast shutdown: clients are disconnected, and all data is on disk.
      await running.stop('SIGINT', stopGraceMs);
      await exited;
    },
  };
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/**
 * Starts an empty server that keeps its data in memory if there is enough, never waits for a disk, and is deleted when
 * it is stopped. It listens on a Unix socket that only this user can use, without a password. Its user and its end are
 * those of a durable server.
 * @throws if there are no binaries for this machine, or the server does not start (with the end of its log)
 */
export async function startThrowawayPostgres(): Promise<RunningPostgres> {
  const { folder, major } = await findPrograms();
  const dataFolder = await mkdtemp(await temporaryPath());
  const programs: ServerPrograms = { folder, user: await serverUser(dataFolder), log: undefined };
  await createOpenCluster(programs, dataFolder);
  const { url, settings } = socketAccess(dataFolder);
  const server = await startServer(programs, dataFolder, { url, settings: { ...throwawaySettings, ...settings } });
  return {
    url,
    major,
    exited: server.exited,
    async stop() {
      // Postgres' immediate shutdown: nothing is saved.
      await server.stop('SIGQUIT', stopGraceMs);
      await rm(dataFolder, { recursive: true, force: true });
    },
  };
}

/** Another program may take a free port before the server listens: then another port is tried. */
async function startOnLoopback(
  programs: ServerPrograms,
  dataFolder: string,
  serverSettings: Readonly<Record<string, string>>,
  wantedPort: number | undefined,
): Promise<{ server: RunningChild; access: ServerAccess }> {
  for (let attempt = 1; ; attempt++) {
    const { url, settings } = await loopbackAccess(dataFolder, attempt === 1 ? wantedPort : undefined);
    const access = { url, settings: { ...serverSettings, ...settings } };
    try {
      return { server: await startServer(programs, dataFolder, access), access };
    } catch (error) {
      if (attempt === maxStarts || !String(error).includes('Address already in use')) throw error;
    }
  }
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}
