// Start of storage charges, and the charge of users without credits. The price is in credits.ts.

const dayMs = 86_400_000;

/** Days between the notice to a user and the first charge: time to delete uploads. */
const noticeDays = 7;

/**
 * Days for which users without credits owe the price of their storage. Further days cost nothing, so that the debt of a
 * user who has left does not grow. Nothing is deleted.
 */
const owedDays = 30;

/** Day in UTC, as YYYY-MM-DD. */
export function dayOf(time: Date): string {
  return time.toISOString().slice(0, 'YYYY-MM-DD'.length);
}

/** The last completed day. */
export function lastDayBefore(now: Date): string {
  return dayOf(new Date(now.getTime() - dayMs));
}

/** First charged day for a user who is notified now. */
export function firstChargedDay(notifiedAt: Date): string {
  return dayOf(new Date(notifiedAt.getTime() + (noticeDays + 1) * dayMs));
}

/**
 * Credits charged for a day.
 * @param cost price of the day
 * @param creditsLeft credits of the user less the use of running streams; below zero if the user owes
 */
export function chargeOf(cost: number, creditsLeft: number): number {
  const most = Math.max(0, creditsLeft + owedDays * cost);
  return Math.round(Math.min(cost, most) * 1e4) / 1e4;
}
