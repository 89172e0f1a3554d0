// Lifecycle of a stream: its states, and one table of all transitions.

export const streamStates = [
  'draft',
  'invalid',
  'scheduled',
  'preparing',
  'activating',
  'active',
  'failing',
  'failed',
  'stopping',
  'stopped',
] as const;
export type StreamState = (typeof streamStates)[number];

/** The status of a stream is its user's wish; its state is observed. */
export const streamStatuses = ['ACTIVE', 'INACTIVE'] as const;
export type StreamStatus = (typeof streamStatuses)[number];

/** The states of a stream from its start until its last replica has ended. */
export const liveStates: readonly StreamState[] = ['preparing', 'activating', 'active', 'failing', 'stopping'];
const idleStates: readonly StreamState[] = ['draft', 'stopped', 'failed'];

interface Transition {
  readonly from: readonly StreamState[];
  readonly to: StreamState;
}

/** Every move of a stream, by its cause. A cause whose row lacks the stream's state moves nothing. */
export const transitions = {
  start: { from: ['draft', 'invalid', 'stopped', 'failed', 'scheduled'], to: 'activating' },
  schedule_start: { from: ['scheduled'], to: 'activating' },
  schedule_start_refused: { from: ['scheduled'], to: 'failed' },
  schedule_missed: { from: ['scheduled'], to: 'failed' },
  preparation_needed: { from: ['activating'], to: 'preparing' },
  preparation_done: { from: ['preparing'], to: 'activating' },
  preparation_failed: { from: ['preparing'], to: 'failed' },
  media_accepted: { from: ['activating', 'failing'], to: 'active' },
  no_evidence: { from: ['activating'], to: 'failing' },
  media_interrupted: { from: ['active'], to: 'failing' },
  hopeless: { from: ['failing'], to: 'failed' },
  stop: { from: ['preparing', 'activating', 'active', 'failing'], to: 'stopping' },
  schedule_end: { from: ['preparing', 'activating', 'active', 'failing'], to: 'stopping' },
  duration_over: { from: ['preparing', 'activating', 'active', 'failing'], to: 'stopping' },
  credits_used_up: { from: ['preparing', 'activating', 'active', 'failing'], to: 'stopping' },
  account_at_rest: { from: ['preparing', 'activating', 'active', 'failing'], to: 'stopping' },
  content_blocked: { from: ['preparing', 'activating', 'active', 'failing'], to: 'stopping' },
  replicas_ended: { from: ['stopping'], to: 'stopped' },
  next_occurrence: { from: ['stopping', 'failed'], to: 'scheduled' },
  part_missing: { from: idleStates, to: 'invalid' },
  parts_complete: { from: ['invalid'], to: 'draft' },
  schedule: { from: idleStates, to: 'scheduled' },
  cancel_schedule: { from: ['scheduled'], to: 'draft' },
} as const satisfies Record<string, Transition>;

/** Cause of a move, as the history keeps it. */
export type TransitionCause = keyof typeof transitions;

/** The state that `cause` leads to; null if the table has no such move from `state`. */
export function nextState(state: StreamState, cause: TransitionCause): StreamState | null {
  const transition: Transition = transitions[cause];
  return transition.from.includes(state) ? transition.to : null;
}

/** True from the start until the last replica has ended. */
export function isLive(state: StreamState): boolean {
  return liveStates.includes(state);
}
