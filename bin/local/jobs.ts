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
  const consuming = [
    parts.queue.consume('timers', createTimersHandler(parts), { signal }),
    // No agent here publishes prepared media yet: its wake-ups are for nobody, and the streams say `no_capacity`.
    parts.queue.consume('publish-manifest', async () => ({ batchItemFailures: [] }), { signal }),
  ];
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(sweeping);
      ending.abort();
      await Promise.all(consuming);
    },
  };
}
