// The processes of this machine, as Linux shows them: their descendants, and whether they have ended.
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';

export interface ProcessIdentity {
  readonly pid: number;
  /** Start time of the process: it distinguishes the process from a later one with the same pid. */
  readonly startTicks: string;
  readonly name: string;
}

/** All living descendants of a process. */
export async function descendantsOf(pid: number): Promise<ProcessIdentity[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const all = (await Promise.all(pids.map(readStat))).filter((stat) => stat !== null);
  const found: ProcessIdentity[] = [];
  const parents = new Set([pid]);
  for (let before = -1; before !== found.length;) {
    before = found.length;
    for (const stat of all) {
      if (!parents.has(stat.parent) || parents.has(stat.pid)) continue;
      parents.add(stat.pid);
      found.push(stat);
    }
  }
  return found;
}

/** The descendants of a process that run Node: for a local run, its agents. */
export async function nodeProcessesOf(pid: number): Promise<ProcessIdentity[]> {
  return (await descendantsOf(pid)).filter(({ name }) => name === 'MainThread' || name === 'node');
}

/** Waits for the end of processes. @returns the names of those that still live after the time limit */
export async function survivorsOf(processes: readonly ProcessIdentity[], withinMs: number): Promise<string[]> {
  for (let waitedMs = 0; ; waitedMs += 20) {
    const stats = await Promise.all(processes.map(({ pid }) => readStat(pid)));
    const isAlive = (process: ProcessIdentity, index: number) => stats[index]?.startTicks === process.startTicks;
    const alive = processes.filter(isAlive).map(({ name }) => name);
    if (alive.length === 0 || waitedMs >= withinMs) return alive;
    await setTimeout(20);
  }
}

/** Null for a process that is gone, or that is dead and whose parent has not noticed it yet. */
async function readStat(pid: number): Promise<(ProcessIdentity & { parent: number }) | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  const match = text === null ? null : /^\d+ \((.*)\) (\S) (\d+)/s.exec(text);
  if (!text || !match || match[2] === 'Z' || match[2] === 'X') return null;
  // Field 22 of proc(5). The name, which may have spaces, is field 2.
  const startTicks = text.slice(text.lastIndexOf(')') + 2).split(' ')[19]!;
  return { pid, startTicks, name: match[1]!, parent: Number(match[3]) };
}
