// Limits of downloads: the traffic of a file costs about nine credits a GB, and users do not pay for it by its bytes.

/** A GB as the prices of traffic count it, in bytes. */
export const gigabyte = 1e9;

/**
 * GB of the files for which download URLs are made within a day, before the factor of the stage. A day of a funded user
 * costs at most 450 credits, and nine tenths of the credits that are left. Decision D292.
 */
export const downloadsPerDay = {
  /** GB for a user who is not funded, and for all of them together. */
  unfunded: 5,
  unfundedTogether: 200,
  /** GB for a funded user, and more for each credit that is left. */
  funded: 50,
  perCredit: 0.1,
  most: 2000,
} as const;

/** GB that a URL counts at least: else a user with small files could keep URLs valid all day. */
export const leastOfURL = 0.1;

/**
 * GB that a user may download within a day.
 * @param credits that are left; below zero they count as none
 */
export function downloadsAllowed({
  isFunded,
  credits,
}: {
  readonly isFunded: boolean;
  readonly credits: number;
}): number {
  const { unfunded, funded, perCredit, most } = downloadsPerDay;
  return isFunded ? Math.min(most, funded + perCredit * Math.max(0, credits)) : unfunded;
}
