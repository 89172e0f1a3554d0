// A call of an operation and its answer, as surfaces pass them on.
import type { Caller, Context } from '../operations/context.ts';
import type { Operation } from '../operations/operation.ts';
import type { CallTimer } from './admission/call-time.ts';

export interface Call {
  readonly operation: Operation;
  /** Null for public operations only. */
  readonly caller: Caller | null;
  /** Measures the work of the call; null: its time is not counted. */
  readonly time: CallTimer | null;
  /** Validated by the operation's schemas. */
  readonly input: { readonly params: unknown; readonly query: unknown; readonly body: unknown };
  readonly idempotencyKey: string | null;
  /** Aborted once the client is gone, which ends reads that plan. Absent: the surface does not know. */
  readonly signal?: AbortSignal | undefined;
  /** The client's IP address; absent: the surface has no operations for guests. */
  readonly address?: string;
  /**
   * Builds the OpenAPI document. Absent: the surface has no operation that returns it, and its function is smaller
   * without.
   */
  readonly buildDocument?: (operations: readonly Operation[], baseURL: string) => unknown;
  /** Whether the client selected a field of the answer. Default: all fields. */
  readonly isWanted?: Context['isWanted'];
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON, or empty. */
  readonly body: string;
}
