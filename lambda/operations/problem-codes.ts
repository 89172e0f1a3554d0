// Ends a request with a problem of one of the kinds in problem-kinds.ts.
import type { problemCodes } from './problem-kinds.ts';

export type ProblemCode = keyof typeof problemCodes;

/** One fault of the input. Its `path` is a JSON pointer into the body, or /path/NAME, /query/NAME or /header/NAME. */
export interface FieldError {
  readonly path: string;
  readonly code: string;
  readonly detail: string;
}

/**
 * Ends a request with a problem. Clients see `detail`. Put facts that clients must not see into `cause`, which is only
 * logged.
 */
export class ProblemError extends Error {
  override name = 'ProblemError';
  readonly code: ProblemCode;
  readonly detail: string;
  readonly errors: readonly FieldError[];
  /** Additional members of the problem document. */
  readonly members: Readonly<Record<string, unknown>>;
  /** Additional headers of the answer. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ProblemCode,
    detail: string,
    more: {
      errors?: readonly FieldError[];
      members?: Record<string, unknown>;
      headers?: Record<string, string>;
      cause?: unknown;
    } = {},
  ) {
    super(`${code}: ${detail}`, { cause: more.cause });
    this.code = code;
    this.detail = detail;
    this.errors = more.errors ?? [];
    this.members = more.members ?? {};
    this.headers = more.headers ?? {};
  }

  /** The same problem, with the paths of its faults translated from a REST request to another surface. */
  at(pathOf: (pointer: string) => string): ProblemError {
    const { members, headers, cause } = this;
    return new ProblemError(this.code, this.detail, {
      errors: this.errors.map((fault) => ({ ...fault, path: pathOf(fault.path) })),
      members,
      headers,
      cause,
    });
  }
}
