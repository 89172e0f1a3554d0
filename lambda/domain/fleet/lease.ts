// When an agent that cannot renew its lease has to stop sending: before another agent may take over its replicas.

/**
 * An agent renews its lease every second. One that has not for this long is declared dead, and its replicas are free.
 */
export const leaseMs = 5000;
/**
 * An agent decides this long before the end of its lease, so that it sends nothing any more when the lease ends: its
 * connections take up to half a second to close, and the answers of its peers are up to half a second old.
 */
export const stopAheadMs = 1500;

/**
 * What another agent says: for how many milliseconds it has renewed its own
 * lease so far; null where it cannot renew it.
 */
export type PeerAnswer = { readonly renewingForMs: number | null } | 'no answer';

/**
 * Whether an agent has to stop sending. An agent is declared dead only while another one has renewed for at least a
 * whole lease. So where no peer can renew, the database is away, nobody takes over, and this agent goes on sending.
 * Where a peer can renew, or none can be reached, it is this agent that is cut off.
 * @param leaseLeftMs what is left of this agent's lease; below zero when it is over
 * @param answers of the peers, one each. Without peers an agent does not stop, as nobody is there to take over: one
 *   that begins later introduces itself (`agent/peers.ts`).
 */
export function mustStop(leaseLeftMs: number, answers: readonly PeerAnswer[]): boolean {
  if (leaseLeftMs > stopAheadMs || answers.length === 0) return false;
  const told = answers.filter((answer) => answer !== 'no answer');
  return (
    told.length === 0 ||
    told.some(({ renewingForMs }) => renewingForMs !== null && renewingForMs > leaseMs - stopAheadMs)
  );
}
