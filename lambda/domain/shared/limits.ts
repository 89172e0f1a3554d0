// What a user may have and do: one table, which grows with the user's credits and with a factor of the stage.
// Whatever users share, such as a disk, a queue or a fleet, is bounded for each of them by a line of this table.
// What one process does at a time at addresses that users name (names looked up, connections of a user and to one host)
// stands in outbound-limits.ts: it is counted in that process, where waiting for a turn takes the place of a refusal.

export interface Limit {
  /** What is counted, as it stands in a sentence after a number. */
  readonly what: string;
  /** How many a user without credits may have, on a stage with the factor 1. */
  readonly base: number;
  /** How many more for each credit that the user has left. 0: it is the same for everybody, on every stage. */
  readonly perCredit: number;
  /** How many at the most, whatever the credits. */
  readonly most: number;
  /** What a user can do who is refused. */
  readonly remedy: string;
}

const GiB = 2 ** 30;
const buy = 'or buy credits, which raise this limit';

/** Limits that requests run into. Each is counted for `GET /me`. */
export const limits = {
  uploads: { what: 'uploads', base: 1000, perCredit: 10, most: 100_000, remedy: `Delete uploads, ${buy}.` },
  storedBytes: {
    what: 'bytes of uploads',
    base: 50 * GiB,
    perCredit: 0.2 * GiB,
    most: 20_480 * GiB,
    remedy: `Delete uploads, ${buy}.`,
  },
  captionBytes: {
    what: 'bytes of captions',
    base: 20_000_000,
    perCredit: 100_000,
    most: 2_000_000_000,
    remedy: `Remove captions from uploads, ${buy}.`,
  },
  incomingBytes: {
    what: 'bytes of uploads that have not arrived yet (5 GiB for each without fileSize)',
    base: 50 * GiB,
    perCredit: 0.5 * GiB,
    most: 2048 * GiB,
    remedy: `Complete or delete the uploads that have begun, say fileSize, ${buy}.`,
  },
  multipartUploads: {
    what: 'uploads that are being sent in parts',
    base: 200,
    perCredit: 0.5,
    most: 5000,
    remedy: `Complete or delete some of them, ${buy}.`,
  },
  imports: {
    what: 'imports under way',
    base: 20,
    perCredit: 0.1,
    most: 1000,
    remedy: `Wait until some have ended, ${buy}.`,
  },
  sources: { what: 'watched sources', base: 10, perCredit: 0.01, most: 200, remedy: `Delete sources, ${buy}.` },
  playlists: { what: 'playlists', base: 200, perCredit: 1, most: 10_000, remedy: `Delete playlists, ${buy}.` },
  playlistItems: {
    what: 'items in all playlists',
    base: 10_000,
    perCredit: 20,
    most: 1_000_000,
    remedy: `Remove items or playlists, ${buy}.`,
  },
  streams: { what: 'streams', base: 100, perCredit: 0.2, most: 5000, remedy: `Delete streams, ${buy}.` },
  runningStreams: {
    what: 'streams that run at once',
    base: 5,
    perCredit: 0.05,
    most: 1000,
    remedy: `Stop a stream, ${buy}.`,
  },
  runningSlots: {
    what: 'slots of running streams (encoding 720p30 takes 1, 2160p60 takes 16; prepared streams take none)',
    base: 40,
    perCredit: 0.2,
    most: 4000,
    remedy: `Stop a stream, use a lower quality or streamBackend manifest, ${buy}.`,
  },
  preparedSeconds: {
    what: 'seconds of uploads prepared for streams, in each format (one of 720p30 counts 1, of 2160p60 16)',
    base: 100_000,
    perCredit: 500,
    most: 20_000_000,
    remedy: `Delete uploads that were prepared, use a lower quality, ${buy}.`,
  },
  destinations: {
    what: 'destinations that are not archived',
    base: 100,
    perCredit: 0.1,
    most: 5000,
    remedy: `Archive destinations with delete_destination, ${buy}.`,
  },
  destinationChecks: {
    what: 'checks of destinations under way',
    base: 3,
    perCredit: 0,
    most: 3,
    remedy: 'Wait some seconds until one has ended.',
  },
  connections: {
    what: 'connections to channels',
    base: 50,
    perCredit: 0.01,
    most: 1000,
    remedy: `Delete connections, ${buy}.`,
  },
  managedSettings: {
    what: 'managed settings',
    base: 200,
    perCredit: 0.04,
    most: 4000,
    remedy: `Delete managed settings, ${buy}.`,
  },
  webhooks: { what: 'webhooks', base: 20, perCredit: 0, most: 20, remedy: 'Delete a webhook first.' },
  alertChannels: { what: 'alert channels', base: 20, perCredit: 0, most: 20, remedy: 'Delete a channel first.' },
  apiKeys: { what: 'API keys', base: 100, perCredit: 0, most: 100, remedy: 'Revoke a key first.' },
  pendingTopUps: {
    what: 'top-ups that nobody has paid yet',
    base: 20,
    perCredit: 0,
    most: 20,
    remedy: 'Pay one of them, or wait until they expire.',
  },
  keptAnswers: {
    what: 'answers kept for their Idempotency-Key within 24 hours',
    base: 10_000,
    perCredit: 10,
    most: 200_000,
    remedy: `Send fewer requests with a key, ${buy}.`,
  },
} as const satisfies Record<string, Limit>;

export type LimitName = keyof typeof limits;
export const limitNames = Object.keys(limits) as LimitName[];

/** Bounds that are the same for everybody. */
export const bounds = {
  /** An answer that is larger is not kept for its Idempotency-Key: what it shows is read again. */
  keptAnswerBytes: 32 * 1024,
  /** The same for all answers that are kept of a user together, but for those that are small. */
  keptAnswerBytesPerUser: 32 * 1024 * 1024,
  /** An answer that is not larger is kept in any case. */
  smallAnswerBytes: 2 * 1024,
  /** Deliveries that wait for a webhook. Of more, the oldest fail, and the user is told once a day. */
  pendingDeliveriesPerWebhook: 1000,
  /** The same for all webhooks of a user together. */
  pendingDeliveriesPerUser: 5000,
  /** Deliveries of a webhook that can be asked for again, the waiting ones among them. */
  keptDeliveriesPerWebhook: 5000,
  /** Moves of a stream that are kept. Its API shows the last 20. */
  keptTransitionsPerStream: 50,
  /** No move is kept for longer. */
  keptTransitionDays: 90,
  /** Where a stream can be sent to at once. */
  outputsPerStream: 30,
  /** Incidents of a user that have ended. */
  keptIncidentsPerUser: 1000,
  /** No incident is kept for longer after its end. */
  keptIncidentDays: 90,
  /** Past runs, and what destinations took of any run: no longer than this, */
  keptAirDays: 400,
  /** and of what past runs of a stream played as many bytes, of the latest ones. */
  keptRunBytesPerStream: 64 * 1024 * 1024,
  /** What a run that goes on has played of a track: the latest of it, in as many bytes as they are stored. */
  keptBytesPerTrack: 16 * 1024 * 1024,
  /** Checks of destinations that a user may ask for. */
  destinationChecksPerMinute: 20,
  /** Archived destinations of a user that no stream names. */
  archivedDestinationsPerUser: 100,
} as const;

/** What decides how much a user may have, besides the table. */
export interface Allowance {
  /** Of the stage. */
  readonly factor: number;
  /** That the user has left; below zero they count as none. */
  readonly credits: number;
  /** What an operator has allowed this user instead; null: what the table says. */
  readonly override: number | null;
}

/** How much of a limit a user may have. */
export function allowedOf(name: LimitName, { factor, credits, override }: Allowance): number {
  const { base, perCredit, most } = limits[name];
  if (override !== null || perCredit === 0) return override ?? base;
  return Math.floor(Math.min(most, base + perCredit * Math.max(0, credits)) * factor);
}

/** How much of one limit is used, and allowed. */
export interface Use {
  readonly limit: LimitName;
  readonly used: number;
  readonly allowed: number;
}

/** What somebody is told whom a limit refuses something. */
export function wordsOf({ limit, used, allowed }: Use): string {
  const { what, remedy } = limits[limit];
  const number = (value: number) => value.toLocaleString('en-US');
  return `You have ${number(used)} of at most ${number(allowed)} ${what}, and this would be too much. ${remedy}`;
}
