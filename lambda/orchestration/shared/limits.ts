// Checks the limits of users under a lock, so that of two requests at the edge one is refused.
import type { Database } from '../../data/database.ts';
import type { LimitFacts } from '../../data/accounts/limits.ts';
import { allowedOf, limitNames } from '../../domain/shared/limits.ts';
import type { LimitName, Use } from '../../domain/shared/limits.ts';

/** The additional use that a request wants. */
export type Wanted = Partial<Record<LimitName, number>>;

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
  const names = limitNames.filter((name) => (wanted[name] ?? 0) > 0);
  if (names.length === 0) return null;
  const uses = (await data.limits.lock(userID, names)).map((facts) => useOf(facts, factor));
  return uses.find(({ limit, used, allowed }) => used + wanted[limit]! > allowed) ?? null;
}

/** The use of all limits of the user, or of these, in their order. Nothing is locked. */
export async function limitsOf(
  data: Database,
  userID: string,
  factor: number,
  names: readonly LimitName[] = limitNames,
): Promise<Use[]> {
  const facts = await data.limits.facts(userID, names);
  const uses = new Map(facts.map((each) => [each.limit_name, useOf(each, factor)]));
  return names.map((name) => uses.get(name)!);
}

function useOf({ limit_name: limit, used, override, credits }: LimitFacts, factor: number): Use {
  return { limit, used, allowed: allowedOf(limit, { factor, credits, override }) };
}
