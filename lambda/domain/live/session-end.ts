// The ends of contributors' sessions.

/** The reasons of an end, for users. `lost`: by our fault. */
export const sessionEnds = ['disconnected', 'replaced', 'format_changed', 'undecodable', 'not_wanted', 'lost'] as const;
export type SessionEnd = (typeof sessionEnds)[number];
