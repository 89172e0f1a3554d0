// A replica of a stream's first output in answers.
import * as z from 'zod';
import type { Replica } from '../../data/fleet/replicas.ts';
import { failure, timestamp } from '../fields.ts';
import { replicaStates } from '../../domain/fleet/replica-words.ts';

export const replica = z
  .object({
    role: z.enum(['primary', 'backup']),
    state: z.enum(replicaStates),
    since: timestamp,
    reason: failure.nullable().describe('Reason of the state. While live: a warning about a problem that may end it.'),
  })
  .meta({ id: 'Replica' });

/** Presents a replica. A waiting or connecting replica has no current reason: its row still holds the previous one. */
export function presentReplica({ role, state, since, reason }: Replica): z.input<typeof replica> {
  return { role, state, since, reason: state === 'live' || state === 'failing' ? reason : null };
}

/** Whether a replica belongs to the first output and has not ended. */
export function isOfFirstOutput({ state, output_id: outputID }: Replica): boolean {
  return state !== 'ended' && outputID === null;
}
