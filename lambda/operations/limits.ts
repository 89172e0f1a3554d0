// Refuses requests that would exceed a limit of the caller.
import { wordsOf } from '../domain/shared/limits.ts';
import type { Use } from '../domain/shared/limits.ts';
import { limitReached } from '../orchestration/shared/limits.ts';
import type { Wanted } from '../orchestration/shared/limits.ts';
import type { Context } from './context.ts';
import { ProblemError } from './problem-codes.ts';

/**
 * Checks that the requested amounts fit within the caller's limits, and locks these limits: parallel requests of the
 * same user wait.
 * @throws {ProblemError} limit_reached
 */
export async function assertRoom(ctx: Context, wanted: Wanted): Promise<void> {
  const reached = await limitReached(ctx.data, ctx.caller.userID, ctx.settings.limitFactor, wanted);
  if (reached) throw limitProblem(reached);
}

/** The problem of a reached limit: its name, the amounts used and allowed, and a remedy. */
export function limitProblem(use: Use): ProblemError {
  const { limit, used, allowed } = use;
  return new ProblemError('limit_reached', wordsOf(use), { members: { limit, used, allowed } });
}
