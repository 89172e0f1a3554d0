// The declaration of an operation that deletes one thing by its id.
import type { Context } from './context.ts';
import { type Operation, operation } from './operation.ts';
import type { ProblemCode } from './problem-codes.ts';

interface Deletion extends Pick<Operation, 'id' | 'summary' | 'tag'> {
  readonly description?: string;
  readonly path: `/${string}/{id}${string}`;
  /** Problem codes beside `not_found`. */
  readonly errors?: readonly ProblemCode[];
  readonly hints?: Operation['hints'];
  /** @throws {ProblemError} `not_found` for an unknown id, or one of `errors` */
  readonly remove: (ctx: Context, id: string) => Promise<void>;
}

/** DELETE, which answers 204. */
export function deleteOperation(
  scope: 'service:write' | 'service:destructive',
  { path, hints, remove, ...declaration }: Deletion,
): Operation {
  return operation([scope], {
    ...declaration,
    ...(hints && { hints }),
    route: `DELETE ${path}`,
    output: { status: 204 },
    async handle(ctx, { params }) {
      await remove(ctx, params.id);
      return undefined;
    },
  });
}
