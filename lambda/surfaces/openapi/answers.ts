// The answers of an operation in OpenAPI: its result, and every problem that it can end with.
import { limitNames } from '../../domain/shared/limits.ts';
import type { Operation } from '../../operations/operation.ts';
import { problemCodes } from '../../operations/problem-kinds.ts';
import type { ProblemCode } from '../../operations/problem-codes.ts';
import { exampleOf } from './examples.ts';
import { jsonSchema } from './schemas.ts';
import type { Json, Schema } from './schemas.ts';

const refers = (kind: string, name: string): Json => ({ $ref: `#/components/${kind}/${name}` });
const integerHeader = (description: string, example: number): Json => ({
  description,
  schema: { type: 'integer', minimum: 0 },
  example,
});

const quotaHeaders: Json = Object.fromEntries(
  ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'].map((name) => [name, refers('headers', name)]),
);

/** Headers that answers refer to. */
export const headerComponents: Json = {
  'RateLimit-Limit': integerHeader('Requests allowed per window of one minute.', 1200),
  'RateLimit-Remaining': integerHeader('Requests left in the current window.', 1187),
  'RateLimit-Reset': integerHeader('Seconds until the current window ends.', 42),
  'Retry-After': integerHeader('Seconds to wait before the next request.', 42),
  Allow: { description: 'Methods of the path.', schema: { type: 'string' }, example: 'GET, POST' },
  'WWW-Authenticate': {
    description: 'Accepted kinds of credentials. After an invalid token, also `error="invalid_token"` (RFC 6750).',
    schema: { type: 'string' },
    example: 'Bearer, ApiKey header="X-API-Key"',
  },
  'Idempotency-Replayed': {
    description: 'true: this is the stored answer to an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
  Location: {
    description: 'URL of the resource.',
    schema: { type: 'string', format: 'uri' },
    example: 'https://api.example.org/v1/uploads/upl_0mb3kq5zj4h8s2n7t1w9x6c0p',
  },
};

const ownHeaders: Readonly<Partial<Record<ProblemCode, string>>> = {
  rate_limited: 'Retry-After',
  method_not_allowed: 'Allow',
  unauthenticated: 'WWW-Authenticate',
};

export const problemSchema: Json = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code'],
  properties: {
    type: {
      type: 'string',
      format: 'uri-reference',
      description: 'URL that identifies the kind of problem. A GET request to it returns an explanation.',
    },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'Description of this occurrence, and the remedy.' },
    code: { type: 'string', enum: Object.keys(problemCodes) },
    readiness: {
      $ref: '#/components/schemas/Readiness',
      description: 'For stream_not_ready: the issues that keep the stream from starting, with their remedies.',
    },
    limit: {
      type: 'string',
      enum: [...limitNames],
      description: 'For limit_reached: name of the limit, as in get_me.',
    },
    used: { type: 'number', description: 'For limit_reached: amount in use.' },
    allowed: { type: 'number', description: 'For limit_reached: highest amount allowed.' },
    partNumbers: {
      type: 'array',
      items: { type: 'integer' },
      description: 'For parts_missing: numbers of the missing parts, at most 100 of them.',
    },
    errors: {
      type: 'array',
      description:
        'Faults of the input, at most 100. path is a JSON pointer into the body, or /path/NAME, /query/NAME, ' +
        '/header/NAME.',
      items: {
        type: 'object',
        required: ['path', 'code', 'detail'],
        properties: { path: { type: 'string' }, code: { type: 'string' }, detail: { type: 'string' } },
      },
    },
  },
};

/** One example for each problem of the operations. */
export function problemExamples(operations: readonly Operation[], baseURL: string): Json {
  const codes = [...new Set(operations.flatMap(codesOf))].sort();
  const examples = codes.map((code) => {
    const { status, title, explanation } = problemCodes[code];
    const value = { type: `${baseURL}/problems/${code}`, title, status, detail: explanation, code };
    return [code, { summary: title, value }];
  });
  return Object.fromEntries(examples) as Json;
}

/** All answers of an operation, by status. */
export function answersOf(operation: Operation, schemas: Json): Json {
  const { status, body, location, csv } = operation.output;
  const schema = status === 302 ? undefined : body && jsonSchema(body, 'output', schemas);
  const headers = {
    ...(location || status === 302 ? { Location: refers('headers', 'Location') } : {}),
    ...(operation.method === 'POST' ? { 'Idempotency-Replayed': refers('headers', 'Idempotency-Replayed') } : {}),
    ...quotaHeaders,
  };
  const content = schema && {
    'application/json': withExample(schema, schemas),
    ...(csv ? { 'text/csv': { schema: { type: 'string' } } } : {}),
  };
  return {
    [status]: { description: operation.summary, headers, ...(content ? { content } : {}) },
    ...problemsOf(operation),
  };
}

/** The problems of the operation itself, and the problems of every request of its kind. */
function codesOf(operation: Operation): ProblemCode[] {
  const codes = new Set<ProblemCode>([
    ...operation.errors,
    'method_not_allowed',
    'validation_failed',
    'rate_limited',
    'upstream_unavailable',
    'internal_error',
  ]);
  if (operation.scopes !== 'public') codes.add('unauthenticated').add('insufficient_scope');
  if (operation.method !== 'GET' && operation.method !== 'DELETE') codes.add('account_on_hold');
  if (operation.method === 'POST' || operation.method === 'PATCH') codes.add('unknown_field').add('payload_too_large');
  if (operation.body) codes.add('malformed_json');
  if (operation.method === 'POST')
    codes.add('idempotency_key_reused').add('idempotency_in_progress').add('limit_reached');
  return [...codes].sort();
}

/** A schema with an example. If the schema is a component, the component gets the example, for all its references. */
function withExample(schema: Json, schemas: Json): Json {
  const { $ref } = schema as Schema;
  const example = exampleOf(schema, '', schemas);
  if ($ref === undefined) return { schema, example };
  const component = schemas[$ref.slice('#/components/schemas/'.length)] as Json;
  component['examples'] = [example];
  return { schema };
}

/** The problems of an operation, by status. Problems of every operation are components. */
function problemsOf(operation: Operation): Json {
  const byStatus = Map.groupBy(codesOf(operation), (code) => problemCodes[code].status);
  const inOrder = [...byStatus].sort(([a], [b]) => a - b);
  const answers = inOrder.map(([status, codes]) => {
    const [code] = codes;
    return [status, isEverywhere(codes) ? refers('responses', code!) : problemAnswer(codes)];
  });
  return Object.fromEntries(answers) as Json;
}

const everywhere: ReadonlySet<ProblemCode> = new Set([
  'unauthenticated',
  'insufficient_scope',
  'method_not_allowed',
  'rate_limited',
  'upstream_unavailable',
  'internal_error',
]);

function isEverywhere(codes: readonly ProblemCode[]): boolean {
  return codes.length === 1 && everywhere.has(codes[0]!);
}

/** Answers that operations refer to. */
export const answerComponents: Json = Object.fromEntries([...everywhere].map((code) => [code, problemAnswer([code])]));

function problemAnswer(codes: readonly ProblemCode[]): Json {
  const own = codes.flatMap((code) => ownHeaders[code] ?? []);
  return {
    description: codes.map((code) => `\`${code}\`: ${problemCodes[code].explanation}`).join('\n\n'),
    headers: { ...Object.fromEntries(own.map((name) => [name, refers('headers', name)])), ...quotaHeaders },
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/Problem', properties: { code: { enum: codes } } },
        examples: Object.fromEntries(codes.map((code) => [code, refers('examples', code)])),
      },
    },
  };
}
