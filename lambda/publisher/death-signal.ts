// Whether the kernel can be asked to end a child with its parent, whatever ends the parent.
import { spawnSync } from 'node:child_process';

let works: boolean | undefined;

/** True where `setpriv --pdeathsig=SIGNAL -- COMMAND` of util-linux 2.33 or newer is there. */
export function hasDeathSignal(): boolean {
  works ??= spawnSync('setpriv', ['--pdeathsig=KILL', '--', 'true'], { stdio: 'ignore' }).status === 0;
  return works;
}
