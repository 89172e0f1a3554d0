// The daily quota that a platform gives our project: whose calls go first where it runs short, and when it begins anew.

/** The share of the day's quota up to which a kind of call may use it: what matters most can use all of it. */
export const quotaShares = {
  end: 1,
  delete: 1,
  goLive: 0.99,
  observe: 0.98,
  find: 0.98,
  bind: 0.97,
  insert: 0.96,
  ensureIngest: 0.96,
  describe: 0.9,
  update: 0.9,
  thumbnail: 0.9,
  audience: 0.7,
} as const;

/**
 * The units of the day's quota that a call takes. With a broadcast its end is paid for, so that a project which is used
 * up by starts can end all that it started.
 * @param isEndReserved whether the broadcast's end was paid for on this day
 */
export function unitsTaken(
  call: keyof typeof quotaShares,
  units: Readonly<Record<keyof typeof quotaShares, number>>,
  isEndReserved: boolean,
): number {
  if (call === 'insert') return units.insert + (isEndReserved ? 0 : units.end);
  return call === 'end' && isEndReserved ? 0 : units[call];
}

/**
 * What of a day's quota no broadcast is begun with, as those that are open from days before have to be ended, too: not
 * more than half, or a project with many that are live for weeks could begin no other.
 */
export function unitsKeptForEnds(openBefore: number, endUnits: number, dailyUnits: number): number {
  return Math.min(openBefore * endUnits, Math.floor(dailyUnits / 2));
}

const zone = 'America/Los_Angeles';
/** Not everybody comes back in the moment in which the quota begins anew. */
const spreadMinutes = 30;

/** The day of the quota, YYYY-MM-DD. */
export function quotaDay(now: Date): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' }).format(now);
}

/** When the next day of the quota begins. */
export function nextQuotaDay(now: Date): Date {
  const today = quotaDay(now);
  // Midnight there is 07:00 or 08:00 UTC; the hours of a day are 23 to 25.
  let low = now.getTime();
  let high = low + 26 * 3_600_000;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (quotaDay(new Date(middle)) === today) low = middle;
    else high = middle;
  }
  return new Date(high);
}

/** When to ask a platform again that said that the quota is used up. @param random uniform in [0, 1) */
export function exhaustedUntil(now: Date, random: () => number): Date {
  return new Date(nextQuotaDay(now).getTime() + random() * spreadMinutes * 60_000);
}
