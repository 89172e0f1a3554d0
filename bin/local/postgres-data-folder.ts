// Who may use a Postgres data folder, and what earlier runs left in it.
import { chown, readFile, readdir, realpath, rm, stat, statfs } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/** In the data folder: the process that started the server. Postgres leaves files it does not know alone. */
export const launcherFile = 'launcher.pid';

/** Under the default 64 MB of a container's /dev/shm a test run would not fit; it needs about 50 MB and 10 MB per test file at work. */
const enoughMemoryBytes = 512 * 1024 * 1024;
const temporaryPrefix = 'loop-postgres-';
/** Younger folders may belong to a run that is still creating its database. */
const abandonedAfterMs = 60_000;
const leftoverStopMs = 15_000;
const leftoverPollMs = 20;

/**
 * The user a server on this data folder has to run as; undefined means the current one.
 * @throws if the folder is another user's and this is not root
 */
export async function serverUser(dataFolder: string): Promise<ServerUser | undefined> {
  const uid = process.getuid?.();
  const owner = await stat(dataFolder).catch(() => undefined);
  if (uid !== 0) {
    if (owner && owner.uid !== uid)
      throw new Error(`${dataFolder} belongs to another user (uid ${owner.uid}): run as that user, or delete it.`);
    return undefined;
  }
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const users = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  const found = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody');
  if (!found)
    throw new Error(
      'Postgres does not run as root, and there is no user postgres or nobody to run it as. Run this as another user.',
    );
  return { uid: Number(found[2]), gid: Number(found[3]) };
}

/** Makes a path and all in it the server's. */
export async function giveTo(user: ServerUser | undefined, path: string): Promise<void> {
  if (!user || (await stat(path)).uid === user.uid) return;
  const inside = (await stat(path)).isDirectory() ? await readdir(path, { recursive: true }) : [];
  for (const name of inside) await chown(join(path, name), user.uid, user.gid);
  // Last, so that a run killed before it starts again.
  await chown(path, user.uid, user.gid);
}

/** Whether every user of the machine can reach this path, or the part of it that exists. */
export async function isOpenToOthers(path: string): Promise<boolean> {
  const { mode } = await stat(path).catch(() => ({ mode: 0o001 }));
  const parent = dirname(path);
  return (mode & 0o001) !== 0 && (parent === path || (await isOpenToOthers(parent)));
}

/** Where a throwaway data folder goes, for mkdtemp to add the end of its name. Removes those of killed runs. */
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
    // Another user's, or another run was faster.
  }
}

/**
 * Stops a server that outlived its run, and removes a lock file whose process is gone or is now something else.
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

/** Whether a process is the Postgres server of this data folder. The folder is told by -D in its arguments. */
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
