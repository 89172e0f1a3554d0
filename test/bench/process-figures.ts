// The processor time and memory of local processes, as Linux reports them.
import { readdir, readFile } from 'node:fs/promises';

/** The processor time of all threads of a process; 0 for one that has ended. */
export async function cpuNanoseconds(pid: number): Promise<number> {
  const tasks = await readdir(`/proc/${pid}/task`).catch(() => []);
  const timeOf = async (task: string) => {
    const fields = await readFile(`/proc/${pid}/task/${task}/schedstat`, 'utf8').catch(() => '0');
    return Number(fields.split(' ')[0]);
  };
  const times = await Promise.all(tasks.map(timeOf));
  return times.reduce((sum, time) => sum + time, 0);
}

/** The share of a process in the memory of this machine (proc_pid_smaps). */
export async function pssMiB(pid: number): Promise<number> {
  const memory = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Pss:\s+(\d+)/m.exec(memory)![1]) / 1024;
}
