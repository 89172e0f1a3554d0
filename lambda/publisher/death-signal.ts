// Has the kernel end a child together with this process, whatever ends it: SIGKILL too.
import { spawnSync } from 'node:child_process';

/** The kernel knows no parent that was gone before it was asked, so the child looks once more before it becomes the program. */
const unlessOrphaned = '[ "$PPID" = "$0" ] || exit; exec "$@"';

let works: boolean | undefined;

/** True where `setpriv --pdeathsig=SIGNAL -- COMMAND` of util-linux 2.33 or newer is there. */
export function hasDeathSignal(): boolean {
  works ??= spawnSync('setpriv', ['--pdeathsig=KILL', '--', 'true'], { stdio: 'ignore' }).status === 0;
  return works;
}

/**
 * The words to put before a program and its arguments. Needs `hasDeathSignal()`.
 * The kernel's rule counts threads: start the child on the main thread or on one that lives as long as the child should.
 * @param signal what the child gets when this process dies
 * @param privileges options of setpriv by which the child gets another user: changed by spawn instead, the change would clear the death signal
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
