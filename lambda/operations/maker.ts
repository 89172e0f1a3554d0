// The maker of a webhook, an alert channel or a source: applications redirect only those that end with them.
import type { Context } from './context.ts';
import { fieldProblem } from './field-problems.ts';

/**
 * Refuses an application that would change the address or the secret of a webhook, an alert channel or a source of
 * others. The platform would still send it messages after the user has disconnected it, signed with a secret that it
 * knows, or import what it chooses.
 * @param field the field of the request, or the parameter that names the resource
 * @throws {ProblemError} insufficient_scope
 */
export function assertMaker({ caller }: Context, made: { readonly client_id: string | null }, field: string): void {
  if (caller.clientID === null || caller.clientID === made.client_id) return;
  throw fieldProblem(
    field,
    'An application may redirect only what it made, or replace its secret. Create another one, or ask the user.',
    'insufficient_scope',
  );
}
