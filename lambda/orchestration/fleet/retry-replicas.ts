// Has what fails of a stream tried again at once, in place of when its holders would.
import type { Database } from '../../data/database.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { reconcileOutputs } from '../destinations/reconcile-outputs.ts';
import type { Locked } from '../../data/shared/locked.ts';

/**
 * Has the agents that hold failing replicas of a running stream begin them anew, with their next two renewals, and
 * begins what was given up. What is live is left alone.
 */
export async function retryReplicas(data: Database, stream: Locked<Stream>, now: Date): Promise<void> {
  await data.replicas.reclaimFailing(stream.id);
  await data.replicas.forgetAllGivenUp(stream.id);
  await reconcileOutputs(data, stream, now);
}
