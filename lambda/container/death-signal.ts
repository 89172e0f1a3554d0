// Makes the kernel kill a child when this process ends, even by SIGKILL.
import { spawnSync } from 'node:child_process';

/**
 * The kernel sends no signal if the parent has ended before the child asked for one. So the child checks that its
 * parent is still alive before it executes the program.
 */
const unlessOrphaned = '[ "$PPID" = "$0" ] || exit; exec "$@"';

let works: boolean | undefined;

/** Whether this machine has `setpriv --pdeathsig=SIGNAL -- COMMAND`, of util-linux 2.33 or newer. */
export function hasDeathSignal(): boolean {
  works ??= spawnSync('setpriv', ['--pdeathsig=KILL', '--', 'true'], { stdio: 'ignore' }).status === 0;
  return works;
}

/**
 * The command line to put before a program and its arguments. Requires `hasDeathSignal()`. For the kernel the parent is
 * the thread that starts the child: use the main thread, or one that lives as long as the child should.
 * @param signal the signal for the child when this process dies
 * @param privileges options of setpriv that change the child's user. If spawn changed the user instead, that would
 * clear the death signal
 */
export function deathSignalCommand(
  signal: NodeJS.Signals,
  privileges: readonly string[] = [],
): readonly [command: string, ...args: string[]] {
  return [
    'setpriv',
    `--pdeathsig=${signal.slice('SIG'.length)}`,
    ...privileges,
    '--',
    '/bin/sh',
    '-c',
    unlessOrphaned,
    String(process.pid),
  ];
}
