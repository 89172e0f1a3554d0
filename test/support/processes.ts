// Looks at the processes of this machine: who descends from whom, and whether they are gone. Linux only.
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';

export interface ProcessIdentity {
  readonly pid: number;
  /** Tells it from a later process with the same pid. */
  readonly startTicks: string;
  readonly name: string;
}

/** All living descendants of a process. */
export async function descendantsOf(pid: number): Promise<ProcessIdentity[]> {
  const all = (
    await Promise.all(
      (await readdir('/proc'))
        .filter((name) => /^\d+$/.test(name))
        .map(Number)
        .map(readStat),
    )
  ).filter((stat) => stat !== null);
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

/** Resolves with the names of those that still live when the time is over; with none as soon as all are gone. */
export async function survivorsOf(processes: readonly ProcessIdentity[], withinMs: number): Promise<string[]> {
  for (let waitedMs = 0; ; waitedMs += 20) {
    const stats = await Promise.all(processes.map(async (process) => ({ process, now: await readStat(process.pid) })));
    const alive = stats
      .filter(({ process, now }) => now?.startTicks === process.startTicks)
      .map(({ process }) => process.name);
    if (alive.length === 0 || waitedMs >= withinMs) return alive;
    await setTimeout(20);
  }
}

/** Null for a process that is gone, or dead and only waits to be noticed. */
async function readStat(pid: number): Promise<(ProcessIdentity & { parent: number }) | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  const match = text === null ? null : /^\d+ \((.*)\) (\S) (\d+)/s.exec(text);
  if (!text || !match || match[2] === 'Z' || match[2] === 'X') return null;
  // Field 22 of proc(5); the name, which may hold spaces, is field 2.
  const startTicks = text.slice(text.lastIndexOf(')') + 2).split(' ')[19]!;
  return { pid, startTicks, name: match[1]!, parent: Number(match[3]) };
}
