// Rule for an agent that cannot renew its lease: it stops sending before another agent may take over its replicas.

/**
 * An agent renews its lease every second. An agent that has not for this long is declared dead, and its replicas are
 * free.
 */
export const leaseMs = 5000;
/**
 * Time before the end of its lease at which an agent decides, so that it sends nothing when the lease ends: its
 * connections need at most half a second to close, and its peers' answers are up to half a second old.
 */
export const stopAheadMs = 1500;
/** Connections that an agent has for renewals alone: the second is for a renewal while the one before it hangs. */
export const leaseConnections = 2;

/** Answer of a peer: milliseconds for which it has been renewing its own lease; null if it cannot renew it. */
export type PeerAnswer = { readonly renewingForMs: number | null } | 'no answer';

/**
 * Whether an agent has to stop sending. An agent is declared dead only while another one has renewed for at least a
 * whole lease. If no peer can renew, the database is away, no agent takes over, and this agent continues. If a peer can
 * renew, or no peer can be reached, this agent is cut off.
 * @param leaseLeftMs rest of this agent's lease; below zero after its end
 * @param answers one for each peer. Without peers an agent does not stop, as no agent could take over: an agent that
 *   starts later introduces itself (`agent/peers.ts`).
 */
export function mustStop(leaseLeftMs: number, answers: readonly PeerAnswer[]): boolean {
  if (leaseLeftMs > stopAheadMs || answers.length === 0) return false;
  const told = answers.filter((answer) => answer !== 'no answer');
  return (
    told.length === 0 ||
    told.some(({ renewingForMs }) => renewingForMs !== null && renewingForMs > leaseMs - stopAheadMs)
  );
}
