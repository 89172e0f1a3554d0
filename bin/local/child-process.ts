// Starts child processes that never outlive this one, with their output handed over line by line.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { deathSignalCommand, hasDeathSignal } from '../../lambda/publisher/death-signal.ts';

export interface ChildProgram {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment of the child: nothing is inherited. */
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Another user to run as. Only root can. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** Lets a child of root that runs as another `user` still pass folders closed to that user (CAP_DAC_OVERRIDE, nothing else). */
  readonly passesClosedFolders?: boolean;
  /** Opens Node's message channel on `process`. */
  readonly ipc?: boolean;
  /** What the child gets when this process dies, however it dies. */
  readonly deathSignal?: NodeJS.Signals;
  /** Gets stdout and stderr by line. Without it they go to this process's own. */
  readonly log?: (line: string) => void;
}

/** How a child ended. A command that could not be started has code 127, as in a shell. */
export interface ChildExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface RunningChild {
  readonly process: ChildProcess;
  /** Resolves when the child, and what it left in its process group, is gone and its output is read. Never rejects. */
  readonly exited: Promise<ChildExit>;
  /** Sends `signal`, and SIGKILL `graceMs` later if that did not end it. */
  stop(signal: NodeJS.Signals, graceMs: number): Promise<ChildExit>;
}

/**
 * Starts a program in a session of its own, so that Ctrl-C in the terminal reaches only this process, which then decides the order of the end.
 *
 * If this process dies without stopping it (SIGKILL included), the child gets `deathSignal`: from the kernel through `setpriv --pdeathsig` of
 * util-linux 2.33 (which counts threads, see there), elsewhere from a shell that waits for the end of a pipe only this process holds.
 */
export function startChild(program: ChildProgram): RunningChild {
  const { user, deathSignal = 'SIGKILL', log } = program;
  const output = log ? 'pipe' : 'inherit';
  const options = {
    env: program.env,
    cwd: program.cwd,
    detached: true,
    stdio: ['ignore', output, output, ...(program.ipc ? ['ipc' as const] : [])] satisfies (
      | 'ignore'
      | 'pipe'
      | 'inherit'
      | 'ipc'
    )[],
  };
  if (program.passesClosedFolders && !hasDeathSignal()) {
    throw new Error(
      'setpriv of util-linux 2.33 or newer is needed to run a program as another user in folders closed to that user',
    );
  }
  const [setpriv, ...setprivArguments] = deathSignalCommand(deathSignal, privileges(program));
  const child = hasDeathSignal()
    ? spawn(setpriv, [...setprivArguments, program.command, ...program.args], options)
    : spawn(program.command, program.args, { ...options, uid: user?.uid, gid: user?.gid });
  if (!hasDeathSignal() && child.pid !== undefined) guard(child, child.pid, deathSignal);

  for (const stream of [child.stdout, child.stderr]) {
    if (stream && log) createInterface({ input: stream, crlfDelay: Infinity }).on('line', log);
  }
  const { promise: exited, resolve } = Promise.withResolvers<ChildExit>();
  child.once('error', (error) => {
    if (child.pid !== undefined) return;
    log?.(`${program.command}: ${error.message}`);
    resolve({ code: 127, signal: null });
  });
  // Whoever the child left in its group would hold its output open.
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

/** Options of setpriv. */
function privileges({ user, passesClosedFolders }: ChildProgram): string[] {
  if (!user) return [];
  // With this secure bit access(2), by which initdb looks for postgres, counts the capability too.
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

/** The death signal where setpriv is missing: `read` ends with a failure only when this process is gone, as a line is sent at the child's end. */
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
    // The usual case: nobody is left.
  }
}
