// The wait for a contributor who is lost again and again.

/** Losses within this time count. */
export const lossesWithinSeconds = 300;
/** Up to this number of losses, the setting of the input applies. */
const freeLosses = 2;
/** Each further loss doubles the time, up to this one or the setting. */
const longestStableSeconds = 60;

/**
 * Seconds for which a session has to be stable before it is shown.
 * @param stableSeconds setting of the input
 * @param losses ends of its sessions within `lossesWithinSeconds`
 */
export function stableSecondsAfter(stableSeconds: number, losses: number): number {
  const doubled = stableSeconds * 2 ** Math.min(10, Math.max(0, losses - freeLosses));
  return Math.max(stableSeconds, Math.min(longestStableSeconds, doubled));
}
