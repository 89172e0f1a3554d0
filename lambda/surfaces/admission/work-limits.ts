// The milliseconds a minute that work for a user may take, by class, and those that it reserves before it begins.
// Decisions D271, D274, D279 and D280.

export interface WorkLimit {
  /** Milliseconds per minute of each subject that pays, before the factor of the stage. */
  readonly mostMs: readonly number[];
  /** Milliseconds per minute of all users together who are not funded, before the factor of the stage. */
  readonly unfundedMs: number;
  /**
   * Milliseconds that work which may take long pays in advance. A factor of the stage does not increase them: it allows
   * more at once.
   */
  readonly reservedMs: number;
  /** The work, in words that begin a sentence. */
  readonly name: string;
}

/**
 * The limits by class. read, write: of a user's programs. page: of all web pages that a user has open. They are apart,
 * so that no program keeps its user from a stop, and together a third of the time of two processors. poster, preview:
 * of those who look at a user's pictures. guide, guestRequest: of a link, and of all links of its user, so that the
 * readers of one do not use up the minute of the others.
 */
export const workLimits = {
  read: { mostMs: [10_000], unfundedMs: 30_000, reservedMs: 250, name: 'Reads' },
  write: { mostMs: [15_000], unfundedMs: 45_000, reservedMs: 250, name: 'Writes' },
  page: { mostMs: [15_000], unfundedMs: 45_000, reservedMs: 250, name: 'Requests by pages' },
  poster: { mostMs: [27_000], unfundedMs: 40_000, reservedMs: 150, name: 'Posters' },
  preview: { mostMs: [7500], unfundedMs: 15_000, reservedMs: 250, name: 'Previews' },
  guide: { mostMs: [10_000, 30_000], unfundedMs: 40_000, reservedMs: 250, name: 'Guides' },
  guestRequest: { mostMs: [15_000, 30_000], unfundedMs: 20_000, reservedMs: 150, name: 'Requests of guests' },
} as const satisfies Readonly<Record<string, WorkLimit>>;

/**
 * Milliseconds a minute of each class, before the factor of the stage, that count for a user who is not funded alone:
 * no others keep such a user's page from working.
 */
export const ownMsOfUnfunded = 500;

export type WorkClass = keyof typeof workLimits;
