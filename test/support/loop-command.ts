// Runs the command `loop` as users do: a process of its own, with a home of its own.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const entry = join(import.meta.dirname, '../../bin/loop.mjs');

export interface LoopRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface LoopOptions {
  /** The folder of the sign-in and of the uploads under way; also where the command runs. */
  readonly home: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly stdin?: string;
}

/** Begins the command; the caller waits for its end, or kills it. */
export function spawnLoop(args: readonly string[], { home, environment, stdin = '' }: LoopOptions): ChildProcess {
  const { LOOP_API_URL: _url, LOOP_API_KEY: _key, ...inherited } = process.env;
  const env = {
    ...inherited,
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_STATE_HOME: join(home, 'state'),
    ...environment,
  };
  const child = spawn(process.execPath, [entry, ...args], { cwd: home, env, stdio: 'pipe' });
  // A command that is killed does not read its input.
  child.stdin.on('error', () => {});
  child.stdin.end(stdin);
  return child;
}

/** Runs the command to its end. */
export async function runLoop(args: readonly string[], options: LoopOptions): Promise<LoopRun> {
  const child = spawnLoop(args, options);
  const ended = once(child, 'exit');
  const [stdout, stderr] = await Promise.all([text(child.stdout!), text(child.stderr!)]);
  const [code] = (await ended) as [number | null];
  return { code, stdout, stderr };
}
