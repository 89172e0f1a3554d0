// Checks the limits of users under a lock, so that of two requests at the edge one is refused.
import type { Database } from '../../data/database.ts';
import type { LimitFacts } from '../../data/accounts/limits.ts';
import { allowedOf, limitNames } from '../../domain/shared/limits.ts';
import type { LimitName, Use } from '../../domain/shared/limits.ts';

/** The additional use that a request wants. */
export type Wanted = Partial<Record<LimitName, number>>;

/** A request of a user that needs more of some limits. */
export interface LimitRequest {
  readonly userID: string;
  readonly wanted: Wanted;
}

/**
 * The first limit that would be exceeded; null: none. The use stays locked until the caller's transaction ends, so that
 * the caller can make what it asked for.
 * @param factor of the stage
 */
export async function limitReached(
  data: Database,
  userID: string,
  factor: number,
  wanted: Wanted,
): Promise<Use | null> {
  return (await limitsReached(data, factor, [{ userID, wanted }]))[0]!;
}

/**
 * The first limit that each request would exceed, as `limitReached`. A request counts the granted ones before it.
 * @returns one for each request, in their order
 */
export async function limitsReached(
  data: Database,
  factor: number,
  requests: readonly LimitRequest[],
): Promise<(Use | null)[]> {
  const names = limitNames.filter((name) => requests.some(({ wanted }) => (wanted[name] ?? 0) > 0));
  if (names.length === 0) return requests.map(() => null);
  const facts = await data.limits.lock(
    requests.map(({ userID }) => userID),
    names,
  );
  const usesOf = new Map(
    Array.from(
      Map.groupBy(facts, ({ user_id: userID }) => userID),
      ([userID, rows]) => {
        const uses = new Map(rows.map((row) => [row.limit_name, useOf(row, factor)]));
        return [userID, names.map((name) => uses.get(name)!)] as const;
      },
    ),
  );
  return requests.map(({ userID, wanted }) => {
    const uses = usesOf.get(userID)!;
    const moreOf = (limit: LimitName) => wanted[limit] ?? 0;
    const reached = uses.find(({ limit, used, allowed }) => moreOf(limit) > 0 && used + moreOf(limit) > allowed);
    if (reached) return inWholeNumbers(reached);
    usesOf.set(
      userID,
      uses.map((use) => ({ ...use, used: use.used + moreOf(use.limit) })),
    );
    return null;
  });
}

/** The use of all limits of the user, or of these, in their order. Nothing is locked. */
export async function limitsOf(
  data: Database,
  userID: string,
  factor: number,
  names: readonly LimitName[] = limitNames,
): Promise<Use[]> {
  const facts = await data.limits.facts(userID, names);
  const uses = new Map(facts.map((each) => [each.limit_name, inWholeNumbers(useOf(each, factor))]));
  return names.map((name) => uses.get(name)!);
}

function useOf({ limit_name: limit, used, override, credits }: LimitFacts, factor: number): Use {
  return { limit, used, allowed: allowedOf(limit, { factor, credits, override }) };
}

/** A use as users read it. */
function inWholeNumbers(use: Use): Use {
  return { ...use, used: Math.round(use.used) };
}
