// Bounds of the running sessions of one user over all ingests: each ingest bounds its own places only.

/**
 * Running sessions of a user. One who is not funded has as many as a stream may have, for an encoder and its spare:
 * with more, an account could take the part of all others at every ingest. One who is funded has as many as the largest
 * stage has places, and is bounded by the share of each ingest before that.
 */
const mostSessions = { funded: 40, unfunded: 2 };

/** The number of sessions of a user that may run at once. */
export function mostSessionsOf({ isFunded }: { readonly isFunded: boolean }): number {
  return isFunded ? mostSessions.funded : mostSessions.unfunded;
}
