// When an agent that cannot renew its lease has to stop: before anybody else may hold what it holds.

/** An agent that has not renewed for this long is dead, and what it held is free (design: renewals each second). */
export const leaseMs = 5000;
/** From the decision until nothing is sent any more: connections take half a second to close, and answers of peers are as old at most. */
export const stopAheadMs = 1500;

/** What a peer says: for how many milliseconds it has renewed its own lease without losing it; null: it cannot either. */
export type PeerAnswer = { readonly renewingForMs: number | null } | 'no answer';

/**
 * Leases are taken away only while some agent has renewed for a whole lease. So where no peer can renew, the database is away and nobody
 * takes over: sending goes on. Where one can, or none can be reached, this agent is the one that is cut off.
 * @param leaseLeftMs of this agent's; below zero when it is over
 */
export function mustStop(leaseLeftMs: number, answers: readonly PeerAnswer[]): boolean {
  if (leaseLeftMs > stopAheadMs || answers.length === 0) return false;
  const told = answers.filter((answer) => answer !== 'no answer');
  return (
    told.length === 0 ||
    told.some(({ renewingForMs }) => renewingForMs !== null && renewingForMs > leaseMs - stopAheadMs)
  );
}
