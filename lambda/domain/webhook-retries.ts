// When a webhook that did not take an event is tried again.

/** An event is tried for this long, counted from when it happened or was last asked for again. */
export const retriedForDays = 3;
export const retriedForSeconds = retriedForDays * 86_400;

/** Events and what became of them can be read, and asked for again, for this long. */
export const eventsKeptDays = 30;

/** What an attempt may take. */
export const attemptSeconds = 10;

const firstDelaySeconds = 5;
const maxDelaySeconds = 4 * 3600;
/** 5 s, 15 s, 45 s, 2 min, 7 min, 20 min, 1 h, 3 h, then every 4 h: some 25 attempts in three days. */
const growth = 3;

/**
 * Exponential, between half of the delay and all of it, so that what failed together does not come back together. The last attempt is made
 * when the time is over.
 * @param attempts made so far, 1 after the first
 * @param ageSeconds since the event happened or was last asked for again
 * @param askedForSeconds what the receiver asked for (Retry-After); 0 when nothing
 * @param random uniform in [0, 1)
 * @returns seconds until the next attempt; null to give up
 */
export function retryDelaySeconds(
  attempts: number,
  ageSeconds: number,
  askedForSeconds: number,
  random: () => number,
): number | null {
  const leftSeconds = retriedForSeconds - ageSeconds;
  if (leftSeconds <= 0) return null;
  const delaySeconds = Math.max(backoffSeconds(attempts, random), Math.min(askedForSeconds, maxDelaySeconds));
  return Math.min(delaySeconds, leftSeconds);
}

/** How long a webhook is left alone that does not answer at all. @param silences turns in a row in which it did not, 1 after the first */
export function silenceSeconds(silences: number, random: () => number): number {
  return backoffSeconds(silences, random);
}

function backoffSeconds(attempts: number, random: () => number): number {
  return Math.min(maxDelaySeconds, firstDelaySeconds * growth ** (attempts - 1)) * (0.5 + random() / 2);
}
