// Prices of live time and storage, the end of credits and its consequences, and free credits.
// One credit is one US cent.
import type { Framerate, Quality } from '../shared/video-format.ts';

/** Free credits of an eligible user, once: four hours of 720p30. */
export const freeCredits = 100;

export interface PriceTable {
  readonly version: string;
  /** Begin of the first live intervals with this price. Running intervals keep their price. */
  readonly effectiveFrom: string;
  /** Credits per live hour, at up to 30 and at 60 frames per second. */
  readonly creditsPerHour: Readonly<Record<Quality, { readonly upTo30: number; readonly at60: number }>>;
  /** Price of a backup replica, as a share of its primary's. */
  readonly backupShare: number;
  /** Price of each output after the first live one, as a share of that one's price. */
  readonly furtherShare: number;
  /** Price of a GiB beyond the allowance for 720 hours. A day in UTC costs the price in force when it begins. */
  readonly creditsPerGiBMonth: number;
}

/** Oldest first. A new price is a new table at the end: live intervals name the version of their price. */
export const priceTables: readonly PriceTable[] = [
  {
    version: '1',
    effectiveFrom: '2020-01-01T00:00:00Z',
    creditsPerHour: {
      q_720p: { upTo30: 25, at60: 35 },
      q_1080p: { upTo30: 39, at60: 69 },
      q_1440p: { upTo30: 89, at60: 139 },
      q_2160p: { upTo30: 169, at60: 199 },
    },
    backupShare: 1,
    furtherShare: 0.6,
    creditsPerGiBMonth: 4,
  },
];

export interface Price {
  readonly version: string;
  readonly creditsPerHour: number;
}

/** Price of a replica whose live interval begins at `at`. */
export function priceOf(
  replica: {
    readonly role: 'primary' | 'backup';
    readonly quality: Quality;
    readonly framerate: Framerate;
    /** Whether another output of the stream is live at the full price. */
    readonly isFurther?: boolean;
  },
  at: Date,
  tables: readonly PriceTable[] = priceTables,
): Price {
  const table = tableAt(at, tables);
  const { upTo30, at60 } = table.creditsPerHour[replica.quality];
  const share = (replica.role === 'backup' ? table.backupShare : 1) * (replica.isFurther ? table.furtherShare : 1);
  return { version: table.version, creditsPerHour: (replica.framerate === 'f_60' ? at60 : upTo30) * share };
}

/** Price of an hour of a stream with its first output, all other outputs and their backups live. */
export function streamPriceOf(
  stream: {
    readonly quality: Quality;
    readonly framerate: Framerate;
    readonly isBackedUp: boolean;
    /** Outputs after the first. */
    readonly further: readonly { readonly isBackedUp: boolean }[];
  },
  at: Date,
  tables: readonly PriceTable[] = priceTables,
): number {
  const priceAs = (isFurther: boolean, isBackedUp: boolean) =>
    priceOf({ ...stream, role: 'primary', isFurther }, at, tables).creditsPerHour +
    (isBackedUp ? priceOf({ ...stream, role: 'backup', isFurther }, at, tables).creditsPerHour : 0);
  return stream.further.reduce(
    (sum, { isBackedUp }) => sum + priceAs(true, isBackedUp),
    priceAs(false, stream.isBackedUp),
  );
}

/** Price of a GiB beyond the allowance for 720 hours, on a day that begins at `at`. */
export function storagePriceOf(at: Date): number {
  return tableAt(at).creditsPerGiBMonth;
}

/** The prices in force at a time. */
export function tableAt(at: Date, tables: readonly PriceTable[] = priceTables): PriceTable {
  return tables.findLast(({ effectiveFrom }) => new Date(effectiveFrom) <= at) ?? tables[0]!;
}

/** Time for which streams continue at most after the credits are used up, so that a top-up under way can arrive. */
export const graceMs = 5 * 60_000;

/**
 * Credits that an account may owe before its streams are stopped within that time, so that many dear streams at once
 * get no more. Five minutes at 720p30 take two, at 2160p60 with a backup 33. Decision D263.
 */
export const graceCredits = { funded: 50, unfunded: 5 } as const;

/** Warnings in the order in which a user gets them, each with its time before the end of the credits. */
export const warnings = [
  { kind: 'day', aheadMs: 24 * 3_600_000 },
  { kind: 'hour', aheadMs: 3_600_000 },
  { kind: 'exhausted', aheadMs: 0 },
] as const;
export type Warning = (typeof warnings)[number]['kind'];

/** Facts of an account and of its use of credits, at a time. */
export interface Consumption {
  /** Credits less the use of open live intervals. Below zero within the grace, and after a reversed payment. */
  readonly creditsLeft: number;
  readonly creditsPerHour: number;
  /** When the credits were, or would have been, used up, by the last judgement of the account. */
  readonly exhaustedAt: Date | null;
  readonly warned: Warning | null;
  /** Whether any stream of the user is running. */
  readonly anyRunning: boolean;
  /** Whether the user has a purchase, or credits from an operator. */
  readonly isFunded: boolean;
}

export interface Outlook {
  readonly exhaustedAt: Date | null;
  /** The end of the grace, when running streams are stopped; null: never, as `exhaustedAt`. */
  readonly stopsAt: Date | null;
  readonly warned: Warning | null;
  /** When to judge the account again; null if only a change of it makes that necessary. */
  readonly dueAt: Date | null;
}

/** When the credits are used up: in the past if they already are; null if nothing uses them, or not before 9999. */
export function exhaustionOf(
  { creditsLeft, creditsPerHour, exhaustedAt }: Pick<Consumption, 'creditsLeft' | 'creditsPerHour' | 'exhaustedAt'>,
  now: Date,
): Date | null {
  if (creditsLeft <= 0) return exhaustedAt !== null && exhaustedAt <= now ? exhaustedAt : now;
  if (creditsPerHour === 0) return null;
  const runsForMs = (creditsLeft / creditsPerHour) * 3_600_000;
  const time = now.getTime() + Math.ceil(runsForMs);
  return time > maxTime ? null : new Date(time);
}

/** Credits that last beyond the year 9999 count as endless. */
const maxTime = Date.UTC(9999, 0);

/** When to judge the account again, and which warning still counts as given. */
export function outlookOf(consumption: Consumption, now: Date): Outlook {
  const exhaustedAt = exhaustionOf(consumption, now);
  if (exhaustedAt === null) return { exhaustedAt, stopsAt: null, warned: null, dueAt: null };
  const stopsAt = endOfGrace(consumption, exhaustedAt, now);
  // A top-up that postpones the end withdraws the warnings that are no longer due, so that they are given again later.
  const leftMs = exhaustedAt.getTime() - now.getTime();
  const given = warnings.findIndex(({ kind }) => kind === consumption.warned);
  const reached = warnings.findLastIndex(({ aheadMs }) => leftMs <= aheadMs);
  const stands = Math.min(given, reached);
  const warned = stands < 0 ? null : warnings[stands]!.kind;
  const dueAt = consumption.anyRunning ? dueAfter({ exhaustedAt, stopsAt }, stands) : null;
  return { exhaustedAt, stopsAt, warned, dueAt };
}

/** When the time of the grace, or what it may cost, is used up: never before `exhaustedAt`, whatever is owed then. */
function endOfGrace({ creditsLeft, creditsPerHour, isFunded }: Consumption, exhaustedAt: Date, now: Date): Date {
  const lastsUntil = exhaustedAt.getTime() + graceMs;
  if (creditsPerHour === 0) return new Date(lastsUntil);
  const most = isFunded ? graceCredits.funded : graceCredits.unfunded;
  const paysForMs = Math.floor(((creditsLeft + most) / creditsPerHour) * 3_600_000);
  return new Date(Math.min(lastsUntil, Math.max(exhaustedAt.getTime(), now.getTime() + paysForMs)));
}

/**
 * When the next warning is due; after the last warning, when the streams are stopped.
 * @param given index of the last given warning, -1 if none
 */
function dueAfter({ exhaustedAt, stopsAt }: { exhaustedAt: Date; stopsAt: Date }, given: number): Date {
  const next = warnings[given + 1];
  return next ? new Date(exhaustedAt.getTime() - next.aheadMs) : stopsAt;
}

/** The most urgent action that is due now for an account; null if none is. */
export function actionDue(
  { exhaustedAt, stopsAt, warned }: Pick<Outlook, 'exhaustedAt' | 'stopsAt' | 'warned'>,
  now: Date,
): { stop: true } | { warn: Warning } | null {
  if (exhaustedAt === null) return null;
  if (stopsAt !== null && now >= stopsAt) return { stop: true };
  const reached = warnings.findLastIndex(({ aheadMs }) => exhaustedAt.getTime() - now.getTime() <= aheadMs);
  const given = warnings.findIndex(({ kind }) => kind === warned);
  return reached > given ? { warn: warnings[reached]!.kind } : null;
}

/**
 * The first account of an e-mail address gets free credits, once, when the address is verified. No other rule applies.
 */
export function isEligibleForFreeCredits(user: {
  readonly emailVerified: boolean;
  readonly hadGrant: boolean;
}): boolean {
  return user.emailVerified && !user.hadGrant;
}
