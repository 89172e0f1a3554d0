// The lifecycle of a stream: one table of transitions, and the questions that are asked of it.

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

/** `status` is what the user wishes; `state` is what is observed. */
export const streamStatuses = ['ACTIVE', 'INACTIVE'] as const;
export type StreamStatus = (typeof streamStatuses)[number];

/** Between a start and the end of its last replica. */
export const liveStates: readonly StreamState[] = ['preparing', 'activating', 'active', 'failing', 'stopping'];
const idleStates: readonly StreamState[] = ['draft', 'stopped', 'failed'];

interface Transition {
  readonly from: readonly StreamState[];
  readonly to: StreamState;
}

/** Every move a stream can make, by what causes it. A cause in a state that its row does not name moves nothing. */
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
  replicas_ended: { from: ['stopping'], to: 'stopped' },
  next_occurrence: { from: ['stopping'], to: 'scheduled' },
  part_missing: { from: idleStates, to: 'invalid' },
  parts_complete: { from: ['invalid'], to: 'draft' },
  schedule: { from: idleStates, to: 'scheduled' },
  cancel_schedule: { from: ['scheduled'], to: 'draft' },
} as const satisfies Record<string, Transition>;

/** What moved a stream; kept in its history. */
export type TransitionCause = keyof typeof transitions;

/** The state that `cause` leads to, or null where the table has no such move from `state`. */
export function nextState(state: StreamState, cause: TransitionCause): StreamState | null {
  const transition: Transition = transitions[cause];
  return transition.from.includes(state) ? transition.to : null;
}

/** True from start until the last replica has ended. */
export function isLive(state: StreamState): boolean {
  return liveStates.includes(state);
}
