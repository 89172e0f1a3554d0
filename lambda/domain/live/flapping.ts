// The wait for a contributor who is lost again and again.

/** Losses within this time count. */
export const lossesWithinSeconds = 300;
/** Up to this number of losses, the setting of the input applies: a stream changes so often at most. */
const freeLosses = 2;
const longestStableSeconds = 60;

/**
 * Seconds for which a session has to be stable before it is shown.
 * @param stableSeconds setting of the input
 * @param losses ends of its sessions, and losses by silence or black, within `lossesWithinSeconds`
 */
export function stableSecondsAfter(stableSeconds: number, losses: number): number {
  return losses <= freeLosses ? stableSeconds : Math.max(stableSeconds, longestStableSeconds);
}
