// When an event that a webhook did not take is sent again.

/**
 * An event is sent again for this long, counted from when it happened or from when its user last asked for it again.
 */
export const retriedForDays = 3;
export const retriedForSeconds = retriedForDays * 86_400;

/** Users can read events and their deliveries, and ask for them again, for this long. */
export const eventsKeptDays = 30;

/** How long an attempt may take. */
export const attemptSeconds = 10;

const firstDelaySeconds = 5;
const maxDelaySeconds = 4 * 3600;
/** The delays are 5 s, 15 s, 45 s, 2 min, 7 min, 20 min, 1 h, 3 h, then 4 h each: some 25 attempts in three days. */
const growth = 3;

/**
 * How long to wait for the next attempt. The delay grows exponentially, and a random part of up to a half is taken off,
 * so that events that failed together do not come back together. The last attempt is made when the three days are over.
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

/**
 * How many seconds to send nothing to a webhook that does not answer at all.
 * @param silences turns in a row in which it did not answer, 1 after the first
 */
export function silenceSeconds(silences: number, random: () => number): number {
  return backoffSeconds(silences, random);
}

function backoffSeconds(attempts: number, random: () => number): number {
  return Math.min(maxDelaySeconds, firstDelaySeconds * growth ** (attempts - 1)) * (0.5 + random() / 2);
}
