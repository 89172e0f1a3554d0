// The jobs that AWS runs as functions: sweep, books, timers, webhooks, mails, managed platforms.
// They also include a task that the object store of AWS does itself: removing old parts.
import type { Lanes } from '../../lambda/domain/fleet/lanes.ts';
import { reconcile } from '../../lambda/jobs/reconcile.ts';
import { sweep } from '../../lambda/jobs/sweep.ts';
import type { SweepOptions } from '../../lambda/jobs/sweep.ts';
import { createTimersHandler } from '../../lambda/jobs/timers.ts';
import type { Log } from '../../lambda/log.ts';
import type { MirrorOptions } from '../../lambda/platforms/mirror-options.ts';
import { createPlatformsHandler } from '../../lambda/platforms/platforms.ts';
import type { FileObjectStore } from '../../lambda/ports/object-store/file-object-store.ts';
import { sendersOfUser } from '../../lambda/webhooks/deliver.ts';
import { createWebhooksHandler } from '../../lambda/webhooks/webhooks.ts';
import type { WebhookOptions } from '../../lambda/webhooks/webhooks.ts';

const sweepEveryMs = 60_000;
const dayMs = 24 * 3_600_000;
/** Enough for users whose receivers do not answer, each with all senders that one may have: further commands end. */
const webhookCommands = 8 * sendersOfUser;
const webhookLanes: Lanes = { count: webhookCommands, ofUser: webhookCommands };
/** Limits the lanes of a user, so that a slow platform delays no other connection. */
const platformLanes: Lanes = { count: 3, ofUser: 2 };

export type JobOptions = SweepOptions &
  Omit<WebhookOptions, 'signal'> &
  Omit<MirrorOptions, 'signal'> & { readonly objects: FileObjectStore };

/** Runs the jobs until they are disposed of. The disposal waits for the work that has begun. */
export function startJobs(options: JobOptions, log: Log): AsyncDisposable {
  const ending = new AbortController();
  const { signal } = ending;
  const sweeping = setInterval(() => {
    void sweep(options).catch((error: unknown) => log('sweep_failed', { error }));
  }, sweepEveryMs);
  // The daily jobs also run at each start, because a machine may never run for a whole day.
  let daily = doDaily();
  const eachDay = setInterval(() => {
    daily = doDaily();
  }, dayMs);
  const handleWebhooks = createWebhooksHandler({ ...options, signal });
  const handlePlatforms = createPlatformsHandler({ ...options, signal });
  const consuming = [
    options.queue.consume('timers', createTimersHandler({ ...options, signal }), { signal }),
    options.queue.consume('webhooks', handleWebhooks, { signal, lanes: webhookLanes }),
    options.queue.consume('platforms', handlePlatforms, { signal, lanes: platformLanes }),
  ];
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(sweeping);
      clearInterval(eachDay);
      ending.abort();
      await Promise.all([...consuming, daily]);
    },
  };

  async function doDaily(): Promise<void> {
    await Promise.all([
      reconcile(options.pool, log).catch((error: unknown) => log('reconciliation_failed', { error })),
      options.objects.discardOldParts().catch((error: unknown) => log('old_parts_not_discarded', { error })),
    ]);
  }
}
