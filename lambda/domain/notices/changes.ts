// What of a user can change, as whoever polls for changes names it, and how long it is known what did.

/** What clients can read again. The settings, outputs and broadcasts of a stream change with it. */
export const changedKinds = [
  'stream',
  'upload',
  'playlist',
  'destination',
  'connection',
  'managedSettings',
  'source',
  'webhook',
  'alertChannel',
  'incident',
  'notification',
  'billing',
] as const;
export type ChangedKind = (typeof changedKinds)[number];

/** Changes are kept for so long; who asks later reads everything again. */
export const changesKeptMinutes = 60;
/** Who has missed more than this reads everything again, which is less work then. */
export const changesAtOnce = 1000;
