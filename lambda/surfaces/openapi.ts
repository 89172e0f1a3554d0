// The OpenAPI 3.1 document, computed from the catalogue.
import { z } from 'zod';
import { toolName } from '../operations/operation.ts';
import type { Operation } from '../operations/operation.ts';
import { problemCodes } from '../operations/problem-codes.ts';
import type { ProblemCode } from '../operations/problem-codes.ts';

type Json = Record<string, unknown>;

const tagDescriptions: Readonly<Record<Operation['tag'], string>> = {
  account: 'The caller.',
  service: 'The service itself; these need no credential.',
  streams: 'What is played where, and its life: start, stop, schedule, statistics.',
  uploads: 'Files to play.',
  playlists: 'Orders of uploads, edited as a draft and published to streams.',
  destinations: 'RTMP addresses to stream to.',
  billing: 'Credits, invoices and usage.',
  crypto: 'Currencies to pay in.',
  webhooks: 'Addresses that are told what happens to streams.',
};

const built = new WeakMap<readonly Operation[], Json>();

/** The whole document. Built once per catalogue; only `servers` depends on where it is served. */
export function buildOpenapi(operations: readonly Operation[], baseURL: string): Json {
  let document = built.get(operations);
  if (!document) built.set(operations, (document = buildDocument(operations)));
  return { ...document, servers: [{ url: baseURL }] };
}

function buildDocument(operations: readonly Operation[]): Json {
  const schemas: Json = { Problem: problemSchema };
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method.toLowerCase()]: describe(operation, schemas) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Loop streaming API',
      version: '1.0.0',
      description: 'Uploads, playlists and 24/7 live streams of them to RTMP destinations.',
    },
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name, description: tagDescriptions[name] })),
    paths,
    components: { schemas, securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' } } },
  };
}

function describe(operation: Operation, schemas: Json): Json {
  const { output } = operation;
  const isPublic = operation.scopes === 'public';
  return {
    operationId: toolName(operation),
    summary: operation.summary,
    ...(operation.description ? { description: operation.description } : {}),
    tags: [operation.tag],
    security: isPublic ? [] : [{ apiKey: [] }],
    parameters: [...parameters(operation, 'path', schemas), ...parameters(operation, 'query', schemas), ...idempotencyKey(operation)],
    ...(operation.body
      ? { requestBody: { required: true, content: { 'application/json': { schema: jsonSchema(operation.body, 'input', schemas) } } } }
      : {}),
    responses: {
      [output.status]: {
        description: operation.summary,
        ...(output.location ? { headers: { Location: { description: 'Where it is.', schema: { type: 'string', format: 'uri' } } } } : {}),
        ...(output.body ? { content: { 'application/json': { schema: jsonSchema(output.body, 'output', schemas) } } } : {}),
      },
      ...problemResponses(operation),
    },
  };
}

function parameters(operation: Operation, where: 'path' | 'query', schemas: Json): Json[] {
  const object = where === 'path' ? operation.params : operation.query;
  return Object.entries(object.shape).map(([name, field]) => {
    const { description, ...schema } = jsonSchema(field as z.ZodType, 'input', schemas);
    const required = where === 'path' || !(field as z.ZodType).safeParse(undefined).success;
    return { name, in: where, required, schema, ...(description ? { description } : {}) };
  });
}

function idempotencyKey(operation: Operation): Json[] {
  if (operation.method !== 'POST') return [];
  const description = 'A repeated request with the same key is answered with the first answer instead of running again; kept 24 hours.';
  return [{ name: 'Idempotency-Key', in: 'header', required: false, description, schema: { type: 'string', minLength: 1, maxLength: 255 } }];
}

/** Problems grouped by status: those of the operation, and those that its kind of request always has. */
function problemResponses(operation: Operation): Json {
  const codes = new Set<ProblemCode>(operation.errors);
  if (operation.scopes !== 'public') codes.add('unauthenticated').add('insufficient_scope');
  if (operation.body) codes.add('malformed_json').add('unknown_field').add('payload_too_large');
  if (operation.method === 'POST') codes.add('idempotency_key_reused').add('idempotency_in_progress');
  codes.add('validation_failed').add('upstream_unavailable').add('internal_error');
  const byStatus = Map.groupBy(codes, (code) => problemCodes[code].status);
  return Object.fromEntries(
    [...byStatus].sort(([a], [b]) => a - b).map(([status, group]) => [
      status,
      {
        description: group.sort().map((code) => `\`${code}\`: ${problemCodes[code].explanation}`).join('\n\n'),
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    ]),
  );
}

const problemSchema: Json = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code'],
  properties: {
    type: { type: 'string', format: 'uri-reference', description: 'Identifies the problem; a GET there explains it.' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What happened this time.' },
    code: { type: 'string', enum: Object.keys(problemCodes) },
    readiness: { $ref: '#/components/schemas/Readiness', description: 'With stream_not_ready: what is missing, and what to do about it.' },
    errors: {
      type: 'array',
      description: 'Each fault of the input: path is a JSON pointer into the body, or /path/NAME, /query/NAME, /header/NAME.',
      items: {
        type: 'object',
        required: ['path', 'code', 'detail'],
        properties: { path: { type: 'string' }, code: { type: 'string' }, detail: { type: 'string' } },
      },
    },
  },
};

/** JSON Schema of a zod schema; what carries an id becomes a component that is referred to. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output', schemas: Json): Json {
  const document = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: (found) => simplify(found, io) });
  const { $schema: _schema, $defs = {}, ...root } = toComponentReferences(document) as Json & { $defs?: Json };
  for (const [id, definition] of Object.entries($defs)) schemas[id] = withoutID(definition as Json);
  if (typeof root['id'] !== 'string') return root;
  schemas[root['id']] = withoutID(root);
  return { $ref: `#/components/schemas/${root['id']}` };
}

function withoutID({ id: _id, ...schema }: Json): Json {
  return schema;
}

interface Found {
  readonly zodSchema: z.core.$ZodTypes;
  readonly jsonSchema: z.core.JSONSchema.BaseSchema;
}

/** Leaves out what zod adds and clients have no use for: the pattern of date-times, the bounds of JavaScript's integers. */
function simplify({ zodSchema, jsonSchema }: Found, io: 'input' | 'output'): void {
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  // A field that is added to an answer later must not break clients that check answers.
  if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  if (zodSchema._zod.def.type === 'date') Object.assign(jsonSchema, { type: 'string', format: 'date-time' });
}

function toComponentReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toComponentReferences);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      key === '$ref' && typeof member === 'string' ? member.replace('#/$defs/', '#/components/schemas/') : toComponentReferences(member),
    ]),
  );
}
