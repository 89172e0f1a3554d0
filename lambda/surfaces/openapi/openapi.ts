// Computes the OpenAPI 3.1 document from the catalogue.
import type * as z from 'zod';
import { toolName } from '../../operations/operation.ts';
import type { Operation } from '../../operations/operation.ts';
import { scopes } from '../../operations/scopes.ts';
import { answerComponents, answersOf, headerComponents, problemExamples, problemSchema } from './answers.ts';
import { exampleOf } from './examples.ts';
import { jsonSchema } from './schemas.ts';
import type { Json } from './schemas.ts';
import { webhookParameters, webhooksOf, webhookTag } from './webhooks.ts';
import { apiVersion } from '../service.ts';
import { idempotencyKeyPattern } from '../validate.ts';

const tagDescriptions: Readonly<Record<Operation['tag'], string>> = {
  account: 'The user of the credential.',
  service: 'The service itself: its status, prices and recent changes.',
  streams: 'Streams: their settings, start, stop, schedule and statistics.',
  guides: 'Requests of viewers, who need no account.',
  schedule: 'Scheduled runs of streams, computed ahead.',
  uploads: 'Video, audio and image files for streams.',
  sources: 'Folders, buckets and feeds that are watched for new files.',
  playlists: 'Ordered lists of uploads, edited as a draft and published to a stream.',
  collections: 'Sets of uploads that fill themselves.',
  programmes: 'Rules that plan a channel.',
  connections: 'Channels on managed platforms.',
  'managed-settings': 'Settings for broadcasts on connected channels.',
  destinations: 'Addresses to stream to.',
  billing: 'Credits, invoices and usage.',
  crypto: 'Payment in cryptocurrencies.',
  webhooks: 'Addresses that receive events.',
  'alert-channels': 'Channels that receive messages about incidents.',
  'live-inputs': 'Addresses at which contributors take streams over.',
  incidents: 'Faults of streams, outputs, playlists, uploads and sources.',
  notifications: 'Mails sent to the user.',
};

const built = new WeakMap<readonly Operation[], Map<string, Json>>();

/** Returns the whole document. It is built once per catalogue and base URL. */
export function buildOpenapi(operations: readonly Operation[], baseURL: string): Json {
  const byURL = built.get(operations) ?? new Map<string, Json>();
  built.set(operations, byURL);
  const document = byURL.get(baseURL) ?? buildDocument(operations, baseURL);
  byURL.set(baseURL, document);
  return document;
}

function buildDocument(operations: readonly Operation[], baseURL: string): Json {
  const { origin } = new URL(baseURL);
  const schemas: Json = { Problem: problemSchema };
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: describe(operation, schemas),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Loop streaming API',
      version: apiVersion,
      description:
        'Uploads, playlists, and 24/7 live streams that loop them to destinations.\n\nEvery error is an ' +
        '`application/problem+json` document with a stable `code`; a GET request to its `type` explains it. A ' +
        'POST with an `Idempotency-Key` can be repeated safely. Lists are newest first. Readable form: ' +
        `${baseURL}/reference`,
      contact: { name: 'The operator of this service', url: origin },
      license: { name: 'Proprietary', url: origin },
    },
    servers: [{ url: baseURL }],
    tags: [
      ...[...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name, description: tagDescriptions[name] })),
      webhookTag,
    ],
    paths,
    webhooks: webhooksOf(schemas),
    components: {
      schemas,
      parameters: webhookParameters,
      responses: answerComponents,
      headers: headerComponents,
      examples: problemExamples(operations, baseURL),
      securitySchemes: securitySchemes(origin),
    },
  };
}

/** The credentials that operations accept: access tokens of OAuth 2.1, and API keys. */
function securitySchemes(origin: string): Json {
  const endpoint = (name: string) => `${origin}/api/auth/oauth2/${name}`;
  return {
    oauth2: {
      type: 'oauth2',
      description: 'OAuth 2.1: authorization code with PKCE (S256); clients register themselves (RFC 7591).',
      flows: {
        authorizationCode: {
          authorizationUrl: endpoint('authorize'),
          tokenUrl: endpoint('token'),
          refreshUrl: endpoint('token'),
          scopes,
        },
      },
    },
    bearerAuth: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'Access token from that flow.' },
    apiKey: {
      type: 'apiKey',
      in: 'header',
      name: 'X-API-Key',
      description:
        'API key from the account settings. It acts as its user, with the scopes chosen at its creation, or ' +
        'with all scopes.',
    },
  };
}

function describe(operation: Operation, schemas: Json): Json {
  const { scopes: needed, tag, summary, description = `${summary}.` } = operation;
  return {
    operationId: toolName(operation),
    summary,
    description,
    tags: [tag],
    security:
      needed === 'public' ? [] : [...needed.map((scope) => ({ oauth2: [scope] })), { bearerAuth: [] }, { apiKey: [] }],
    parameters: [
      ...parameters(operation, 'path', schemas),
      ...parameters(operation, 'query', schemas),
      ...format(operation),
      ...idempotencyKey(operation),
    ],
    ...(operation.body ? { requestBody: requestBody(operation, schemas) } : {}),
    responses: answersOf(operation, schemas),
  };
}

function requestBody({ body, isBodyOptional }: Operation, schemas: Json): Json {
  const { examples, ...schema } = jsonSchema(body!, 'input', schemas) as Json & { examples?: readonly unknown[] };
  const example = examples?.[0] ?? exampleOf(schema, '', schemas);
  return { required: isBodyOptional !== true, content: { 'application/json': { schema, example } } };
}

function parameters(operation: Operation, where: 'path' | 'query', schemas: Json): Json[] {
  const object = where === 'path' ? operation.params : operation.query;
  return Object.entries(object.shape).map(([name, field]) => {
    const { description = `The ${name} to look for.`, ...schema } = jsonSchema(field as z.ZodType, 'input', schemas);
    const required = where === 'path' || !(field as z.ZodType).safeParse(undefined).success;
    const shared = { name, in: where, required, description, schema };
    if (where === 'query') return shared;
    return { ...shared, example: exampleOf(schema, name === 'id' ? `${operation.tag}ID` : name, schemas) };
  });
}

function format({ output }: Operation): Json[] {
  if (!output.csv) return [];
  const description = 'csv: return the answer as a table. Its Link header names the next page.';
  return [{ name: 'format', in: 'query', required: false, description, schema: { type: 'string', enum: ['csv'] } }];
}

function idempotencyKey({ method, scopes }: Operation): Json[] {
  if (method !== 'POST' || scopes === 'public') return [];
  const description =
    'Unique key of this request. A repeated request with the same key within 24 hours returns the first answer ' +
    'instead of running again.';
  const schema = { type: 'string', pattern: idempotencyKeyPattern };
  return [
    {
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description,
      schema,
      example: '0f8fad5b-d9cb-469f-a165-70867728950e',
    },
  ];
}
