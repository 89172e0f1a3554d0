// Kinds of things that change for a user, as clients that poll for changes name them.

/**
 * Things that clients can read again. A change of a stream's settings, outputs or broadcasts counts as the stream's.
 */
export const changedKinds = [
  'stream',
  'upload',
  'playlist',
  'collection',
  'programme',
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

/** Minutes that changes are kept. A client that asks later reads everything again. */
export const changesKeptMinutes = 60;
/** A client that missed more changes than this reads everything again, which is less work. */
export const changesAtOnce = 1000;
