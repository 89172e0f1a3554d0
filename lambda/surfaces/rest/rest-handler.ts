// The REST surface: answers HTTP requests with the operations of the catalogue. It names no operation itself.
import { TrieRouter } from 'hono/router/trie-router';
import type { Operation } from '../../operations/operation.ts';
import { ProblemError } from '../../operations/problem-codes.ts';
import { problemCodes } from '../../operations/problem-kinds.ts';
import type { ProblemCode } from '../../operations/problem-codes.ts';
import { admit } from '../admission/admit.ts';
import type { Admission } from '../admission/admit.ts';
import type { CallTimer } from '../admission/call-time.ts';
import { callOperation } from '../call.ts';
import type { Quota } from '../admission/rate-limits.ts';
import { quotaHeaders } from '../admission/rate-limits.ts';
import { buildOpenapi } from '../openapi/openapi.ts';
import { explainProblem, problemResponse } from '../problem-response.ts';
import { readBody } from '../read-body.ts';
import { shownPageAt } from './shown-page.ts';
import { queryReader } from './read-query.ts';
import type { QueryReader } from './read-query.ts';
import { referenceResponse } from '../openapi/reference.ts';
import { tracedRequest } from '../../telemetry/traced-request.ts';
import type { RestService } from '../service.ts';
import { faultsOfKey, validateInput } from '../validate.ts';

/** @param address the client's IP address */
export type RestHandler = (request: Request, address: string) => Promise<Response>;

interface Route {
  readonly operation: Operation;
  readonly readQuery: QueryReader;
}

/** A request that was admitted. */
interface Admitted extends Pick<Admission, 'caller' | 'time'> {
  readonly request: Request;
  readonly address: string;
}

/** The operations at one path, by HTTP method. */
type Routes = Map<string, Route>;

/** Answers requests below `/v1`. Never throws: every error becomes a problem document. */
export function createRestHandler(service: RestService): RestHandler {
  const router = routerOf(service.operations);
  const basePath = new URL(service.baseURL).pathname;

  return (request, address) => {
    const place = placeOf(request);
    const route = place.route && basePath + place.route.operation.path;
    return tracedRequest(request, route, () => answerAt(place, request, address));
  };

  function placeOf(request: Request) {
    const url = new URL(request.url);
    const path = url.pathname.startsWith(`${basePath}/`) ? url.pathname.slice(basePath.length) : '/';
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const { routes, params } = routesAt(router, path);
    return { url, path, method, routes, params, route: routes.get(method) ?? null };
  }

  async function answerAt(place: ReturnType<typeof placeOf>, request: Request, address: string): Promise<Response> {
    const { url, path, method, routes, params, route } = place;
    let quota: Quota | null = null;
    let time: CallTimer | null = null;
    try {
      const operation = route?.operation ?? null;
      const shown = method === 'GET' ? await shownPageAt(service, path) : null;
      if (shown) return shown;
      const admission = await admit(service, { operation, headers: request.headers, method, address });
      ({ quota, time } = admission);
      if (admission.refusal) throw admission.refusal;
      if (route) {
        const { caller } = admission;
        return withQuota(await answer({ request, address, caller, time }, url.searchParams, route, params), quota);
      }
      const page = method === 'GET' ? await pageAt(service, path) : null;
      return withQuota(page ?? refuseUnknown(service, [...routes.keys()]), quota);
    } catch (error) {
      return withQuota(problemResponse(service, error), quota);
    } finally {
      await time?.count();
    }
  }

  async function answer(
    { request, address, caller, time }: Admitted,
    search: URLSearchParams,
    { operation, readQuery }: Route,
    params: Readonly<Record<string, string>>,
  ): Promise<Response> {
    const idempotencyKey = request.method === 'POST' ? request.headers.get('idempotency-key') : null;
    const isTable = operation.output.csv !== undefined && search.get('format') === 'csv';
    if (isTable) search.delete('format');
    const { query, faults } = readQuery(search);
    const raw = { params, query, body: await readBody(request, operation) };
    const found = [...faultsOfKey(idempotencyKey, '/header/Idempotency-Key'), ...faults];
    const input = validateInput(operation, raw, found);
    const { status, headers, body } = await callOperation(service, {
      buildDocument: buildOpenapi,
      operation,
      caller,
      time,
      input,
      idempotencyKey,
      address,
      signal: request.signal,
    });
    if (body === '') return new Response(null, { status, headers });
    if (status === 302) return redirectTo((JSON.parse(body) as { readonly url: string }).url);
    if (isTable) return tableResponse(operation, new URL(request.url), body);
    return new Response(request.method === 'HEAD' ? null : body, {
      status,
      headers: { 'content-type': 'application/json', ...headers },
    });
  }
}

function redirectTo(location: string): Response {
  return new Response(null, { status: 302, headers: { location, 'cache-control': 'no-store' } });
}

/** The answer as a table. Its Link header names the next page, if there is one. */
function tableResponse({ output }: Operation, url: URL, body: string): Response {
  const answer = JSON.parse(body) as { readonly page?: { readonly nextCursor: string } };
  const cursor = answer.page?.nextCursor ?? '';
  if (cursor !== '') url.searchParams.set('cursor', cursor);
  return new Response(output.csv!(answer), {
    headers: { 'content-type': 'text/csv; charset=utf-8', ...(cursor !== '' && { link: `<${url.href}>; rel="next"` }) },
  });
}

function withQuota(response: Response, quota: Quota | null): Response {
  if (quota === null) return response;
  const refused = response.status === 429 && !response.headers.has('retry-after');
  for (const [name, value] of Object.entries(quotaHeaders(quota, { refused }))) response.headers.set(name, value);
  return response;
}

/** The operations at a path, and its parameters. A literal path has precedence over a path with parameters. */
function routesAt(router: TrieRouter<Routes>, path: string) {
  const matches = router.match('', path)[0];
  const literalFirst = matches.toSorted(([, a], [, b]) => Object.keys(a).length - Object.keys(b).length);
  const [routes, encoded] = literalFirst[0] ?? [new Map<string, Route>(), {}];
  const params = Object.entries(encoded).map(([name, value]) => [name, decodeParameter(value)]);
  return { routes, params: Object.fromEntries(params) as Record<string, string> };
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

/**
 * Decodes a parameter. A parameter that cannot be decoded, or contains a character that no name contains, stays
 * unchanged: the operation will not find it.
 */
function decodeParameter(encoded: string): string {
  try {
    const value = decodeURIComponent(encoded);
    return value.includes('\u0000') ? encoded : value;
  } catch {
    return encoded;
  }
}

function refuseUnknown(service: RestService, allowed: readonly string[]): Response {
  if (allowed.length === 0) {
    return problemResponse(
      service,
      new ProblemError(
        'not_found',
        `There is nothing at this path. GET ${service.baseURL}/openapi.json describes all operations.`,
      ),
    );
  }
  const response = problemResponse(
    service,
    new ProblemError('method_not_allowed', `This path supports ${allowed.join(', ')}.`),
  );
  response.headers.set('allow', allowed.join(', '));
  return response;
}

/** The pages that are not operations: the reference and explanations of problems. Null for all other paths. */
async function pageAt(service: RestService, path: string): Promise<Response | null> {
  if (path === '/reference') return referenceResponse(buildOpenapi(service.operations, service.baseURL));
  const code = /^\/problems\/(\w+)$/.exec(path)?.[1];
  if (code === undefined || !Object.hasOwn(problemCodes, code)) return null;
  return Response.json(explainProblem(service, code as ProblemCode));
}
