// Turns an error that ended a request into an application/problem+json answer.
import { ChangeRefused } from '../data/shared/change-bounds.ts';
import { statementEnded } from '../data/shared/statement-time.ts';
import { ProblemError } from '../operations/problem-codes.ts';
import { problemCodes } from '../operations/problem-kinds.ts';
import type { ProblemCode } from '../operations/problem-codes.ts';
import { ClientGone } from './admission/planning-limits.ts';
import type { Service } from './service.ts';

/**
 * Error codes of a database connection that failed or was lost: codes of the driver, and of Postgres (class 08, 57P0x,
 * 53300).
 */
const unavailable = /^(ECONN\w+|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|08\w{3}|57P0\d|53300)$/;
/**
 * Messages of such errors for which the driver (pg 8, pg-pool 3) gives no code: the connection was lost during a
 * statement or between two, or was not made in time.
 */
const unavailableMessage =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect)/;

/** The code of Postgres for a disk without room. */
const diskFull = '53100';

/** A problem document. Every surface has the same document. */
export interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ProblemCode;
  readonly [member: string]: unknown;
}

export function problemResponse(service: Service, error: unknown): Response {
  const problem = asProblem(error);
  const document = problemDocument(service, problem);
  return Response.json(document, {
    status: document.status,
    headers: { 'content-type': 'application/problem+json', ...problem.headers },
  });
}

/** The document of a problem, with public text only. The cause of a fault of the platform is logged. */
export function problemDocument(service: Service, error: unknown): ProblemDocument {
  const problem = asProblem(error);
  const { status, title } = problemCodes[problem.code];
  if (status >= 500 && !(problem.cause instanceof ClientGone))
    service.log('request_failed', { code: problem.code, cause: problem.cause });
  if (problem.code === 'rate_limited' && problem.cause) service.log('lock_not_free', { cause: problem.cause });
  return {
    type: problemType(service, problem.code),
    title,
    status,
    detail: problem.detail,
    code: problem.code,
    ...(problem.errors.length > 0 ? { errors: problem.errors } : {}),
    ...problem.members,
  };
}

/** The absolute URL that identifies a kind of problem. A GET request to it returns an explanation. */
export function problemType(service: Service, code: string): string {
  return `${service.baseURL}/problems/${code}`;
}

/** The answer to a GET request to the URL of a kind of problem. */
export function explainProblem(service: Service, code: ProblemCode): Record<string, unknown> {
  const { status, title, explanation } = problemCodes[code];
  return { type: problemType(service, code), code, status, title, explanation };
}

function asProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  if (error instanceof ChangeRefused)
    return new ProblemError('rate_limited', error.message, {
      headers: { 'retry-after': String(error.retrySeconds) },
      cause: error.cause,
    });
  const { code = '', message = '' } = error as { code?: string; message?: string };
  if (unavailable.test(code) || unavailableMessage.test(message)) {
    return new ProblemError('upstream_unavailable', 'The database did not answer. Try again in a moment.', {
      cause: error,
    });
  }
  if (code === diskFull) {
    const detail =
      'The disk of the database has no room. Nothing was changed. Try again when the operator has made room.';
    return new ProblemError('upstream_unavailable', detail, { cause: error });
  }
  if (code === statementEnded) {
    const detail =
      'The database ended a statement that took too long. Nothing was changed. Ask for less at once: smaller pages, ' +
      'shorter spans of time, fewer fields or items. If that is not possible, try again later.';
    return new ProblemError('upstream_unavailable', detail, { cause: error });
  }
  return new ProblemError('internal_error', 'The platform made a mistake, which is logged.', { cause: error });
}
