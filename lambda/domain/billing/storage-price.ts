// When stored bytes begin to cost credits, and what is taken from whom has none. The price is in credits.ts.

const dayMs = 86_400_000;

/** Nothing is charged within so many days after a user was told: time to delete what is not worth it. */
const toldAheadDays = 7;

/**
 * Users without credits go on owing for so many days of what they have stored. Further days cost nothing, so that
 * nobody who has left owes more and more. Nothing is deleted by itself.
 */
const owedDays = 30;

/** A day in UTC, as YYYY-MM-DD. */
export function dayOf(time: Date): string {
  return time.toISOString().slice(0, 'YYYY-MM-DD'.length);
}

/** The last day that is over. */
export function lastDayBefore(now: Date): string {
  return dayOf(new Date(now.getTime() - dayMs));
}

/** The first day that is charged of somebody who is told now. */
export function firstChargedDay(toldAt: Date): string {
  return dayOf(new Date(toldAt.getTime() + (toldAheadDays + 1) * dayMs));
}

/**
 * What is taken for a day.
 * @param cost of the day
 * @param creditsLeft of the user, with what running streams have used taken off; below zero where something is owed
 */
export function chargeOf(cost: number, creditsLeft: number): number {
  const most = Math.max(0, creditsLeft + owedDays * cost);
  return Math.round(Math.min(cost, most) * 1e4) / 1e4;
}
