// Daily quota of a platform for our project: the order of calls when it runs short, and its reset.

/** Share of the day's quota that a kind of call may use; the most important kind may use all. */
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
 * Share of the day's quota that the calls for one funded user may use, up to and including a call of this kind:
 * otherwise one user could use up the calls of all others. An end is always carried out.
 */
const userShares: Readonly<Record<keyof typeof quotaShares, number>> = {
  end: 1,
  delete: 1,
  goLive: 0.34,
  observe: 0.34,
  find: 0.34,
  bind: 0.34,
  insert: 0.33,
  ensureIngest: 0.33,
  describe: 0.1,
  update: 0.1,
  thumbnail: 0.1,
  audience: 0.1,
};

/**
 * Share of the day's quota that the calls for all users who are not funded may use together, up to and including a call
 * of this kind: accounts cost nothing, so that `userShares` bound nothing. Decision D263.
 */
const unfundedShares: typeof userShares = {
  end: 1,
  delete: 1,
  goLive: 0.31,
  observe: 0.31,
  find: 0.31,
  bind: 0.31,
  insert: 0.3,
  ensureIngest: 0.3,
  describe: 0.2,
  update: 0.2,
  thumbnail: 0.2,
  audience: 0.2,
};

/** Part of `unfundedShares` for the calls of one user who is not funded: one account must not use up that of all. */
const partOfUnfundedUser = 1 / 5;

/** The most units of a day that calls may have used with a call, by those who are counted. */
export interface QuotaBounds {
  /** For one user who is funded. */
  readonly mostOfUser: number;
  /** For all users who are not funded, together. */
  readonly mostOfUnfunded: number;
  /** For each user who is not funded. */
  readonly mostOfUnfundedUser: number;
}

/** The bounds of users, up to and including a call of this kind. Ends and deletes may use the whole day. */
export function quotaBounds(call: keyof typeof quotaShares, dailyUnits: number): QuotaBounds {
  const ofUnfunded = unfundedShares[call];
  const ofUnfundedUser = ofUnfunded === 1 ? 1 : ofUnfunded * partOfUnfundedUser;
  return {
    mostOfUser: Math.floor(dailyUnits * userShares[call]),
    mostOfUnfunded: Math.floor(dailyUnits * ofUnfunded),
    mostOfUnfundedUser: Math.floor(dailyUnits * ofUnfundedUser),
  };
}

/**
 * Quota units that a call takes. The start of a broadcast also pays for its end, so that a project can end every
 * broadcast that it starts.
 * @param isEndReserved whether this day's quota already paid for the broadcast's end
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
 * Units that starts of broadcasts leave for the ends of broadcasts from earlier days: at most half of the day's quota,
 * so that a project with many long broadcasts can still start others.
 */
export function unitsKeptForEnds(openBefore: number, endUnits: number, dailyUnits: number): number {
  return Math.min(openBefore * endUnits, Math.floor(dailyUnits / 2));
}

const zone = 'America/Los_Angeles';
/** Minutes over which retries are spread after the quota resets. */
const spreadMinutes = 30;

/** Day of the quota, YYYY-MM-DD. */
export function quotaDay(now: Date): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' }).format(now);
}

/** Begin of the quota's next day. */
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

/** When to retry after a platform reported an exhausted quota. @param random uniform in [0, 1) */
export function exhaustedUntil(now: Date, random: () => number): Date {
  return new Date(nextQuotaDay(now).getTime() + random() * spreadMinutes * 60_000);
}
