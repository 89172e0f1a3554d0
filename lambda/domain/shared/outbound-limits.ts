// Limits of one process at addresses that users name.

/** Connections to destinations that are being opened; open ones do not count. */
export const connecting = {
  /** For one user, so that other users do not wait behind destinations that do not answer. */
  mostOfUser: 8,
  /** For one user's streams that have been off the air for minutes. */
  mostRestingOfUser: 2,
  /** To one host, for all users. */
  mostToHost: 24,
} as const;

/** Connections that accepted nothing of the HLS that they were sent, of one user at one agent. */
export const unacceptedUploads = {
  /** Above this within `withinMs`, further connections over HLS wait. */
  mostOfUser: 12,
  withinMs: 60_000,
} as const;

/** Checks of destinations that one agent carries out at a time, for all users. */
export const checking = { mostOfAgent: 4 } as const;

/** Lookups of host names. */
export const lookups = {
  /** Time limit of a name server's first answer; c-ares then waits twice as long for the second. */
  timeoutMs: 1000,
  tries: 2,
  /** Time for which a failed lookup is not repeated. */
  failureKeptMs: 5000,
  mostNamesKept: 1000,
} as const;

/** Senders of webhooks to one host. A user's own senders for other webhooks count only in `sendersOfUser`. */
export const webhookHost = {
  /**
   * Senders of other users above which a webhook waits, if it has accepted nothing yet or was silent in its last turn.
   */
  mostOfOthers: 4,
  /** Senders of other users above which a webhook waits whose receiver is known to answer. */
  mostOfOthersOnceTaken: 16,
  /** Delay of a webhook that gets no sender. */
  busyForSeconds: 10,
  /** Number of users without an answer that makes a host silent for all: one user's webhook may be wrong. */
  silentForUsers: 3,
  /** Pause of a silent host: tripled after each further silence, up to the maximum. */
  firstSilenceSeconds: 10,
  mostSilenceSeconds: 600,
} as const;

export type WebhookHostLimits = typeof webhookHost;
