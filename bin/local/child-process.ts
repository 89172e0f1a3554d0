// Starts child processes that never outlive this one, and passes on their output line by line.
import { spawn } from 'node:child_process';
import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { createInterface } from 'node:readline';
import { deathSignalCommand, hasDeathSignal } from '../../lambda/container/death-signal.ts';

export interface ChildProgram {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment of the child: nothing is inherited. */
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Another user to run the child as. Only root can do that. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /**
   * Lets a child of root that runs as another `user` enter folders that are closed to that user. The child has the
   * capability CAP_DAC_OVERRIDE and no other.
   */
  readonly passesClosedFolders?: boolean;
  /** Opens Node's message channel between this process and the child. */
  readonly ipc?: boolean;
  /** The signal that the child gets when this process dies, for any reason. @default SIGKILL */
  readonly deathSignal?: NodeJS.Signals;
  /** Receives stdout and stderr of the child by line. Without it, the child writes to those of this process. */
  readonly log?: (line: string) => void;
}

/** The exit of a child. A command that could not be started has code 127, as in a shell. */
export interface ChildExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface RunningChild {
  readonly process: ChildProcess;
  /**
   * Resolves when the child and all other processes of its process group are gone, and its output has been read.
   * Never rejects.
   */
  readonly exited: Promise<ChildExit>;
  /** Sends `signal`, and SIGKILL if the child has not ended `graceMs` later. */
  stop(signal: NodeJS.Signals, graceMs: number): Promise<ChildExit>;
}

/**
 * Starts a program in its own session: Ctrl-C in the terminal then reaches only this process, which stops its children
 * in the order that it chooses.
 *
 * If this process dies without stopping the child, even by SIGKILL, the child gets `deathSignal`. If `setpriv` of
 * util-linux 2.33 exists, the kernel sends the signal (the rules are in lambda/container/death-signal.ts). Otherwise a
 * shell sends it at the end of a pipe that only this process holds open.
 * @throws if `passesClosedFolders` is requested and there is no such `setpriv`
 */
export function startChild(program: ChildProgram): RunningChild {
  const { log } = program;
  const child = hasDeathSignal() ? spawnWithDeathSignal(program) : spawnWithGuardian(program);
  for (const stream of [child.stdout, child.stderr]) {
    if (stream && log) createInterface({ input: stream, crlfDelay: Infinity }).on('line', log);
  }
  const { promise: exited, resolve } = Promise.withResolvers<ChildExit>();
  child.once('error', (error) => {
    if (child.pid !== undefined) return;
    log?.(`${program.command}: ${error.message}`);
    resolve({ code: 127, signal: null });
  });
  // A remaining process of the child's group would hold the output open, and 'close' would not be emitted.
  child.once('exit', () => killGroup(child.pid));
  child.once('close', (code, signal) => resolve({ code, signal }));

  return {
    process: child,
    exited,
    async stop(signal, graceMs) {
      child.kill(signal);
      const killTimer = setTimeout(() => child.kill('SIGKILL'), graceMs);
      try {
        return await exited;
      } finally {
        clearTimeout(killTimer);
      }
    },
  };
}

/** The kernel sends the signal: `setpriv` requests it, then becomes the program. */
function spawnWithDeathSignal(program: ChildProgram): ChildProcess {
  const [setpriv, ...args] = deathSignalCommand(deathSignalOf(program), privileges(program));
  return spawn(setpriv, [...args, program.command, ...program.args], spawnOptions(program));
}

/** A shell sends the signal. */
function spawnWithGuardian(program: ChildProgram): ChildProcess {
  const { command, args, user, passesClosedFolders } = program;
  if (passesClosedFolders) {
    throw new Error(
      'To run a program as another user in folders closed to that user, setpriv of util-linux 2.33 or newer is needed',
    );
  }
  const child = spawn(command, args, { ...spawnOptions(program), uid: user?.uid, gid: user?.gid });
  if (child.pid !== undefined) guard(child, child.pid, deathSignalOf(program));
  return child;
}

function deathSignalOf({ deathSignal = 'SIGKILL' }: ChildProgram): NodeJS.Signals {
  return deathSignal;
}

function spawnOptions({ env, cwd, ipc, log }: ChildProgram): SpawnOptions {
  const output = log ? 'pipe' : 'inherit';
  return { env, cwd, detached: true, stdio: ['ignore', output, output, ...(ipc ? ['ipc' as const] : [])] };
}

/** Options of setpriv: the user and the capabilities of the program. */
function privileges({ user, passesClosedFolders }: ChildProgram): string[] {
  if (!user) return [];
  // initdb looks for postgres with access(2), which counts the capability only with this secure bit.
  const closedFolders = [
    '--inh-caps=-all,+dac_override',
    '--ambient-caps=-all,+dac_override',
    '--securebits=+no_setuid_fixup',
  ];
  return [
    `--reuid=${user.uid}`,
    `--regid=${user.gid}`,
    '--clear-groups',
    ...(passesClosedFolders ? closedFolders : []),
  ];
}

/**
 * Sends the death signal if setpriv is missing. The shell waits in `read`, which fails when this process is gone and
 * the pipe ends. If the child ends first, it receives a line, so that `read` succeeds and the shell ends without a
 * signal.
 */
function guard(child: ChildProcess, pid: number, deathSignal: NodeJS.Signals): void {
  const script = 'read -r line || kill -s "$1" -- "-$2"';
  const guardian = spawn('/bin/sh', ['-c', script, 'guardian', deathSignal.slice('SIG'.length), String(pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guardian.unref();
  child.once('exit', () => guardian.stdin.end('\n'));
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // In most cases no process is left in the group.
  }
}
