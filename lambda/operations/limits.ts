// Refuses what would exceed a limit of the caller.
import { wordsOf } from '../domain/shared/limits.ts';
import type { Use } from '../domain/shared/limits.ts';
import { limitReached } from '../orchestration/shared/limits.ts';
import type { Wanted } from '../orchestration/shared/limits.ts';
import type { Context } from './context.ts';
import { ProblemError } from './problem-codes.ts';

/**
 * Makes sure that the caller may have so much more, and that nobody else of the same user takes the room meanwhile.
 * @throws {ProblemError} limit_reached
 */
export async function assertRoom(ctx: Context, wanted: Wanted): Promise<void> {
  const reached = await limitReached(ctx.data, ctx.caller.userID, ctx.settings.limitFactor, wanted);
  if (reached) throw limitProblem(reached);
}

/** The refusal: which limit it is, how much is used and allowed, and what to do. */
export function limitProblem(use: Use): ProblemError {
  return new ProblemError('limit_reached', wordsOf(use), { members: { ...use } });
}
