// The jobs that AWS runs as functions: sweep, books, timers, webhooks, mails, managed platforms.
// They also include a task that the object store of AWS does itself: deleting expired objects and parts.
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
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Enough for users whose receivers do not answer, each with all senders that one may have: further commands end. */
const webhookCommands = 8 * sendersOfUser;
const webhookLanes: Lanes = { count: webhookCommands, ofUser: webhookCommands, ofUnfunded: webhookCommands };
/** Limits the lanes of a user, so that a slow platform delays no other connection. */
const platformLanes: Lanes = { count: 3, ofUser: 2, ofUnfunded: 2 };

export type JobOptions = SweepOptions &
  Omit<WebhookOptions, 'signal'> &
  Omit<MirrorOptions, 'signal'> & { readonly objects: FileObjectStore };

/** Runs the jobs until they are disposed of. The disposal waits for the work that has begun. */
export function startJobs(options: JobOptions, log: Log): AsyncDisposable {
  const ending = new AbortController();
  const { signal } = ending;
  let turn = 0;
  const sweeping = setInterval(() => {
    turn++;
    void sweep({ ...options, turn }).catch((error: unknown) => log('sweep_failed', { error }));
  }, sweepEveryMs);
  // The daily jobs also run at each start, because a machine may never run for a whole day.
  let daily = doDaily();
  const eachDay = setInterval(() => {
    daily = doDaily();
  }, dayMs);
  let discarding = discardExpired();
  const eachHour = setInterval(() => {
    discarding = discardExpired();
  }, hourMs);
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
      clearInterval(eachHour);
      ending.abort();
      await Promise.all([...consuming, daily, discarding]);
    },
  };

  async function doDaily(): Promise<void> {
    await reconcile(options.pool, log).catch((error: unknown) => log('reconciliation_failed', { error }));
  }

  /** Contributors write gigabytes an hour, so a day more would need much room. */
  async function discardExpired(): Promise<void> {
    await options.objects.discardExpired().catch((error: unknown) => log('expired_objects_not_discarded', { error }));
  }
}
