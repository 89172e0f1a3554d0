// How much users may have one process of ours do at the same time at addresses that they name.

/** Connections to destinations that are being made; those that stand do not count. */
export const connecting = {
  /** For one user, so that nobody waits behind a user whose destinations do not answer. */
  mostOfUser: 8,
  /** The same for streams that have been off the air for minutes. */
  mostRestingOfUser: 2,
  /** To one host, for all users. */
  mostToHost: 24,
} as const;

/** Names that are looked up. */
export const lookups = {
  /** How long a name server may take for the first answer; c-ares asks again for twice as long. */
  timeoutMs: 1000,
  tries: 2,
  /** A name that was not resolved is not asked for again before this. */
  failureKeptMs: 5000,
  mostNamesKept: 1000,
} as const;
