// Creates what Postgres calls a cluster: a data folder with an empty database in it.
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { passwordFile, superuser } from './access.ts';
import { runProgram } from './programs.ts';
import type { ServerPrograms } from './programs.ts';
import { giveTo } from './server-user.ts';

/** Equal on all machines: otherwise initdb would use the locale of the system. */
const localeArguments = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];

/**
 * Creates a data folder whose server requires a new random password from every client. The password is written into the
 * folder. The folder is created beside its place and then renamed, so it is complete even if this run is killed.
 * @param dataFolder must not exist; its parents are created
 */
export async function createGuardedCluster(programs: ServerPrograms, dataFolder: string): Promise<void> {
  const unfinished = `${dataFolder}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(dirname(dataFolder), { recursive: true });
  await mkdir(unfinished, { mode: 0o700 });

  // initdb accepts only an empty folder, so the password is written beside it first.
  const passwordBeside = `${unfinished}.${passwordFile}`;
  await giveTo(programs.user, unfinished);
  await writeFile(passwordBeside, randomBytes(24).toString('base64url'), { mode: 0o600 });
  await giveTo(programs.user, passwordBeside);
  await initialize(programs, unfinished, ['--auth=scram-sha-256', `--pwfile=${passwordBeside}`]);
  await rename(passwordBeside, join(unfinished, passwordFile));

  await rename(unfinished, dataFolder);
}

/** Fills an empty folder for a server without passwords. Does not wait until it is on disk. */
export async function createOpenCluster(programs: ServerPrograms, dataFolder: string): Promise<void> {
  await giveTo(programs.user, dataFolder);
  await initialize(programs, dataFolder, ['--auth=trust', '--no-sync']);
}

/** @throws if the data folder was created by another major version than `major` */
export async function checkMajor(dataFolder: string, major: number): Promise<void> {
  const found = Number(await readFile(join(dataFolder, 'PG_VERSION'), 'utf8'));
  if (found === major) return;
  throw new Error(
    `${dataFolder} was made by Postgres ${found}, and this is Postgres ${major}. ` +
      'Delete the folder to start with an empty database, ' +
      `or set DATABASE_URL to a Postgres ${found} that serves it.`,
  );
}

async function initialize(programs: ServerPrograms, folder: string, accessArguments: readonly string[]): Promise<void> {
  const args = ['--username', superuser, ...localeArguments, ...accessArguments];
  const initdb = await runProgram('initdb', programs, folder, args);
  const { code } = await initdb.child.exited;
  if (code !== 0) throw new Error(`Postgres could not create its data folder. ${initdb.endOfLog()}`);
}
