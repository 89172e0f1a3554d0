// Bounds the memory of a child that reads the files of strangers, and has the kernel end it before this process.

/**
 * RLIMIT_DATA counts what a process may write to and shares with nobody: its heap, its threads' stacks and buffers.
 * Unlike RLIMIT_AS it leaves out what is only reserved, of which allocators and drivers take many times as much. When
 * memory is short all the same, the kernel ends the process with the highest score first, and 0 is everybody's.
 */
const script = '{ echo "$1" >/proc/self/oom_score_adj; ulimit -d "$0"; } 2>/dev/null; shift; exec "$@"';

export interface MemoryLimit {
  /** Null for a child whose memory is not bounded. */
  readonly mebibytes: number | null;
  /** From 0 to 1000. */
  readonly endedFirst: number;
}

/** The words to put before a program and its arguments, on Linux. */
export function memoryLimitCommand({ mebibytes, endedFirst }: MemoryLimit): readonly string[] {
  const kibibytes = mebibytes === null ? 'unlimited' : String(mebibytes * 1024);
  return ['/bin/sh', '-c', script, kibibytes, String(endedFirst)];
}
