// Answers of GraphQL over HTTP: data and errors as JSON. Errors have the same codes as on every surface.
import { GraphQLError } from 'graphql';
import type { ExecutionResult, GraphQLFormattedError } from 'graphql';
import { ProblemError } from '../../operations/problem-codes.ts';
import type { ProblemCode } from '../../operations/problem-codes.ts';
import { problemDocument } from '../problem-response.ts';
import type { ProblemDocument } from '../problem-response.ts';
import { quotaHeaders } from '../admission/rate-limits.ts';
import type { Quota } from '../admission/rate-limits.ts';
import type { Service } from '../service.ts';
import { QueryRefused } from './read-query.ts';

/**
 * The largest answer. A Lambda function returns at most 6 MB, and escaping the quotation marks of the JSON makes it
 * longer.
 */
const maxAnswerBytes = 4_000_000;

// GraphQL over HTTP: for a client that does not accept the newer type, a refused query has the status 200. Only a
// request that contains no query has another status.
const olderType = 'application/json';
const newerType = 'application/graphql-response+json';

/**
 * The answer to an executed query.
 * @param replayed names of the fields that returned a stored answer of their idempotency key
 */
export function resultResponse(
  service: Service,
  accept: string | null,
  { data, errors }: ExecutionResult,
  replayed: readonly string[],
): Response {
  const documentOf = documentsOf(service);
  const answer = {
    ...(errors ? { errors: errors.map((error) => formatted(documentOf, error, codeInExecution(error))) } : {}),
    data,
    ...(replayed.length > 0 ? { extensions: { idempotencyReplayed: replayed } } : {}),
  };
  const body = JSON.stringify(answer);
  if (Buffer.byteLength(body) <= maxAnswerBytes) return respond(accept, 200, body, {});
  return refusalResponse(
    service,
    accept,
    new ProblemError(
      'query_too_large',
      'The answer is larger than 4 MB and is not sent, but its changes were made. Request smaller pages (first) ' +
        'or fewer fields.',
    ),
  );
}

/**
 * The answer to a query that was not executed.
 * @param error the reason
 */
export function refusalResponse(service: Service, accept: string | null, error: unknown): Response {
  const documentOf = documentsOf(service);
  if (error instanceof QueryRefused) {
    const errors = error.errors.map((each) => formatted(documentOf, each, error.code));
    return respond(accept, typeOf(accept) === olderType ? 200 : 400, JSON.stringify({ errors }), {});
  }
  const { message, extensions } = formatted(documentOf, new GraphQLError('', { originalError: error as Error }), null);
  const { status } = extensions as { status: number };
  const headers = error instanceof ProblemError ? error.headers : {};
  return respond(accept, status === 422 ? 400 : status, JSON.stringify({ errors: [{ message, extensions }] }), headers);
}

export function withQuota(response: Response, quota: Quota | null): Response {
  if (quota === null) return response;
  const refused = response.status === 429 && !response.headers.has('retry-after');
  for (const [name, value] of Object.entries(quotaHeaders(quota, { refused }))) response.headers.set(name, value);
  return response;
}

type Documents = (problem: unknown) => ProblemDocument;

/** Creates one document per problem, so that a problem of a hundred streams is logged once. */
function documentsOf(service: Service): Documents {
  const known = new Map<unknown, ProblemDocument>();
  return (problem) => {
    const document = known.get(problem) ?? problemDocument(service, problem);
    known.set(problem, document);
    return document;
  };
}

/**
 * Formats an error.
 * @param code the code of an error of the GraphQL library; null if the library only passes on an error of an operation
 */
function formatted(documentOf: Documents, error: GraphQLError, code: ProblemCode | null): GraphQLFormattedError {
  const { locations, path, originalError } = error;
  const isThrown = code === null || originalError instanceof ProblemError;
  const problem = isThrown ? (originalError ?? error) : new ProblemError(code, error.message);
  const { detail, title: _, ...extensions } = documentOf(problem);
  return { message: detail, ...(locations ? { locations } : {}), ...(path ? { path } : {}), extensions };
}

/**
 * The code of an error during execution. The library finds only then that an argument or directive is null but must not
 * be; that error has a place in the query. Any other error that it finds is a fault of the platform: null.
 */
function codeInExecution({ originalError }: GraphQLError): ProblemCode | null {
  return originalError instanceof GraphQLError && originalError.nodes ? 'validation_failed' : null;
}

function typeOf(accept: string | null): string {
  return accept?.includes(newerType) ? newerType : olderType;
}

function respond(
  accept: string | null,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>>,
): Response {
  return new Response(body, { status, headers: { 'content-type': `${typeOf(accept)}; charset=utf-8`, ...headers } });
}
