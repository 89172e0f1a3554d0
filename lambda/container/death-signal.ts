// Makes the kernel end a child together with this process, whatever ends this process, even SIGKILL.
import { spawnSync } from 'node:child_process';

/**
 * The kernel sends no signal for a parent that was gone before it was asked for one. So the child checks that its
 * parent is still there before it becomes the program.
 */
const unlessOrphaned = '[ "$PPID" = "$0" ] || exit; exec "$@"';

let works: boolean | undefined;

/** Whether this machine has `setpriv --pdeathsig=SIGNAL -- COMMAND`, of util-linux 2.33 or newer. */
export function hasDeathSignal(): boolean {
  works ??= spawnSync('setpriv', ['--pdeathsig=KILL', '--', 'true'], { stdio: 'ignore' }).status === 0;
  return works;
}

/**
 * The words to put before a program and its arguments; they need `hasDeathSignal()`. To the kernel the parent is the
 * thread that starts the child: use the main thread, or one that lives as long as the child should.
 * @param signal what the child gets when this process dies
 * @param privileges options of setpriv that give the child another user. If spawn changed the user instead, the change
 * would clear the death signal
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
