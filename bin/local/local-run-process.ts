// Whether a process is a local run: its data folder and `loop` keep only its id.
import { readFile } from 'node:fs/promises';

/** Whether the process is a local run. The process id of a dead run may now belong to another program. */
export async function isLocalRun(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).includes('local.ts');
  } catch {
    return false;
  }
}
