// The user of a server, and the paths that this user may reach: Postgres refuses to run as root.
import { chown, readFile, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/**
 * The user that a server on this data folder has to run as; undefined: the current one.
 * @throws if the folder belongs to another user and this process is not root's
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
      'Postgres does not run as root, and this machine has no user to run it as. Run this as another user.',
    );
  return { uid: Number(found[2]), gid: Number(found[3]) };
}

/** Changes the owner of a path, and of all files in it, to the server's user. Without a user it does nothing. */
export async function giveTo(user: ServerUser | undefined, path: string): Promise<void> {
  if (!user || (await stat(path)).uid === user.uid) return;
  const inside = (await stat(path)).isDirectory() ? await readdir(path, { recursive: true }) : [];
  for (const name of inside) await chown(join(path, name), user.uid, user.gid);
  // The path itself comes last: if this run is killed before, the next run still sees root's folder and repeats this.
  await chown(path, user.uid, user.gid);
}

/** Whether every user of the machine can reach this path, or the part of it that exists. */
export async function isOpenToOthers(path: string): Promise<boolean> {
  const { mode } = await stat(path).catch(() => ({ mode: 0o001 }));
  const parent = dirname(path);
  return (mode & 0o001) !== 0 && (parent === path || (await isOpenToOthers(parent)));
}
