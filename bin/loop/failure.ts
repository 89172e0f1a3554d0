// The failures that `loop` reports, each with the exit code that scripts can rely on.

/** The exit codes. Their meaning never changes. */
export const exitCodes = {
  refused: 1,
  usage: 2,
  not_found: 3,
  not_signed_in: 4,
  unreachable: 5,
  too_late: 6,
  changes: 7,
} as const;

export type FailureKind = keyof typeof exitCodes;

export const exitCodeWords: Readonly<Record<FailureKind, string>> = {
  refused: 'refused, or the stream failed: the message has the reason and the remedy',
  usage: 'the command line or a file is wrong; nothing was sent',
  not_found: 'there is no such stream, file or other thing',
  not_signed_in: 'not signed in, or without the permission',
  unreachable: 'the platform does not answer, or made a mistake: try again',
  too_late: 'the time of --timeout is over; the platform continues its work: run the command again',
  changes: 'with plan --check: there are changes',
};

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
  readonly partNumbers?: readonly number[];
}

/** A failure by the answer of the API: its fault, and its remedy. */
export function failureOf(problem: Problem): LoopFailure {
  const { status } = problem;
  const isOurs = status >= 500 || status === 429;
  const denied = status === 401 || status === 403 ? 'not_signed_in' : 'refused';
  const kind = isOurs ? 'unreachable' : status === 404 ? 'not_found' : denied;
  const lines = [
    ...(problem.errors ?? []).map(({ path, detail }) => `  ${path}: ${detail}`),
    ...(problem.readiness?.issues ?? []).map(({ error, suggestion }) => `  ${error} ${suggestion}`),
    ...(status === 401 ? ['  Sign in with `loop login`, or set LOOP_API_KEY.'] : []),
  ];
  return new LoopFailure(kind, problem.detail, { lines, problem });
}
