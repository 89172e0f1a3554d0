// The jobs that AWS runs as functions: the minute sweep, the daily proof of the books, what timers wake up, and what webhooks and users are told.
import { reconcile } from '../../lambda/jobs/reconcile.ts';
import { sweep } from '../../lambda/jobs/sweep.ts';
import type { SweepParts } from '../../lambda/jobs/sweep.ts';
import { createTimersHandler } from '../../lambda/jobs/timers.ts';
import type { Log } from '../../lambda/log.ts';
import { createWebhooksHandler } from '../../lambda/webhooks/webhooks.ts';
import type { WebhookParts } from '../../lambda/webhooks/webhooks.ts';

const sweepEveryMs = 60_000;
const reconcileEveryMs = 24 * 3_600_000;

/** Runs until it is disposed of, which waits for what is under way. */
export function startJobs(parts: SweepParts & Omit<WebhookParts, 'signal'>, log: Log): AsyncDisposable {
  const ending = new AbortController();
  const { signal } = ending;
  const sweeping = setInterval(() => {
    void sweep(parts).catch((error: unknown) => log('sweep_failed', { error }));
  }, sweepEveryMs);
  // A machine that is not on all day proves them at each start too.
  let proving = proveBooks();
  const reconciling = setInterval(() => {
    proving = proveBooks();
  }, reconcileEveryMs);
  const consuming = [
    parts.queue.consume('timers', createTimersHandler(parts), { signal }),
    parts.queue.consume('webhooks', createWebhooksHandler({ ...parts, signal }), { signal }),
  ];
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(sweeping);
      clearInterval(reconciling);
      ending.abort();
      await Promise.all([...consuming, proving]);
    },
  };

  function proveBooks(): Promise<void> {
    return reconcile(parts.pool, log).catch((error: unknown) => log('reconciliation_failed', { error }));
  }
}
