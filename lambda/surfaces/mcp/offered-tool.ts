// A tool, and the calls of operations that it makes.
import type { Operation } from '../../operations/operation.ts';
import type { Scope } from '../../operations/scopes.ts';
import type { Json } from '../openapi/schemas.ts';
import type { Tool } from './operation-tools.ts';

/** A tool that clients can call. */
export interface OfferedTool {
  readonly name: string;
  readonly listed: () => Tool;
  /** Whether a caller with these scopes may call it. */
  readonly isFor: (scopes: readonly Scope[]) => boolean;
  /** The operation that a call counts as; null: the call reads no data, or its arguments name no operation. */
  readonly operationOf: (args: Json) => Operation | null;
  /** @throws {ProblemError} */
  readonly run: (args: Json, calls: Calls) => Promise<Json>;
}

/** The calls of operations that a tool makes. */
export interface Calls {
  readonly scopes: readonly Scope[];
  /**
   * Calls an operation with its arguments side by side.
   * @returns the answer as an object: `{ data: […] }` for a list, and `{}` for none
   * @throws {ProblemError}
   */
  readonly call: (operation: Operation, args: Json) => Promise<Json>;
}
