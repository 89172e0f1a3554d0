// The OpenAPI document: a committed snapshot, so that a change of the API is reviewed as one, and sound as a document.
import { describe, expect, test } from 'vitest';
import { operations } from '../../lambda/operations/index.ts';
import { toolName } from '../../lambda/operations/operation.ts';
import { problemCodes } from '../../lambda/operations/problem-codes.ts';
import { buildOpenapi } from '../../lambda/surfaces/openapi.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly additionalProperties?: boolean | Schema;
  readonly default?: unknown;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

interface DescribedOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean; readonly schema: Schema }[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly headers?: object; readonly content?: Content }>>;
}

interface Document {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>>; readonly securitySchemes: Readonly<Record<string, unknown>> };
}

const document = buildOpenapi(operations, 'https://api.example.com/v1') as unknown as Document;
const { schemas } = document.components;
const described = operations.map((operation) => [toolName(operation), operation, document.paths[operation.path]![operation.method.toLowerCase()]!] as const);

function schemaOf(name: string): Schema {
  expect(Object.keys(schemas)).toContain(name);
  return schemas[name]!;
}

function* partsOf(schema: Schema, at: string): Generator<readonly [string, Schema]> {
  yield [at, schema];
  for (const [name, property] of Object.entries(schema.properties ?? {})) yield* partsOf(property, `${at}.${name}`);
  for (const option of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) yield* partsOf(option, at);
  if (schema.items) yield* partsOf(schema.items, `${at}[]`);
  if (typeof schema.additionalProperties === 'object' && at !== 'OpenAPIDocument') yield* partsOf(schema.additionalProperties, `${at}.*`);
}

/** Every schema of a body, with where it is: components, requests and answers. */
const bodySchemas = [
  ...Object.entries(schemas),
  ...described.flatMap(([name, , { requestBody, responses }]) =>
    [requestBody, ...Object.values(responses)].flatMap((body) => Object.values(body?.content ?? {}).map(({ schema }) => [name, schema] as const)),
  ),
].flatMap(([name, schema]) => [...partsOf(schema, name)]);

function takesNull(schema: Schema): boolean {
  return [schema.type].flat().includes('null') || (schema.anyOf ?? []).some(takesNull);
}

describe('the document', () => {
  test('is the committed snapshot', async () => {
    await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot('openapi.json');
  });

  test('names its version and the base URL that paths are relative to', () => {
    expect(document).toMatchObject({ openapi: '3.1.0', info: { version: '1.0.0' }, servers: [{ url: 'https://api.example.com/v1' }] });
    expect(buildOpenapi(operations, 'http://127.0.0.1/v1')).toEqual({ ...document, servers: [{ url: 'http://127.0.0.1/v1' }] });
  });

  test('has each operation of the catalogue under its tool name, and no other', () => {
    const ids = Object.values(document.paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
    expect(ids.toSorted()).toEqual(operations.map(toolName).sort());
    expect(described.filter(([name, , { operationId }]) => name !== operationId)).toEqual([]);
  });

  test('refers only to what is there, and has nothing that nobody refers to', () => {
    const references = JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g);
    const referred = new Set([...references].map(([, reference]) => reference));
    expect(referred).toEqual(new Set(Object.keys(schemas).map((name) => `#/components/schemas/${name}`)));
  });

  test('lists the tags and security schemes that operations use', () => {
    expect(new Set(described.flatMap(([, , { tags }]) => tags))).toEqual(new Set(document.tags.map(({ name }) => name)));
    const schemes = described.flatMap(([, , { security }]) => security.flatMap(Object.keys));
    expect(new Set(schemes)).toEqual(new Set(Object.keys(document.components.securitySchemes)));
  });
});

describe('bodies', () => {
  test('have a type in every place', () => {
    expect(bodySchemas.filter(([, { $ref, type, anyOf, oneOf }]) => ($ref ?? type ?? anyOf ?? oneOf) === undefined)).toEqual([]);
  });

  test('require only properties that they have', () => {
    const missing = bodySchemas.flatMap(([at, { properties = {}, required = [] }]) =>
      required.filter((name) => !Object.hasOwn(properties, name)).map((name) => `${at}.${name}`),
    );
    expect(missing).toEqual([]);
  });

  test('always have each field that is "or null", and leave out the others that are not required', () => {
    const { Stream, Upload, Playlist, Destination, StreamStats, Me, Readiness, Problem } = schemas;
    const optional = (schema: Schema | undefined) => Object.keys(schema!.properties!).filter((name) => !schema!.required!.includes(name));
    expect([Stream, Playlist, StreamStats, Me, Readiness].map(optional)).toEqual([[], [], [], [], []]);
    expect(optional(Upload)).toEqual(['fileSize']);
    expect(optional(Destination)).toEqual(['rtmpURL', 'backupRtmpURL', 'lastUsedAt', 'archivedAt', 'managedChannelTitleCached']);
    expect(optional(Problem)).toEqual(['readiness', 'errors']);
  });

  test.for([
    ['Stream', ['name', 'stateReason', 'streamStateID', 'preparedShare', 'videoUploadObjectID', 'audioUploadObjectID', 'destinationID', 'streamDestination', 'managedSettingsID',
      'quality', 'framerate', 'streamBackend', 'streamDuration', 'agentModeEnabled', 'runBackupStream', 'scheduleStartAt', 'scheduleEndAt', 'recurrence',
      'startedAt', 'stoppedAt']],
    ['Upload', ['failure', 'durationSeconds', 'width', 'height', 'framerate', 'videoCodec', 'audioCodec']],
    ['Playlist', ['name', 'publishFailure', 'live']],
    ['StreamStats', ['startedAt', 'currentItem', 'sampledAt']],
    ['Me', []],
    ['Destination', []],
  ] as const)('%s types as null what can be null', ([name, nullable]) => {
    const properties = Object.entries(schemaOf(name).properties!);
    expect(properties.filter(([, schema]) => takesNull(schema)).map(([field]) => field)).toEqual(nullable);
  });

  test('of requests refuse fields that they do not know, and require what cannot be left out', () => {
    const requests = Object.fromEntries(
      described.flatMap(([name, , { requestBody }]) => (requestBody ? [[name, requestBody.content['application/json']!.schema] as const] : [])),
    );
    expect(Object.values(requests).map(({ additionalProperties }) => additionalProperties)).toEqual(Object.keys(requests).map(() => false));
    expect(Object.fromEntries(Object.entries(requests).map(([name, { required = [] }]) => [name, required]))).toEqual({
      create_stream: [],
      update_stream: [],
      schedule_stream: ['scheduleStartAt'],
      create_upload: ['name', 'mimeType'],
      create_playlist: ['streamID', 'kind', 'mode'],
      apply_playlist_operations: ['operations'],
      create_destination: ['name', 'rtmpURL', 'streamKey'],
    });
  });

  test('of playlist operations are told apart by op', () => {
    const options = schemaOf('PlaylistOperation').oneOf!;
    expect(options.map(({ properties, required }) => [properties!['op']!.const, required])).toEqual([
      ['add', ['op', 'uploadID']], ['remove', ['op', 'itemID']], ['move', ['op', 'itemID', 'index']], ['replace', ['op', 'itemID', 'uploadID']],
      ['setMode', ['op', 'mode']], ['clear', ['op']],
    ]);
  });
});

describe.for(described)('%s', ([, operation, { parameters, requestBody, responses, security }]) => {
  test('types its parameters', () => {
    const named = (where: string) => parameters.filter((parameter) => parameter.in === where);
    expect(named('path').map(({ name, required }) => [name, required])).toEqual(Object.keys(operation.params.shape).map((name) => [name, true]));
    expect(named('query').map(({ name, required }) => [name, required])).toEqual(Object.keys(operation.query.shape).map((name) => [name, false]));
    expect(named('header').map(({ name }) => name)).toEqual(operation.method === 'POST' ? ['Idempotency-Key'] : []);
    expect(parameters.filter(({ schema }) => !/^(string|integer|boolean|array)$/.test(String(schema.type)))).toEqual([]);
  });

  test('has the answers and problems that it declares', () => {
    const { status, body, location } = operation.output;
    expect([requestBody !== undefined, requestBody?.required]).toEqual(operation.body ? [true, true] : [false, undefined]);
    expect(security.length === 0).toBe(operation.scopes === 'public');
    expect(responses[status]!.content === undefined).toBe(body === undefined);
    expect(Object.keys(responses[status]!.headers ?? {})).toEqual(location ? ['Location'] : []);
    for (const code of operation.errors) expect(responses[problemCodes[code].status]!.description).toContain(`\`${code}\`: `);
    for (const [answered, { content }] of Object.entries(responses)) {
      if (Number(answered) >= 400) expect(Object.keys(content ?? {})).toEqual(['application/problem+json']);
    }
  });
});
