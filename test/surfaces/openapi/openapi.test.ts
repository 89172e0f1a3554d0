// The OpenAPI document: a committed snapshot, so that reviews show API changes, and consistent by itself.
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { operations } from '../../../lambda/operations/index.ts';
import { toolName } from '../../../lambda/operations/operation.ts';
import { problemCodes } from '../../../lambda/operations/problem-kinds.ts';
import { buildOpenapi } from '../../../lambda/surfaces/openapi/openapi.ts';

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

type Content = Readonly<
  Record<
    string,
    { readonly schema: Schema; readonly example?: unknown; readonly examples?: Readonly<Record<string, unknown>> }
  >
>;

interface DescribedAnswer {
  readonly $ref?: string;
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>;
  readonly content?: Content;
}

interface DescribedOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly schema: Schema;
  }[];
  readonly description: string;
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, DescribedAnswer>>;
}

interface Document {
  readonly webhooks: Readonly<Record<string, { readonly post: { readonly tags: readonly string[] } }>>;
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, DescribedAnswer>>;
    readonly headers: Readonly<Record<string, unknown>>;
    readonly examples: Readonly<
      Record<string, { readonly value: { readonly type: string; readonly status: number; readonly code: string } }>
    >;
    readonly securitySchemes: Readonly<Record<string, unknown>>;
  };
}

const document = buildOpenapi(operations, 'https://api.example.org/v1') as unknown as Document;
const { schemas } = document.components;
const described = operations.map(
  (operation) =>
    [toolName(operation), operation, document.paths[operation.path]![operation.method.toLowerCase()]!] as const,
);

function answerOf(answer: DescribedAnswer): DescribedAnswer {
  return answer.$ref ? document.components.responses[answer.$ref.split('/').at(-1)!]! : answer;
}

function schemaOf(name: string): Schema {
  expect(Object.keys(schemas)).toContain(name);
  return schemas[name]!;
}

function* partsOf(schema: Schema, at: string): Generator<readonly [string, Schema]> {
  yield [at, schema];
  // Members beside a reference only restrict it.
  if (schema.$ref) return;
  for (const [name, property] of Object.entries(schema.properties ?? {})) yield* partsOf(property, `${at}.${name}`);
  for (const option of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) yield* partsOf(option, at);
  if (schema.items) yield* partsOf(schema.items, `${at}[]`);
  if (typeof schema.additionalProperties === 'object' && at !== 'OpenAPIDocument')
    yield* partsOf(schema.additionalProperties, `${at}.*`);
}

/** Every schema of a body, with its place: components, requests and answers. */
const bodySchemas = [
  ...Object.entries(schemas),
  ...described.flatMap(([name, , { requestBody, responses }]) =>
    [requestBody, ...Object.values(responses).map(answerOf)].flatMap((body) =>
      Object.values(body?.content ?? {}).map(({ schema }) => [name, schema] as const),
    ),
  ),
].flatMap(([name, schema]) => [...partsOf(schema, name)]);

function takesNull(schema: Schema): boolean {
  return [schema.type].flat().includes('null') || (schema.anyOf ?? []).some(takesNull);
}

describe('the document', () => {
  test('is the committed snapshot', async () => {
    await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot('../openapi.json');
  });

  test('names its version and the base URL that paths are relative to', () => {
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { version: '1.0.0' },
      servers: [{ url: 'https://api.example.org/v1' }],
    });
    const elsewhere = JSON.stringify(buildOpenapi(operations, 'http://127.0.0.1:3000/v1'));
    expect(elsewhere).toBe(
      JSON.stringify(document).replaceAll(/https:\/\/api\.example\.org(?!\/v1\/uploads\/)/g, 'http://127.0.0.1:3000'),
    );
  });

  test('has each operation of the catalogue under its tool name, and no other', () => {
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    expect(ids.toSorted()).toEqual(operations.map(toolName).sort());
    expect(described.filter(([name, , { operationId }]) => name !== operationId)).toEqual([]);
  });

  test('refers only to components that it has, and has none without a reference', () => {
    const references = JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g);
    const referred = new Set([...references].map(([, reference]) => reference));
    const { securitySchemes: _, ...components } = document.components;
    const there = Object.entries(components).flatMap(([kind, named]) =>
      Object.keys(named).map((name) => `#/components/${kind}/${name}`),
    );
    expect([...referred].sort()).toEqual(there.sort());
  });

  test('lists the tags and security schemes that operations use', () => {
    const ofOperations = new Set(described.flatMap(([, , { tags }]) => tags));
    const ofEvents = new Set(Object.values(document.webhooks).flatMap(({ post: { tags } }) => tags));
    expect(new Set(document.tags.map(({ name }) => name))).toEqual(new Set([...ofOperations, ...ofEvents]));
    // If two share a tag, generators of clients keep only one.
    expect([...ofEvents].filter((tag) => ofOperations.has(tag))).toEqual([]);
    const schemes = described.flatMap(([, , { security }]) => security.flatMap(Object.keys));
    expect(new Set(schemes)).toEqual(new Set(Object.keys(document.components.securitySchemes)));
  });
});

describe('bodies', () => {
  test('have a type in every place', () => {
    expect(
      bodySchemas.filter(([, part]) => (part.$ref ?? part.type ?? part.anyOf ?? part.oneOf) === undefined),
    ).toEqual([]);
  });

  test('require only properties that they have', () => {
    const missing = bodySchemas.flatMap(([at, { properties = {}, required = [] }]) =>
      required.filter((name) => !Object.hasOwn(properties, name)).map((name) => `${at}.${name}`),
    );
    expect(missing).toEqual([]);
  });

  test('always have each field that may be null, and may leave out only these others', () => {
    const { Stream, Upload, Playlist, Destination, StreamStats, Me, Readiness, Problem } = schemas;
    const optional = (schema: Schema | undefined) =>
      Object.keys(schema!.properties!).filter((name) => !schema!.required!.includes(name));
    expect([Stream, Playlist, StreamStats, Me, Readiness].map(optional)).toEqual([[], [], [], [], []]);
    expect(optional(Upload)).toEqual(['fileSize', 'externalSource']);
    expect(optional(Destination)).toEqual([
      'url',
      'rtmpURL',
      'backupURL',
      'backupRtmpURL',
      'lastUsedAt',
      'archivedAt',
      'managedChannelTitleCached',
    ]);
    expect(optional(Problem)).toEqual(['readiness', 'limit', 'used', 'allowed', 'partNumbers', 'errors']);
  });

  test.for([
    [
      'Stream',
      [
        'name',
        'stateReason',
        'streamStateID',
        'preparedShare',
        'videoUploadObjectID',
        'audioUploadObjectID',
        'destinationID',
        'streamDestination',
        'managedSettingsID',
        'mirror',
        'watchURL',
        'posterURL',
        'quality',
        'framerate',
        'videoCodec',
        'streamBackend',
        'pendingLook',
        'pendingJoins',
        'pendingSound',
        'streamDuration',
        'agentModeEnabled',
        'runBackupStream',
        'scheduleStartAt',
        'scheduleEndAt',
        'recurrence',
        'startedAt',
        'stoppedAt',
      ],
    ],
    [
      'Upload',
      [
        'title',
        'artist',
        'album',
        'artworkUploadID',
        'failure',
        'durationSeconds',
        'width',
        'height',
        'framerate',
        'videoCodec',
        'audioCodec',
        'loudness',
        'thumbnailURL',
        'storyboard',
        'artworkURL',
        'clipOf',
        'showSeconds',
        'availability',
        'orderReference',
        'advertiser',
      ],
    ],
    ['Playlist', ['streamID', 'name', 'publishFailure', 'publishProgress', 'takesOverAt', 'live']],
    ['StreamStats', ['startedAt', 'secondsInHand', 'currentItem', 'run', 'sampledAt']],
    ['Me', []],
    ['Destination', ['srt', 'platform', 'limits', 'lastCheck']],
  ] as const)('of type %s name the fields that may be null', ([name, nullable]) => {
    const properties = Object.entries(schemaOf(name).properties!);
    expect(properties.filter(([, schema]) => takesNull(schema)).map(([field]) => field)).toEqual(nullable);
  });

  test('of requests refuse fields that they do not know, and require what cannot be left out', () => {
    const requests = Object.fromEntries(
      described.flatMap(([name, , { requestBody }]) =>
        requestBody ? [[name, requestBody.content['application/json']!.schema] as const] : [],
      ),
    );
    expect(Object.values(requests).map(({ additionalProperties }) => additionalProperties)).toEqual(
      Object.keys(requests).map(() => false),
    );
    expect(Object.fromEntries(Object.entries(requests).map(([name, { required = [] }]) => [name, required]))).toEqual({
      create_stream: [],
      update_stream: [],
      duplicate_stream: [],
      stop_stream: [],
      publish_playlist: [],
      schedule_stream: ['scheduleStartAt'],
      skip_occurrence: ['startAt'],
      skip_item: ['startAt', 'uploadID'],
      create_guide_link: [],
      update_guide_link: [],
      request_item: ['uploadID'],
      preview_stream_look: ['look'],
      mark_notifications_read: [],
      play_next: ['uploadID'],
      create_stream_output: ['destinationID'],
      update_stream_output: [],
      create_live_input: ['name', 'streamID'],
      update_live_input: [],
      take_over_stream: ['liveInputID'],
      create_upload: ['name', 'mimeType'],
      create_clip: [],
      create_upload_part_urls: ['partNumbers'],
      import_upload: ['url'],
      create_source: ['kind', 'url'],
      update_source: [],
      create_playlist: ['kind', 'mode'],
      apply_playlist_operations: ['operations'],
      apply_upload_operations: ['operations'],
      update_upload: [],
      update_playlist: [],
      copy_playlist: ['targetPlaylistID'],
      create_collection: ['name', 'kind', 'source'],
      update_collection: [],
      create_programme: ['streamID'],
      update_programme: [],
      revert_programme: ['version'],
      queue_item: ['uploadID'],
      // One of url and rtmpURL, and for RTMP the key: a schema of plain fields cannot express this.
      create_destination: ['name'],
      create_connection: ['platform'],
      create_managed_settings: ['connectionID', 'name', 'titleTemplate', 'privacy', 'madeForKids'],
      reauthorise_connection: [],
      update_managed_settings: [],
      update_destination: [],
      create_top_up: ['amountCents'],
      create_webhook: ['url', 'events'],
      update_webhook: [],
      create_alert_channel: ['name', 'kind'],
      update_alert_channel: [],
    });
  });

  test('of playlist operations are told apart by op', () => {
    const options = schemaOf('PlaylistOperation').oneOf!;
    expect(options.map(({ properties, required }) => [properties!['op']!.const, required])).toEqual([
      ['add', ['op', 'uploadID']],
      ['remove', ['op', 'itemID']],
      ['move', ['op', 'itemID', 'index']],
      ['replace', ['op', 'itemID', 'uploadID']],
      ['set', ['op', 'itemID']],
      ['setMode', ['op', 'mode']],
      ['clear', ['op']],
    ]);
  });
});

describe.for(described)('%s', ([, operation, { description, parameters, requestBody, responses, security }]) => {
  test('types its parameters', () => {
    const named = (where: string) => parameters.filter((parameter) => parameter.in === where);
    expect(named('path').map(({ name, required }) => [name, required])).toEqual(
      Object.keys(operation.params.shape).map((name) => [name, true]),
    );
    expect(named('query').map(({ name, required }) => [name, required])).toEqual([
      ...Object.entries(operation.query.shape).map(([name, type]) => [name, !z.safeParse(type, undefined).success]),
      ...(operation.output.csv ? [['format', false]] : []),
    ]);
    expect(named('header').map(({ name }) => name)).toEqual(
      operation.method === 'POST' && operation.scopes !== 'public' ? ['Idempotency-Key'] : [],
    );
    expect(parameters.filter(({ schema }) => !/^(string|integer|boolean|array)$/.test(String(schema.type)))).toEqual(
      [],
    );
  });

  test('has the answers, headers and problems that it declares', () => {
    const { status, body, location } = operation.output;
    expect([requestBody !== undefined, requestBody?.required]).toEqual(
      operation.body ? [true, operation.isBodyOptional !== true] : [false, undefined],
    );
    const needed =
      operation.scopes === 'public'
        ? []
        : [...operation.scopes.map((scope) => ({ oauth2: [scope] })), { bearerAuth: [] }, { apiKey: [] }];
    expect(security).toEqual(needed);
    expect(responses[status]!.content === undefined).toBe(body === undefined || status === 302);
    const quota = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];
    const replayed = operation.method === 'POST' ? ['Idempotency-Replayed'] : [];
    expect(Object.keys(responses[status]!.headers!)).toEqual([
      ...(location || status === 302 ? ['Location'] : []),
      ...replayed,
      ...quota,
    ]);
    for (const code of operation.errors)
      expect(answerOf(responses[problemCodes[code].status]!).description).toContain(`\`${code}\`: `);
    for (const [answered, answer] of Object.entries(responses)) {
      if (Number(answered) < 400) continue;
      const { headers, content } = answerOf(answer);
      expect(Object.keys(content!)).toEqual(['application/problem+json']);
      expect(Object.keys(headers!)).toEqual(expect.arrayContaining(quota));
      const { examples } = content!['application/problem+json']!;
      expect(
        Object.keys(examples!).filter((code) => document.components.examples[code]!.value.status !== Number(answered)),
      ).toEqual([]);
    }
    expect(Object.keys(answerOf(responses['429']!).headers!)).toContain('Retry-After');
    expect(Object.keys(answerOf(responses['405']!).headers!)).toContain('Allow');
  });

  test('has an example of a request that it accepts, and of an answer', () => {
    expect(description).toMatch(/\S/);
    if (operation.body) {
      const { example } = requestBody!.content['application/json']!;
      expect(operation.body.safeParse(example).error).toBeUndefined();
      expect(example).not.toEqual({});
    }
    const { body } = operation.output;
    if (!body || operation.output.status === 302) return;
    const { schema, example } = responses[operation.output.status]!.content!['application/json']!;
    expect(example ?? (schemas[schema.$ref!.split('/').at(-1)!] as { examples?: unknown[] }).examples![0]).toBeTypeOf(
      'object',
    );
  });
});
