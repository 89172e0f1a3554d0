// Kinds of events and incidents that a caller may have reported to others: those whose data it may read itself.
import type { Context } from './context.ts';
import { fieldProblem } from './field-problems.ts';
import type { Scope } from './scopes.ts';

/**
 * Refuses kinds about data that the caller may not read.
 * @param scopeOf the scope that reads the data of a kind
 * @throws {ProblemError} insufficient_scope
 */
export function assertMayReport<Kind extends string>(
  { caller }: Context,
  events: readonly Kind[],
  scopeOf: (kind: Kind) => Scope,
): void {
  const untold = events.filter((kind) => !caller.scopes.includes(scopeOf(kind)));
  if (untold.length === 0) return;
  const needs = untold.map((kind) => `${kind} needs the scope ${scopeOf(kind)}`);
  throw fieldProblem(
    'events',
    `${needs.join(', ')}. Ask the user for this scope, or leave the event out.`,
    'insufficient_scope',
  );
}
