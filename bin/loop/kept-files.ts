// The files that `loop` keeps for a user: the sign-in, and the uploads under way. XDG names their folders.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Environment } from './session.ts';

/** The file of the sign-in. Only its user may read it. */
export function signInFile(environment: Environment): string {
  return join(environment['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'loop', 'sign-in.json');
}

/** The folder of the uploads under way. Nothing in it is secret. */
export function uploadsFolder(environment: Environment): string {
  return join(environment['XDG_STATE_HOME'] || join(homedir(), '.local/state'), 'loop', 'uploads');
}

/** Writes a file at once, so that a process that is killed leaves the old or the new one. */
export async function keepFile(path: string, content: unknown): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const part = `${path}.${process.pid}`;
  await writeFile(part, `${JSON.stringify(content)}\n`, { mode: 0o600 });
  await rename(part, path);
}

/** @returns null if there is no such file, or it is damaged */
export async function readKept<Content>(path: string): Promise<Content | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Content;
  } catch {
    return null;
  }
}
