// Retries the failing outputs of a stream at once, before their next scheduled attempt.
import type { Database } from '../../data/database.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { reconcileOutputs } from '../destinations/reconcile-outputs.ts';
import type { Locked } from '../../data/shared/locked.ts';

/**
 * Restarts failing replicas of a running stream, within two renewals of the agents that hold them, and outputs that
 * were given up. Live replicas do not change.
 */
export async function retryReplicas(data: Database, stream: Locked<Stream>, now: Date): Promise<void> {
  await data.replicas.reclaimFailing(stream.id);
  await data.replicas.forgetAllGivenUp(stream.id);
  await reconcileOutputs(data, stream, now);
}
