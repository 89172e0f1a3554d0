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

/** Checks of destinations that one agent carries out at a time, for all users. */
export const checking = { mostOfAgent: 4 } as const;

/** Names that are looked up. */
export const lookups = {
  /** How long a name server may take for the first answer; c-ares asks again for twice as long. */
  timeoutMs: 1000,
  tries: 2,
  /** A name that was not resolved is not asked for again before this. */
  failureKeptMs: 5000,
  mostNamesKept: 1000,
} as const;

/** Senders of webhooks to one host. A user's own count for their other webhooks only by `sendersOfUser`. */
export const webhookHost = {
  /** Of other users, beside which a webhook gets no sender that has taken nothing, or whose last turn was silent. */
  mostOfOthers: 4,
  /** The same for a webhook whose receiver is known to answer. */
  mostOfOthersOnceTaken: 16,
  /** Who gets no sender comes again after this. */
  busyForSeconds: 10,
  /** A host is silent for everybody when webhooks of so many users got no answer: one user may have got it wrong. */
  silentForUsers: 3,
  /** It is left alone for so long at first, three times as long after each further silence, up to the most. */
  firstSilenceSeconds: 10,
  mostSilenceSeconds: 600,
} as const;

export type WebhookHostLimits = typeof webhookHost;
