// The time that guides take is paid in advance, by the link that is read and by its user together.
// Decision D279.
import { databaseOn } from '../../data/database.ts';
import { subjectOfUser } from '../../data/shared/request-windows.ts';
import { ProblemError } from '../../operations/problem-codes.ts';
import type { PlanningBudget } from '../../orchestration/programme/planning-turns.ts';
import type { Service } from '../service.ts';

/**
 * Milliseconds per minute that guides take, before the factor of the stage: those of a link, and those of all links of
 * a user. A link has a third, so that readers of one do not use up the minute of the others.
 */
export const guideMsPerMinute = { link: 10_000, user: 30_000 } as const;

/** Milliseconds that are paid at a time. A factor of the stage does not increase them: it allows more at once. */
const paidMs = 250;
const windowClass = 'guides';

/** The stream of a link, and its user. */
export interface GuideOwner {
  readonly streamID: string;
  readonly userID: string;
}

/**
 * Makes a guide, whose time is paid before anything is read, and as it continues. The remainder is given back.
 * @param make with a budget, which throws as this function does
 * @throws {ProblemError} rate_limited, with Retry-After
 */
export async function payingForGuide<Result>(
  service: Service,
  owner: GuideOwner,
  make: (budget: PlanningBudget) => Promise<Result>,
): Promise<Result> {
  const factor = service.settings.rateLimitFactor;
  const partMs = Math.ceil(paidMs * Math.min(1, factor));
  let paidUntilMs = partMs;
  let paidAt = await pay(service, owner, partMs);
  const beganMs = service.steadyClock();
  const tookMs = () => Math.round(service.steadyClock() - beganMs);
  try {
    return await make({
      // The whole time counts, of a processor or of the database.
      use: () => {},
      useDatabase: () => {},
      assertMayContinue: async () => {
        for (; tookMs() > paidUntilMs; paidUntilMs += partMs) paidAt = await pay(service, owner, partMs);
      },
    });
  } finally {
    await correct(service, owner, { ms: tookMs() - paidUntilMs, paidAt });
  }
}

const subjectOfLink = ({ streamID }: GuideOwner) => `guide of ${streamID}`;

/** @returns the beginning of the windows that were paid in, as `correct` takes it */
async function pay(service: Service, owner: GuideOwner, ms: number): Promise<string> {
  const { settings, pool } = service;
  const most = (limitMs: number) => Math.ceil(limitMs * settings.rateLimitFactor);
  const { link, user } = guideMsPerMinute;
  const paid = await databaseOn(pool).requestWindows.takeOfBoth(
    { subject: subjectOfLink(owner), most: most(link) },
    { subject: subjectOfUser(owner.userID), most: most(user) },
    { requestClass: windowClass, count: ms },
  );
  if (paid.at !== null) return paid.at;
  throw new ProblemError(
    'rate_limited',
    `The guides of this channel took as long as they may within a minute. Try again in ${paid.reset_seconds} seconds.`,
    { headers: { 'retry-after': String(paid.reset_seconds) } },
  );
}

/** Counts what a guide took beyond what it paid, or gives back what it did not take. */
async function correct(
  { pool, log }: Service,
  owner: GuideOwner,
  { ms, paidAt }: { readonly ms: number; readonly paidAt: string },
): Promise<void> {
  const subjects = [subjectOfLink(owner), subjectOfUser(owner.userID)];
  await databaseOn(pool)
    .requestWindows.correct(subjects, windowClass, ms, paidAt)
    .catch((cause: unknown) => log('slow_call_not_counted', { cause }));
}
