// What live time and storage cost, when credits run out, what happens then, and who gets free ones.
// One credit is one US cent.
import type { Framerate, Quality } from '../shared/video-format.ts';

/** What an eligible user gets once: four hours of 720p30. */
export const freeCredits = 100;

interface PriceTable {
  readonly version: string;
  /** Live intervals that begin at this time or later cost this. Intervals that run already keep their price. */
  readonly effectiveFrom: string;
  /** Credits per live hour, at up to 30 and at 60 frames per second. */
  readonly creditsPerHour: Readonly<Record<Quality, { readonly upTo30: number; readonly at60: number }>>;
  /** What a backup replica costs, as a share of the price of a primary one. */
  readonly backupShare: number;
  /** What each output of a stream costs beside the first live one, as a share of the price of that. */
  readonly furtherShare: number;
  /** Of a GiB beyond the allowance, for 720 hours. Each day in UTC costs what the table in force at its begin says. */
  readonly creditsPerGiBMonth: number;
}

/** Oldest first. A new price is a new table at the end: live intervals name the version that they were priced by. */
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

/** What a replica costs whose live interval begins at `at`. */
export function priceOf(
  replica: {
    readonly role: 'primary' | 'backup';
    readonly quality: Quality;
    readonly framerate: Framerate;
    /** Another output of the stream is live at the full price. */
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

/** What all of a stream costs in an hour in which its first output, each other and their backups are live. */
export function streamPriceOf(
  stream: {
    readonly quality: Quality;
    readonly framerate: Framerate;
    readonly isBackedUp: boolean;
    /** Outputs beside the first. */
    readonly further: readonly { readonly isBackedUp: boolean }[];
  },
  at: Date,
): number {
  const priceAs = (isFurther: boolean, isBackedUp: boolean) =>
    priceOf({ ...stream, role: 'primary', isFurther }, at).creditsPerHour +
    (isBackedUp ? priceOf({ ...stream, role: 'backup', isFurther }, at).creditsPerHour : 0);
  return stream.further.reduce(
    (sum, { isBackedUp }) => sum + priceAs(true, isBackedUp),
    priceAs(false, stream.isBackedUp),
  );
}

/** What a GiB beyond the allowance costs for 720 hours, in a day that begins at `at`. */
export function storagePriceOf(at: Date): number {
  return tableAt(at).creditsPerGiBMonth;
}

/** The prices in force at a time. */
export function tableAt(at: Date, tables: readonly PriceTable[] = priceTables): PriceTable {
  return tables.findLast(({ effectiveFrom }) => new Date(effectiveFrom) <= at) ?? tables[0]!;
}

/** Streams go on for this long after the credits are used up, so that a top-up that is under way can arrive. */
export const graceMs = 5 * 60_000;

/** The warnings in the order in which a user gets them, each with how long before the end of the credits it is due. */
export const warnings = [
  { kind: 'day', aheadMs: 24 * 3_600_000 },
  { kind: 'hour', aheadMs: 3_600_000 },
  { kind: 'exhausted', aheadMs: 0 },
] as const;
export type Warning = (typeof warnings)[number]['kind'];

/** What is known at a time of an account and of what uses its credits. */
export interface Consumption {
  /**
   * What live intervals have used so far is taken off. Below zero within the grace, and after a payment was reversed.
   */
  readonly creditsLeft: number;
  readonly creditsPerHour: number;
  /** When the credits were, or would have been, used up, as the account was last judged. */
  readonly exhaustedAt: Date | null;
  readonly warned: Warning | null;
  /** Whether any stream of the user is running, so that there is one to stop. */
  readonly anyRunning: boolean;
}

export interface Outlook {
  readonly exhaustedAt: Date | null;
  readonly warned: Warning | null;
  /** When to judge the account again; null where only a change of it makes that necessary. */
  readonly dueAt: Date | null;
}

/**
 * When the credits are used up: in the past where they are already; null where nothing uses them, or not before 9999.
 */
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

/** Credits that last beyond the year 9999 count as lasting for ever. */
const maxTime = Date.UTC(9999, 0);

/** When the account has to be judged again, and which warning still counts as given. */
export function outlookOf(consumption: Consumption, now: Date): Outlook {
  const exhaustedAt = exhaustionOf(consumption, now);
  if (exhaustedAt === null) return { exhaustedAt, warned: null, dueAt: null };
  // A top-up that postpones the end takes back the warnings that are no longer due, so that they are given again later.
  const leftMs = exhaustedAt.getTime() - now.getTime();
  const given = warnings.findIndex(({ kind }) => kind === consumption.warned);
  const reached = warnings.findLastIndex(({ aheadMs }) => leftMs <= aheadMs);
  const stands = Math.min(given, reached);
  const warned = stands < 0 ? null : warnings[stands]!.kind;
  const dueAt = consumption.anyRunning ? dueAfter(exhaustedAt, stands) : null;
  return { exhaustedAt, warned, dueAt };
}

/**
 * When the next warning is due; after the last warning, when the streams are stopped.
 * @param given index of the last warning that was given, -1 where none was
 */
function dueAfter(exhaustedAt: Date, given: number): Date {
  const next = warnings[given + 1];
  return new Date(exhaustedAt.getTime() + (next ? -next.aheadMs : graceMs));
}

/** What has to be done about an account now. Of several things only the most urgent; null where nothing is due. */
export function actionDue(
  { exhaustedAt, warned }: Pick<Outlook, 'exhaustedAt' | 'warned'>,
  now: Date,
): { stop: true } | { warn: Warning } | null {
  if (exhaustedAt === null) return null;
  if (now.getTime() >= exhaustedAt.getTime() + graceMs) return { stop: true };
  const reached = warnings.findLastIndex(({ aheadMs }) => exhaustedAt.getTime() - now.getTime() <= aheadMs);
  const given = warnings.findIndex(({ kind }) => kind === warned);
  return reached > given ? { warn: warnings[reached]!.kind } : null;
}

/**
 * The first account of an e-mail address gets free credits, once, when the
 * address is verified. Nothing else decides this.
 */
export function isEligibleForFreeCredits(user: {
  readonly emailVerified: boolean;
  readonly hadGrant: boolean;
}): boolean {
  return user.emailVerified && !user.hadGrant;
}
