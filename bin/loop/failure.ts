// The failures that `loop` reports, each with the exit code that scripts can rely on.

/** The exit codes, which never change, and their words. */
export const failures = {
  refused: { exitCode: 1, words: 'refused, or the stream failed: the message has the reason and the remedy' },
  usage: { exitCode: 2, words: 'the command line or a file is wrong; nothing was sent' },
  not_found: { exitCode: 3, words: 'there is no such stream, file or other thing' },
  not_signed_in: { exitCode: 4, words: 'not signed in, or without the permission' },
  unreachable: { exitCode: 5, words: 'the platform does not answer, or made a mistake: try again' },
  too_late: {
    exitCode: 6,
    words: 'the time of --timeout is over; the platform continues its work: run the command again',
  },
  changes: { exitCode: 7, words: 'with plan --check: there are changes' },
} as const;

export type FailureKind = keyof typeof failures;

export class LoopFailure extends Error {
  override name = 'LoopFailure';
  readonly kind: FailureKind;
  /** Further lines for people, such as issues with their remedies. */
  readonly lines: readonly string[];
  /** The problem document of the API, for programs; null: the failure is not from the API. */
  readonly problem: Problem | null;

  constructor(kind: FailureKind, message: string, more: { lines?: readonly string[]; problem?: Problem } = {}) {
    super(message);
    this.kind = kind;
    this.lines = more.lines ?? [];
    this.problem = more.problem ?? null;
  }
}

/** A refusal in the API's format (RFC 9457). */
export interface Problem {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly { readonly path: string; readonly detail: string }[];
  readonly readiness?: { readonly issues: readonly { readonly error: string; readonly suggestion: string }[] };
}

/** A failure by the answer of the API: its fault, and its remedy. */
export function failureOf(problem: Problem): LoopFailure {
  const { status, detail, errors = [], readiness } = problem;
  const lines = [
    ...errors.map((error) => `  ${error.path}: ${error.detail}`),
    ...(readiness?.issues ?? []).map(({ error, suggestion }) => `  ${error} ${suggestion}`),
    ...(status === 401 ? ['  Sign in with `loop login`, or set LOOP_API_KEY.'] : []),
  ];
  return new LoopFailure(kindOf(status), detail, { lines, problem });
}

function kindOf(status: number): FailureKind {
  if (status >= 500 || status === 429) return 'unreachable';
  if (status === 401 || status === 403) return 'not_signed_in';
  return status === 404 ? 'not_found' : 'refused';
}
