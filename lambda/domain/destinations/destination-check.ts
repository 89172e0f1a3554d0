// The result of a check of a destination: how far its address can be reached, without a stream or a key.

/** All steps, in their order. A way out may have only some of them. */
export const checkSteps = ['address', 'tcp', 'tls', 'handshake', 'app'] as const;
export type CheckStep = (typeof checkSteps)[number];

/**
 * The side at fault: `caller` gave a wrong address; `destination` includes the network to it; `ours` is the platform.
 */
export const checkBlames = ['caller', 'destination', 'ours'] as const;
export type CheckBlame = (typeof checkBlames)[number];

export interface CheckedStep {
  readonly step: CheckStep;
  readonly isDone: boolean;
  /** Duration of the step, also of a failed one. */
  readonly ms: number;
}

/** The result for one address of a destination. */
export interface CheckedFeed {
  readonly isBackup: boolean;
  /** Null if every step succeeded. */
  readonly failure: { readonly code: string; readonly blame: CheckBlame } | null;
  /** The result and advice, in words for the user. */
  readonly detail: string;
  /** The steps done, the failed one last. */
  readonly steps: readonly CheckedStep[];
}

/** Time limit of a check of all addresses of a destination. */
export const checkTimeoutSeconds = 10;
/** A check that no agent has claimed by then is never run: it would not end in time. */
export const checkClaimedWithinSeconds = 20;
/** A check without a result by then is over. */
export const checkOverAfterSeconds = checkClaimedWithinSeconds + checkTimeoutSeconds;

/** The words for a check without a result in time. @param isClaimed true if an agent had begun it */
export function wordsOfLostCheck(isClaimed: boolean): string {
  return isClaimed
    ? 'The publisher that had begun to check ended before it was done. Check again.'
    : 'No publisher took it up: none is running now that could check. Check again in a minute.';
}
