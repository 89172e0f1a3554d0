// Turns whatever ended a request into an application/problem+json answer.
import { ProblemError, problemCodes } from '../operations/problem-codes.ts';
import type { ProblemCode } from '../operations/problem-codes.ts';
import type { Service } from './service.ts';

/** Codes of connections that could not be made or were lost, from the driver and from Postgres (class 08, 57P0x, 53300). */
const unavailable = /^(ECONN\w+|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|08\w{3}|57P0\d|53300)$/;
/** The same where the driver gives no code: lost under a statement, lost between two, not made in time (pg 8, pg-pool 3). */
const unavailableMessage =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect)/;

/** A problem document: the same on every surface. */
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

/** Only public text gets out; the cause goes to the log. */
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

/** The URI of a kind of problem: absolute, and a GET there explains it. */
export function problemType(service: Service, code: string): string {
  return `${service.baseURL}/problems/${code}`;
}

/** What that GET answers. */
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
