// What live time costs, when credits run out, what happens then, and who gets free ones. One credit is one US cent.
import type { Framerate, Quality } from './video-format.ts';

/** What an eligible user gets once: four hours of 720p30. */
export const freeCredits = 100;

interface PriceTable {
  readonly version: string;
  /** Intervals that begin from then on cost this. Those that run keep their price. */
  readonly effectiveFrom: string;
  /** Credits per live hour, at up to 30 and at 60 frames per second. */
  readonly creditsPerHour: Readonly<Record<Quality, { readonly upTo30: number; readonly at60: number }>>;
  /** What a backup replica costs, as a share of that. */
  readonly backupShare: number;
}

/** Oldest first. A new price is a new table (operations, part 3). */
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
  },
];

export interface Price {
  readonly version: string;
  readonly creditsPerHour: number;
}

/** What a replica costs whose interval begins at `at`. */
export function priceOf(
  replica: { readonly role: 'primary' | 'backup'; readonly quality: Quality; readonly framerate: Framerate },
  at: Date,
  tables: readonly PriceTable[] = priceTables,
): Price {
  const table = tables.findLast(({ effectiveFrom }) => new Date(effectiveFrom) <= at) ?? tables[0]!;
  const { upTo30, at60 } = table.creditsPerHour[replica.quality];
  const share = replica.role === 'backup' ? table.backupShare : 1;
  return { version: table.version, creditsPerHour: (replica.framerate === 'f_60' ? at60 : upTo30) * share };
}

/** A top-up that is under way has this long to arrive after the credits are gone. */
export const graceMs = 5 * 60_000;

/** Warnings, in the order in which they come, by how long before the end of the credits. */
export const warnings = [
  { kind: 'day', aheadMs: 24 * 3_600_000 },
  { kind: 'hour', aheadMs: 3_600_000 },
  { kind: 'exhausted', aheadMs: 0 },
] as const;
export type Warning = (typeof warnings)[number]['kind'];

/** What is known of an account at a time. */
export interface Consumption {
  /** Less what running intervals have used; below zero within the grace and after reversals. */
  readonly creditsLeft: number;
  readonly creditsPerHour: number;
  /** As it was known before. */
  readonly exhaustedAt: Date | null;
  readonly warned: Warning | null;
  /** Whether there is a stream to stop. */
  readonly anyRunning: boolean;
}

export interface Outlook {
  readonly exhaustedAt: Date | null;
  readonly warned: Warning | null;
  /** When to look again; null: not before something changes. */
  readonly dueAt: Date | null;
}

/** When the credits are gone: in the past where they are gone already, null where nothing uses them. */
export function exhaustionOf({ creditsLeft, creditsPerHour, exhaustedAt }: Consumption, now: Date): Date | null {
  if (creditsLeft <= 0) return exhaustedAt !== null && exhaustedAt <= now ? exhaustedAt : now;
  if (creditsPerHour === 0) return null;
  const runsForMs = (creditsLeft / creditsPerHour) * 3_600_000;
  const time = now.getTime() + Math.ceil(runsForMs);
  return time > maxTime ? null : new Date(time);
}

/** The year 9999: nobody waits for what comes later. */
const maxTime = Date.UTC(9999, 0);

/** When somebody has to look at the account again, and which warnings of the past no longer count. */
export function outlookOf(consumption: Consumption, now: Date): Outlook {
  const exhaustedAt = exhaustionOf(consumption, now);
  if (exhaustedAt === null) return { exhaustedAt, warned: null, dueAt: null };
  // A top-up that moves the end away makes the warnings before it count as not given.
  const leftMs = exhaustedAt.getTime() - now.getTime();
  const given = warnings.findIndex(({ kind }) => kind === consumption.warned);
  const reached = warnings.findLastIndex(({ aheadMs }) => leftMs <= aheadMs);
  const stands = Math.min(given, reached);
  const warned = stands < 0 ? null : warnings[stands]!.kind;
  return { exhaustedAt, warned, dueAt: dueAfter(exhaustedAt, stands, consumption.anyRunning) };
}

function dueAfter(exhaustedAt: Date, given: number, anyRunning: boolean): Date | null {
  if (!anyRunning) return null;
  const next = warnings[given + 1];
  return new Date(exhaustedAt.getTime() + (next ? -next.aheadMs : graceMs));
}

/** What has to be done about an account at this time: the most urgent only. */
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

/** The first account of a verified e-mail address gets free credits, once. The only place where this is decided. */
export function isEligibleForFreeCredits(user: {
  readonly emailVerified: boolean;
  readonly hadGrant: boolean;
}): boolean {
  return user.emailVerified && !user.hadGrant;
}

/** One inbox has one spelling here: case, and what follows a plus sign, make no other. */
export function inboxOf(email: string): string {
  const [local = '', domain = ''] = email.toLowerCase().split(/@(?=[^@]*$)/);
  return `${local.split('+')[0]}@${domain}`;
}
