// Retries the failing outputs of a stream at once, before their next scheduled attempt.
import type { Database } from '../../data/database.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { bounds } from '../../domain/shared/bounds.ts';
import { reconcileOutputs } from '../destinations/reconcile-outputs.ts';
import type { Locked } from '../../data/shared/locked.ts';

/**
 * Restarts failing replicas of a running stream, within two renewals of the agents that hold them, and outputs that
 * were given up. Live replicas do not change.
 * @returns null; or the seconds until the next retry is allowed: then the caller undoes the transaction. A call that
 *   finds nothing to retry does not count
 */
export async function retryReplicas(data: Database, stream: Locked<Stream>, now: Date): Promise<number | null> {
  const retried = (await data.replicas.reclaimFailing(stream.id)) + (await data.replicas.forgetAllGivenUp(stream.id));
  if (retried > 0) {
    const window = await data.requestWindows.count(stream.id, 'stream_retry', 1, bounds.secondsBetweenRetries);
    if (window.requests > 1) return window.reset_seconds;
  }
  await reconcileOutputs(data, stream, now);
  return null;
}
