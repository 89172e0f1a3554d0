// The processor time that a Postgres server uses, measured from outside, and that of a piece of work here.
import { readFile, readdir } from 'node:fs/promises';
import type { Pool } from 'pg';

/** @returns a function for the processor seconds that the server and its connections have used */
export async function processorTime(pool: Pool): Promise<() => Promise<number>> {
  const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
  const statOf = async (pid: number | string) =>
    (await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')).replace(/^.*\) /, '').split(' ');
  const server = (await statOf(rows[0]!.pid))[1]!;
  const ticks = (fields: readonly string[], from: number) => Number(fields[from] ?? 0) + Number(fields[from + 1] ?? 0);
  return async () => {
    const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    const stats = await Promise.all(processes.map(async (pid) => ({ pid, fields: await statOf(pid) })));
    const connections = stats.filter(({ fields }) => fields[1] === server);
    const servers = stats.filter(({ pid }) => pid === server);
    // Fields of proc(5): utime and stime at 11, and cutime and cstime at 13, those of ended children, in hundredths of
    // a second.
    const used = [...connections, ...servers].map(({ fields }) => ticks(fields, 11));
    const ended = servers.map(({ fields }) => ticks(fields, 13));
    return [...used, ...ended].reduce((sum, each) => sum + each, 0) / 100;
  };
}

/** Processor seconds of this process and its ended children for some work. */
export async function cpuSecondsOf(work: () => Promise<unknown>): Promise<number> {
  const before = await usedSeconds();
  await work();
  return (await usedSeconds()) - before;
}

async function usedSeconds(): Promise<number> {
  const stat = (await readFile('/proc/self/stat', 'utf8')).replace(/^.*\) /, '').split(' ');
  // proc(5): utime and stime, and cutime and cstime of ended children, in hundredths of a second.
  return stat.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
}
