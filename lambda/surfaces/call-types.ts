// One call of an operation, and its answer, as the surfaces hand them on.
import type { Caller, Context } from '../operations/context.ts';
import type { Operation } from '../operations/operation.ts';

export interface Call {
  readonly operation: Operation;
  /** Null for public operations only. */
  readonly caller: Caller | null;
  /** Validated by the operation's schemas. */
  readonly input: { readonly params: unknown; readonly query: unknown; readonly body: unknown };
  readonly idempotencyKey: string | null;
  /** Which fields of the answer the client will see. @default all */
  readonly isWanted?: Context['isWanted'];
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON, or empty. */
  readonly body: string;
}
