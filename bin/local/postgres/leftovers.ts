// Removes leftovers of earlier runs: servers that outlived them, lock files, and throwaway data folders.
import { readFile, readdir, realpath, rm, stat, statfs } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** A file in the data folder with the id of the process that started the server. Postgres ignores foreign files. */
export const launcherFile = 'launcher.pid';

/**
 * A test run needs about 50 MB, and 10 MB for each concurrent test file: the usual 64 MB of a container are too few.
 */
const enoughMemoryBytes = 512 * 1024 * 1024;
const temporaryPrefix = 'loop-postgres-';
/** A younger folder may belong to a run that is still creating its database. */
const abandonedAfterMs = 60_000;
const leftoverStopMs = 15_000;
const leftoverPollMs = 20;

/** The path prefix of a throwaway data folder, for mkdtemp to complete. Removes the folders of killed runs. */
export async function temporaryPath(): Promise<string> {
  const memory = await statfs('/dev/shm').catch(() => undefined);
  const parent = memory && memory.bavail * memory.bsize >= enoughMemoryBytes ? '/dev/shm' : tmpdir();
  for (const name of await readdir(parent)) {
    if (name.startsWith(temporaryPrefix)) await removeAbandoned(join(parent, name));
  }
  return join(parent, temporaryPrefix);
}

async function removeAbandoned(folder: string): Promise<void> {
  const { promise: answers, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(join(folder, '.s.PGSQL.5432'), () => resolve(true)).once('error', () => resolve(false));
  const inUse = await answers;
  socket.destroy();
  try {
    if (!inUse && Date.now() - (await stat(folder)).mtimeMs > abandonedAfterMs)
      await rm(folder, { recursive: true, force: true });
  } catch {
    // The folder belongs to another user, or another run has just removed it.
  }
}

/**
 * Stops a server that outlived its run, and removes a lock file whose process is gone or is now another program.
 * @throws if the server belongs to a run that is alive, or does not end
 */
export async function stopLeftover(dataFolder: string, onProgress: (text: string) => void): Promise<void> {
  const lockFile = join(dataFolder, 'postmaster.pid');
  const pid = await readPid(lockFile);
  if (pid === undefined) return;
  if (!(await serves(pid, dataFolder))) return await rm(lockFile, { force: true });
  const launcher = await readPid(join(dataFolder, launcherFile));
  if (launcher !== undefined && (await parentOf(pid)) === launcher) {
    throw new Error(`Another run (process ${launcher}) is using ${dataFolder}: stop that one first.`);
  }
  onProgress('Stopping the database server of an earlier run');
  process.kill(pid, 'SIGINT');
  const deadline = Date.now() + leftoverStopMs;
  while (await serves(pid, dataFolder)) {
    if (Date.now() > deadline)
      throw new Error(
        `The Postgres server of an earlier run (process ${pid}) does not end: kill it, then start again.`,
      );
    await delay(leftoverPollMs);
  }
}

async function readPid(path: string): Promise<number | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return Number.parseInt(text, 10) || undefined;
}

/** Whether a process is the Postgres server of this data folder: its argument -D names the folder. */
async function serves(pid: number, dataFolder: string): Promise<boolean> {
  const [command, ...args] = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
  const folder = args[args.indexOf('-D') + 1];
  if (!command?.endsWith('/postgres') || !folder) return false;
  return (await realpath(folder).catch(() => resolve(folder))) === (await realpath(dataFolder));
}

async function parentOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^PPid:\s*(\d+)/m.exec(status)?.[1]);
}
