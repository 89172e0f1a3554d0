// A transition of a stream in answers.
import * as z from 'zod';
import type { StreamTransition } from '../../data/streams/stream-moves.ts';
import { streamStates, transitions } from '../../domain/streams/stream-lifecycle.ts';
import type { TransitionCause } from '../../domain/streams/stream-lifecycle.ts';
import { timestamp } from '../fields.ts';

export const transition = z
  .object({
    id: z.string(),
    from: z.enum(streamStates),
    to: z.enum(streamStates),
    cause: z.enum(Object.keys(transitions) as [TransitionCause, ...TransitionCause[]]),
    at: timestamp,
  })
  .meta({ id: 'StreamTransition' });

export function presentTransition(row: StreamTransition): z.input<typeof transition> {
  return { id: String(row.id), from: row.from_state, to: row.to_state, cause: row.cause, at: row.at };
}
