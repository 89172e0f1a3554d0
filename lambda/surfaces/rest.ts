// The REST surface: HTTP in, the catalogue's operations behind it, HTTP out. It names no operation.
import { TrieRouter } from 'hono/router/trie-router';
import type { Operation } from '../operations/operation.ts';
import { ProblemError, problemCodes } from '../operations/problem-codes.ts';
import type { ProblemCode } from '../operations/problem-codes.ts';
import { admit } from './admit.ts';
import { callOperation } from './call.ts';
import type { Quota } from './rate-limits.ts';
import { quotaHeaders } from './rate-limits.ts';
import { buildOpenapi } from './openapi/openapi.ts';
import { explainProblem, problemResponse } from './problem-response.ts';
import { readBody } from './read-body.ts';
import { queryReader } from './read-query.ts';
import type { QueryReader } from './read-query.ts';
import { referenceResponse } from './openapi/reference.ts';
import type { Service } from './service.ts';
import { faultsOfKey, validateInput } from './validate.ts';

/** @param address the client's IP address */
export type RestHandler = (request: Request, address: string) => Promise<Response>;

interface Route {
  readonly operation: Operation;
  readonly readQuery: QueryReader;
}

/** What one path of the document takes, by method. */
type Routes = Map<string, Route>;

/** Answers requests below `/v1`. Never throws: whatever goes wrong is a problem document. */
export function createRestHandler(service: Service): RestHandler {
  const router = routerOf(service.operations);
  const basePath = new URL(service.baseURL).pathname;

  return async (request, address) => {
    let quota: Quota | null = null;
    const withQuota = (response: Response) => {
      if (quota)
        for (const [name, value] of Object.entries(quotaHeaders(quota, response.status === 429)))
          response.headers.set(name, value);
      return response;
    };
    try {
      const url = new URL(request.url);
      const path = url.pathname.startsWith(`${basePath}/`) ? url.pathname.slice(basePath.length) : '/';
      const method = request.method === 'HEAD' ? 'GET' : request.method;
      // A literal path wins over one with parameters, whatever their order in the catalogue, and whatever the method.
      const [routes, encoded] =
        router.match('', path)[0].toSorted(([, a], [, b]) => Object.keys(a).length - Object.keys(b).length)[0] ?? [];
      const route = routes?.get(method);
      const admission = await admit(service, {
        operation: route?.operation ?? null,
        headers: request.headers,
        address,
      });
      ({ quota } = admission);
      if (admission.refusal) throw admission.refusal;
      if (!route)
        return withQuota(
          (method === 'GET' && (await pageAt(service, path))) || refuseUnknown(service, [...(routes?.keys() ?? [])]),
        );

      const { operation, readQuery } = route;
      const params = Object.fromEntries(
        Object.entries(encoded ?? {}).map(([name, value]) => [name, decodeParameter(value)]),
      );
      const idempotencyKey = method === 'POST' ? request.headers.get('idempotency-key') : null;
      const { query, faults } = readQuery(url.searchParams);
      const body = await readBody(request, operation);
      const input = validateInput(operation, { params, query, body }, [
        ...faultsOfKey(idempotencyKey, '/header/Idempotency-Key'),
        ...faults,
      ]);
      const answer = await callOperation(service, { operation, caller: admission.caller, input, idempotencyKey });
      const headers = answer.body === '' ? answer.headers : { 'content-type': 'application/json', ...answer.headers };
      return withQuota(
        new Response(answer.body === '' || request.method === 'HEAD' ? null : answer.body, {
          status: answer.status,
          headers,
        }),
      );
    } catch (error) {
      return withQuota(problemResponse(service, error));
    }
  };
}

function routerOf(operations: readonly Operation[]): TrieRouter<Routes> {
  const router = new TrieRouter<Routes>();
  for (const [path, sharing] of Map.groupBy(operations, (operation) => operation.path)) {
    const routes = new Map(
      sharing.map((operation) => [operation.method, { operation, readQuery: queryReader(operation) }]),
    );
    router.add('', path.replaceAll(/\{(\w+)\}/g, ':$1'), routes);
  }
  return router;
}

/** What cannot be decoded, or not be stored, is asked for as it was sent: nothing has such a name. */
function decodeParameter(encoded: string): string {
  try {
    const value = decodeURIComponent(encoded);
    return value.includes('\u0000') ? encoded : value;
  } catch {
    return encoded;
  }
}

function refuseUnknown(service: Service, allowed: readonly string[]): Response {
  if (allowed.length === 0) {
    return problemResponse(
      service,
      new ProblemError(
        'not_found',
        `There is nothing at this path. GET ${service.baseURL}/openapi.json describes all there is.`,
      ),
    );
  }
  const response = problemResponse(
    service,
    new ProblemError('method_not_allowed', `This path takes ${allowed.join(', ')}.`),
  );
  response.headers.set('allow', allowed.join(', '));
  return response;
}

/** What is there to read beside the operations: the reference, and what the `type` of a problem leads to. */
async function pageAt(service: Service, path: string): Promise<Response | null> {
  if (path === '/reference') return referenceResponse(buildOpenapi(service.operations, service.baseURL));
  const code = /^\/problems\/(\w+)$/.exec(path)?.[1];
  if (code === undefined || !Object.hasOwn(problemCodes, code)) return null;
  return Response.json(explainProblem(service, code as ProblemCode));
}
