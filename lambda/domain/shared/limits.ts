// Limits of users: one table. A limit grows with the user's credits and with a factor of the stage.
// Everything that users share, such as a disk, a queue or a fleet, has a line here.
// Limits of one process at addresses that users name (lookups, connections of a user and to one host) are in
// outbound-limits.ts: that process counts them, and work waits for its turn instead of being refused.
// Triggers count in `limit_use`, in the transaction of the change. Counted rows are locked after the stream, by name.

export interface Limit {
  /** Counted things, as words after a number. */
  readonly what: string;
  /** Number for a user without credits, on a stage with the factor 1. */
  readonly base: number;
  /** Further number for each credit that the user has left. 0: the limit is the same for all users on every stage. */
  readonly perCredit: number;
  /** Maximum, whatever the credits. */
  readonly most: number;
  /** Remedy for a user whose request is refused. */
  readonly remedy: string;
}

const GiB = 2 ** 30;
const buy = 'or buy credits, which raise this limit';

/** Limits that refuse requests. `GET /me` shows the count of each. */
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
    remedy: `Complete or delete the uploads that have begun, declare fileSize, ${buy}.`,
  },
  multipartUploads: {
    what: 'uploads in parts that are not complete',
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
    remedy: `Wait until some end, ${buy}.`,
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
  collections: { what: 'collections', base: 200, perCredit: 0.2, most: 2000, remedy: `Delete collections, ${buy}.` },
  streams: { what: 'streams', base: 100, perCredit: 0.2, most: 5000, remedy: `Delete streams, ${buy}.` },
  runningStreams: {
    what: 'running streams',
    base: 5,
    perCredit: 0.05,
    most: 1000,
    remedy: `Stop a stream, ${buy}.`,
  },
  runningSlots: {
    what:
      'slots of running streams (encoding 720p30 takes 1, 2160p60 takes 16; a prepared output in 2160p60 takes 0.3 ' +
      'over RTMP, 3 over HLS and 9 over SRT, twice that with a sound track)',
    base: 40,
    perCredit: 0.2,
    most: 4000,
    remedy: `Stop a stream, disable outputs over SRT, use a lower quality or streamBackend manifest, ${buy}.`,
  },
  preparedSeconds: {
    what:
      'seconds of uploads prepared for streams, in each format (a second in 720p30 counts as 1, in 2160p60 as 16, ' +
      'and one of an upload that has 2160p60 itself as 18)',
    base: 100_000,
    perCredit: 500,
    most: 20_000_000,
    remedy: `Delete prepared uploads, use a lower quality or smaller uploads, ${buy}.`,
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
    remedy: 'Wait a few seconds until one ends.',
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
    what: 'unpaid top-ups',
    base: 20,
    perCredit: 0,
    most: 20,
    remedy: 'Pay one, or wait until one expires.',
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

/** Facts that decide a user's limits, in addition to the table. */
export interface Allowance {
  /** Factor of the stage. */
  readonly factor: number;
  /** Credits that the user has left; below zero they count as none. */
  readonly credits: number;
  /** Limit that an operator set for this user; null: the table's. */
  readonly override: number | null;
}

/** A user's value of a limit. */
export function allowedOf(name: LimitName, { factor, credits, override }: Allowance): number {
  const { base, perCredit, most } = limits[name];
  if (override !== null || perCredit === 0) return override ?? base;
  return Math.floor(Math.min(most, base + perCredit * Math.max(0, credits)) * factor);
}

/** Use of one limit, and its value. */
export interface Use {
  readonly limit: LimitName;
  readonly used: number;
  readonly allowed: number;
  /** Present if the use counts all that was made within so many hours, also what is deleted by now. */
  readonly ofHours?: number;
}

/**
 * How many times its limit a user may make of a thing within an hour. Deleting frees a limit at once, and the database
 * keeps what was made for hours. Captions are written again while they are edited. Preparing takes media workers, which
 * accounts without a purchase could keep for nothing. Decision D268.
 */
export const timesAnHour = {
  captionBytes: { funded: 2, unfunded: 2 },
  preparedSeconds: { funded: 1, unfunded: 0.1 },
} as const satisfies Partial<Record<LimitName, Readonly<Record<'funded' | 'unfunded', number>>>>;

/** Sentence for a user whose request a limit refuses. */
export function wordsOf({ limit, used, allowed, ofHours }: Use): string {
  const { what, remedy } = limits[limit];
  const number = (value: number) => value.toLocaleString('en-US');
  if (ofHours !== undefined) {
    const hours = ofHours === 1 ? 'an hour' : `${ofHours} hours`;
    return (
      `Within ${hours} you have used ${number(used)} of at most ${number(allowed)} ${what}, ` +
      `with those that are gone. This would exceed it. Try again in ${hours}.`
    );
  }
  return `You have ${number(used)} of at most ${number(allowed)} ${what}. This would exceed the limit. ${remedy}`;
}
