// Turns any error that ended a request into an application/problem+json answer.
import { ProblemError, problemCodes } from '../operations/problem-codes.ts';
import type { ProblemCode } from '../operations/problem-codes.ts';
import type { Service } from './service.ts';

/**
 * Error codes for a connection to the database that could not be made or was lost: those of the driver, and of Postgres
 * (class 08, 57P0x, 53300).
 */
const unavailable = /^(ECONN\w+|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|08\w{3}|57P0\d|53300)$/;
/**
 * Messages for the same where the driver (pg 8, pg-pool 3) gives no code: the connection was lost during a statement,
 * was lost between two, or was not made in time.
 */
const unavailableMessage =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect)/;

/** A problem document, which is the same on every surface. */
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

/** The document has only public text. The cause of a problem that is our fault is logged. */
export function problemDocument(service: Service, error: unknown): ProblemDocument {
  const problem = asProblem(error);
  const { status, title } = problemCodes[problem.code];
  if (status >= 500) service.log('request_failed', { code: problem.code, cause: problem.cause });
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

/** The absolute URL that identifies a kind of problem. A GET of it explains the problem. */
export function problemType(service: Service, code: string): string {
  return `${service.baseURL}/problems/${code}`;
}

/** What a GET of the URL of a kind of problem answers. */
export function explainProblem(service: Service, code: ProblemCode): Record<string, unknown> {
  const { status, title, explanation } = problemCodes[code];
  return { type: problemType(service, code), code, status, title, explanation };
}

function asProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  const { code = '', message = '' } = error as { code?: string; message?: string };
  if (unavailable.test(code) || unavailableMessage.test(message)) {
    return new ProblemError('upstream_unavailable', 'The database did not answer. Try again in a moment.', {
      cause: error,
    });
  }
  return new ProblemError('internal_error', 'We made a mistake. It is logged.', { cause: error });
}
