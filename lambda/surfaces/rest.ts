// The REST surface: HTTP in, the catalogue's operations behind it, HTTP out. It names no operation.
import { TrieRouter } from 'hono/router/trie-router';
import { z } from 'zod';
import type { Operation } from '../operations/operation.ts';
import type { Caller } from '../operations/context.ts';
import { ProblemError, problemCodes } from '../operations/problem-codes.ts';
import { authenticate } from './authenticate.ts';
import { callOperation } from './call.ts';
import { bearerChallenge } from './protected-resource.ts';
import { problemResponse } from './problem-response.ts';
import { readBody } from './read-body.ts';
import type { Service } from './service.ts';
import { validateInput } from './validate.ts';

export type RestHandler = (request: Request) => Promise<Response>;

interface Route {
  readonly operation: Operation;
  readonly readQuery: (search: URLSearchParams) => Record<string, unknown>;
}

/** Answers requests below `/v1`. Never throws: whatever goes wrong is a problem document. */
export function createRestHandler(service: Service): RestHandler {
  const router = new TrieRouter<Route>();
  const basePath = new URL(service.baseURL).pathname;
  for (const operation of service.operations) {
    router.add(operation.method, operation.path.replaceAll(/\{(\w+)\}/g, ':$1'), { operation, readQuery: queryReader(operation) });
  }
  const methodsAt = (path: string) => ['GET', 'POST', 'PATCH', 'DELETE'].filter((method) => router.match(method, path)[0].length > 0);

  return async (request) => {
    try {
      const url = new URL(request.url);
      const path = url.pathname.startsWith(`${basePath}/`) ? url.pathname.slice(basePath.length) : '/';
      const method = request.method === 'HEAD' ? 'GET' : request.method;
      const explained = method === 'GET' && explainProblem(service, path);
      if (explained) return explained;
      // A literal path wins over one with parameters, whatever their order in the catalogue.
      const match = router.match(method, path)[0].toSorted(([, a], [, b]) => Object.keys(a).length - Object.keys(b).length)[0];
      if (!match) return refuseUnknown(service, methodsAt(path), url.pathname);

      const [{ operation, readQuery }, encoded] = match;
      const caller = operation.scopes === 'public' ? null : await admit(service, request, operation);
      const params = Object.fromEntries(Object.entries(encoded).map(([name, value]) => [name, decodeParameter(value)]));
      const idempotencyKey = method === 'POST' ? readIdempotencyKey(request) : null;
      const body = await readBody(request, operation);
      const input = validateInput(operation, { params, query: readQuery(url.searchParams), body });
      const answer = await callOperation(service, { operation, caller, input, idempotencyKey });
      const headers = answer.body === '' ? answer.headers : { 'content-type': 'application/json', ...answer.headers };
      return new Response(answer.body === '' || request.method === 'HEAD' ? null : answer.body, { status: answer.status, headers });
    } catch (error) {
      return problemResponse(service, error);
    }
  };
}

async function admit(service: Service, request: Request, operation: Operation): Promise<Caller> {
  const caller = await authenticate(service, request.headers);
  const { scopes } = operation;
  if (scopes === 'public' || scopes.some((scope) => caller.scopes.includes(scope))) return caller;
  const detail = `This needs the scope ${scopes.join(' or ')}. Ask the user for it, or use a key that has it.`;
  const headers = { 'www-authenticate': bearerChallenge(new URL(service.baseURL).origin, '/v1', scopes[0]) };
  throw new ProblemError('insufficient_scope', detail, { headers });
}

/** Query parameters arrive as text: the schema of each says which are numbers, booleans or lists. */
function queryReader(operation: Operation): Route['readQuery'] {
  const { properties = {} } = z.toJSONSchema(operation.query, { io: 'input', unrepresentable: 'any' });
  const typeOf = (name: string) => (properties[name] as { type?: string } | undefined)?.type;
  return (search) =>
    Object.fromEntries(
      [...new Set(search.keys())].map((name) => {
        const values = search.getAll(name);
        const type = typeOf(name);
        if (type === 'array') return [name, values];
        if (values.length > 1) throw repeatedParameter(name);
        const value = values[0]!;
        if (type === 'integer' && /^-?\d{1,15}$/.test(value)) return [name, Number(value)];
        if (type === 'boolean' && (value === 'true' || value === 'false')) return [name, value === 'true'];
        return [name, value];
      }),
    );
}

function repeatedParameter(name: string): ProblemError {
  const detail = `The parameter ${name} may be given once.`;
  return new ProblemError('validation_failed', detail, { errors: [{ path: `/query/${name}`, code: 'validation_failed', detail }] });
}

/** What cannot be decoded, or not be stored, names nothing. */
function decodeParameter(encoded: string): string {
  try {
    const value = decodeURIComponent(encoded);
    if (!value.includes('\u0000')) return value;
  } catch {
    // Falls through: malformed percent-encoding.
  }
  throw new ProblemError('not_found', 'There is no such resource.');
}

function readIdempotencyKey(request: Request): string | null {
  const key = request.headers.get('idempotency-key');
  if (key === null || /^[\u0021-\u007e]{1,255}$/.test(key)) return key;
  const detail = 'Idempotency-Key takes 1 to 255 visible ASCII characters.';
  throw new ProblemError('validation_failed', detail, { errors: [{ path: '/header/Idempotency-Key', code: 'validation_failed', detail }] });
}

function refuseUnknown(service: Service, allowed: readonly string[], path: string): Response {
  if (allowed.length === 0) return problemResponse(service, new ProblemError('not_found', `There is nothing at ${path}.`));
  const response = problemResponse(service, new ProblemError('method_not_allowed', `This path takes ${allowed.join(', ')}.`));
  response.headers.set('allow', allowed.join(', '));
  return response;
}

/** GET {base_url}/problems/{code}, where the `type` of every problem leads. */
function explainProblem(service: Service, path: string): Response | null {
  const code = /^\/problems\/(\w+)$/.exec(path)?.[1];
  if (code === undefined || !Object.hasOwn(problemCodes, code)) return null;
  const { status, title, explanation } = problemCodes[code as keyof typeof problemCodes];
  return Response.json({ type: `${service.baseURL}/problems/${code}`, code, status, title, explanation });
}
