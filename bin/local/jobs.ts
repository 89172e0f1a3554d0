// The jobs that AWS runs as functions: the minute sweep, and what timers wake up.
import { sweep } from '../../lambda/jobs/sweep.ts';
import type { SweepParts } from '../../lambda/jobs/sweep.ts';
import { createTimersHandler } from '../../lambda/jobs/timers.ts';
import type { Log } from '../../lambda/log.ts';

const sweepEveryMs = 60_000;

/** Runs until it is disposed of, which waits for what is under way. */
export function startJobs(parts: SweepParts, log: Log): AsyncDisposable {
  const ending = new AbortController();
  const { signal } = ending;
  const sweeping = setInterval(() => {
    void sweep(parts).catch((error: unknown) => log('sweep_failed', { error }));
  }, sweepEveryMs);
  const consuming = parts.queue.consume('timers', createTimersHandler(parts), { signal });
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(sweeping);
      ending.abort();
      await consuming;
    },
  };
}
