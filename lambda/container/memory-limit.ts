// Limits the memory of a child process that reads untrusted files, and makes the kernel kill it before this process.

/**
 * RLIMIT_DATA counts private writable memory: heap, stacks of threads, buffers. Unlike RLIMIT_AS it excludes reserved
 * memory: allocators and drivers reserve many times what they use. If memory still runs out, the kernel kills the
 * process with the highest score first; the default score is 0.
 */
const script = '{ echo "$1" >/proc/self/oom_score_adj; ulimit -d "$0"; } 2>/dev/null; shift; exec "$@"';

export interface MemoryLimit {
  /** Null: no limit. */
  readonly mebibytes: number | null;
  /** OOM score, from 0 to 1000: the highest is killed first. */
  readonly endedFirst: number;
}

/** The command line to put before a program and its arguments, on Linux. */
export function memoryLimitCommand({ mebibytes, endedFirst }: MemoryLimit): readonly string[] {
  const kibibytes = mebibytes === null ? 'unlimited' : String(mebibytes * 1024);
  return ['/bin/sh', '-c', script, kibibytes, String(endedFirst)];
}
