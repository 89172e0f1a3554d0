// What a check of a destination finds: how far its address can be reached, without a stream and without its key.

/** In the order in which they are done; a way out may have only some. */
export const checkSteps = ['address', 'tcp', 'tls', 'handshake', 'app'] as const;
export type CheckStep = (typeof checkSteps)[number];

/** Whose fault it is: who gave the address, the destination's or the network's on the way there, or ours. */
export const checkBlames = ['caller', 'destination', 'ours'] as const;
export type CheckBlame = (typeof checkBlames)[number];

export interface CheckedStep {
  readonly step: CheckStep;
  readonly isDone: boolean;
  /** How long it took, or how long it was tried. */
  readonly ms: number;
}

/** What was found at one address of a destination. */
export interface CheckedFeed {
  readonly isBackup: boolean;
  /** Null where all went well. */
  readonly failure: { readonly code: string; readonly blame: CheckBlame } | null;
  /** What was found, and what to do, in words for the user. */
  readonly detail: string;
  /** Up to the one that failed. */
  readonly steps: readonly CheckedStep[];
}

/** How long a check of all addresses of a destination takes at most. */
export const checkTimeoutSeconds = 10;
/** What nobody has claimed by then is not begun any more: it would not end in time. */
export const checkClaimedWithinSeconds = 20;
/** A check that is not done by then is over, whatever became of it. */
export const checkOverAfterSeconds = checkClaimedWithinSeconds + checkTimeoutSeconds;

/** What a check comes to that nobody has done in time. @param isClaimed whether an agent had begun it */
export function wordsOfLostCheck(isClaimed: boolean): string {
  return isClaimed
    ? 'The publisher that had begun to check ended before it was done. Check again.'
    : 'No publisher took it up: none is running now that could check. Check again in a minute.';
}
