// Retries of events that a webhook did not accept.

/** Days of retries, counted from the event, or from its user's last request to send it again. */
export const retriedForDays = 3;
export const retriedForSeconds = retriedForDays * 86_400;

/** Days for which users can read events and their deliveries, and request them again. */
export const eventsKeptDays = 30;

/** Time limit of an attempt, in seconds. */
export const attemptSeconds = 10;

const firstDelaySeconds = 5;
const maxDelaySeconds = 4 * 3600;
/** Delays of 5 s, 15 s, 45 s, 2 min, 7 min, 20 min, 1 h, 3 h, then 4 h each: some 25 attempts in three days. */
const growth = 3;

/**
 * Delay before the next attempt, in seconds; null to give up. The delay grows exponentially and is shortened at random
 * by up to a half, so that events that failed together are retried apart. The last attempt comes at the end of the
 * three days.
 * @param attempts number of attempts so far, 1 after the first
 * @param ageSeconds seconds since the event, or since its user's last request
 * @param askedForSeconds Retry-After of the receiver; 0 without one
 * @param random uniform in [0, 1)
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
 * Seconds without attempts for a webhook that does not answer at all.
 * @param silences number of consecutive turns without an answer, 1 after the first
 */
export function silenceSeconds(silences: number, random: () => number): number {
  return backoffSeconds(silences, random);
}

function backoffSeconds(attempts: number, random: () => number): number {
  return Math.min(maxDelaySeconds, firstDelaySeconds * growth ** (attempts - 1)) * (0.5 + random() / 2);
}
