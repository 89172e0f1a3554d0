// The ends of contributors' sessions.

/** The reasons of an end, for users. `too_demanding`: by `mostPixelsPerSecond`. `lost`: by our fault. */
export const sessionEnds = [
  'disconnected',
  'replaced',
  'format_changed',
  'undecodable',
  'too_demanding',
  'not_wanted',
  'lost',
] as const;
export type SessionEnd = (typeof sessionEnds)[number];

/** Seconds for which a stream may fail before its sessions end: it costs less then, and a session takes cores. */
export const mostFailingSeconds = 120;
