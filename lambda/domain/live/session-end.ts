// The ends of contributors' sessions.

/** The reason of an end, for users. `lost`: by our fault. */
export type SessionEnd = 'disconnected' | 'replaced' | 'format_changed' | 'undecodable' | 'not_wanted' | 'lost';
