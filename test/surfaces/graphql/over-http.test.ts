// GraphQL over HTTP: the protocol, by the audits of its reference implementation, and our own rules.
import { serverAudits } from 'graphql-http';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createService } from '../../../lambda/api/create-service.ts';
import { createPool } from '../../../lambda/data/shared/queryable.ts';
import { maxCost, maxDepth } from '../../../lambda/surfaces/graphql/limits.ts';
import { createGraphqlHandler } from '../../../lambda/surfaces/graphql/graphql-handler.ts';
import { signAccessToken } from '../../support/access-token.ts';
import { graphqlOn, graphqlURL } from '../../support/graphql.ts';
import { storeLongPlaylist } from '../../support/long-playlists.ts';
import { testService } from '../../support/service.ts';
import type { TestUser } from '../../support/service.ts';

const service = testService();
const { ask, handler } = graphqlOn(service);
const { origin } = new URL(graphqlURL);
let user: TestUser;
beforeAll(async () => {
  user = await service.user();
});

const newer = { accept: 'application/graphql-response+json' };
const codesOf = ({ body }: { body: { errors?: { extensions: { code: string } }[] } }) =>
  (body.errors ?? []).map(({ extensions }) => extensions.code);

/** A number of texts, made from their indices from 0, in one line. */
const times = (count: number, make: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => make(index)).join(' ');

/** Does work while the table of destinations is missing. */
async function withoutDestinations<Result>(work: () => Promise<Result>): Promise<Result> {
  await service.pool().query('alter table destinations rename to hidden');
  try {
    return await work();
  } finally {
    await service.pool().query('alter table hidden rename to destinations');
  }
}

/** Stores a hundred uploads of a user, with names of the maximum length. */
const storeUploadsWithLongNames = (userID: string) =>
  service.pool().query(
    `insert into uploads (id, user_id, name, mime_type, type, object_key)
     select 'upl_many_' || n, $1, repeat('x', 255), 'video/mp4', 'video', n::text from generate_series(1, 100) n`,
    [userID],
  );

describe('the protocol', () => {
  const audits = serverAudits({
    url: graphqlURL,
    fetchFn: async (url: string, init: RequestInit) => {
      const request = new Request(url, init);
      request.headers.set('x-api-key', user.apiKey);
      return handler()(request, '192.0.2.1');
    },
  });
  // GET is not supported: its queries would be in logs, with their addresses, and answers must not be cached.
  it.each(audits.filter(({ name }) => !/ GETs? |GET requests/.test(name)))('$name', async (audit) => {
    expect((await audit.fn()).status).toBe('ok');
  });

  it('a GET is answered 405, with POST as what is allowed', async () => {
    const response = await handler()(
      new Request(`${graphqlURL}?query={getMe{id}}`, { headers: { 'x-api-key': user.apiKey } }),
      '192.0.2.1',
    );
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });
});

describe('credentials', () => {
  const token = (audience: string, scopes = ['service:read']) =>
    signAccessToken(service.pool(), { origin, userID: user.id, scopes, audience });
  const withToken = async (audience: string) =>
    ask(null, '{ getMe { id } }', {}, { authorization: `Bearer ${await token(audience)}` });

  it.each(['/graphql', '', '/'])('a token for the origin and the path "%s" is accepted', async (path) => {
    expect((await withToken(origin + path)).body).toEqual({ data: { getMe: { id: user.id } } });
  });

  it('a token for another part of the API is refused', async () => {
    const answer = await withToken(`${origin}/v1`);
    expect([answer.status, codesOf(answer)]).toEqual([401, ['unauthenticated']]);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer error="invalid_token", resource_metadata=/);
  });

  it('the answer without a credential leads to where a token can be had', async () => {
    const answer = await ask(null, '{ getMe { id } }');
    expect([answer.status, codesOf(answer)]).toEqual([401, ['unauthenticated']]);
    const challenge = answer.headers.get('www-authenticate');
    expect(challenge).toContain(`${origin}/.well-known/oauth-protected-resource/graphql`);
    expect(challenge).not.toContain('error=');
  });

  it('a wrong key is refused before its query is read', async () => {
    expect(codesOf(await ask({ apiKey: 'lss_wrong' }, '{ nothing'))).toEqual(['unauthenticated']);
    expect(codesOf(await ask(null, '{ nothing'))).toEqual(['unauthenticated']);
  });

  it('the schema and the state of the service need no credential', async () => {
    const { body } = await ask(
      null,
      '{ getStatus { status checks { database { status } } } __schema { queryType { name } } getOpenapi }',
    );
    expect(body.data).toMatchObject({
      getStatus: { status: 'ok', checks: { database: { status: 'ok' } } },
      __schema: { queryType: { name: 'Query' } },
      getOpenapi: { openapi: '3.1.0' },
    });
  });

  it('a query for anything else besides needs a credential', async () => {
    expect(codesOf(await ask(null, '{ getStatus { status } getMe { id } }'))).toEqual(['unauthenticated']);
  });
});

describe('scopes', () => {
  const withScopes = async (scopes: string[], query: string, variables = {}) =>
    ask(null, query, variables, {
      authorization: `Bearer ${await signAccessToken(service.pool(), { origin, userID: user.id, scopes })}`,
    });

  it('are checked field by field, and fields that may be seen are answered', async () => {
    const { status, body } = await withScopes(
      ['service:read'],
      '{ getMe { id } listInvoices { nodes { id } } getBillingOverview { id } }',
    );
    expect(status).toBe(200);
    expect(body.data).toEqual({ getMe: { id: user.id }, listInvoices: null, getBillingOverview: { id: user.id } });
    expect(body.errors).toEqual([
      expect.objectContaining({
        path: ['listInvoices'],
        message:
          'This operation needs the scope service:billing. Ask the user for this scope, or use an API key that has it.',
      }),
    ]);
    expect(body.errors[0].extensions).toMatchObject({
      code: 'insufficient_scope',
      status: 403,
      scopes: ['service:billing'],
    });
  });

  it('are checked before arguments', async () => {
    const query = 'mutation($name: String) { createStream(name: $name) { id } }';
    expect(codesOf(await withScopes(['service:read'], query, { name: 5 }))).toEqual(['insufficient_scope']);
    expect(codesOf(await withScopes(['service:write'], query, { name: 5 }))).toEqual(['validation_failed']);
  });

  it('are checked for relations', async () => {
    const { body: destination } = await user.call('POST', '/destinations', {
      name: 'd',
      rtmpURL: 'rtmp://example.com/live',
      streamKey: 'a-key',
    });
    const query =
      'mutation($destination: ID) { createStream(destinationID: $destination) { state destination { name } } }';
    const { body } = await withScopes(['service:write'], query, { destination: destination.id });
    expect(body.data).toEqual({ createStream: { state: 'draft', destination: null } });
    expect(body.errors[0]).toMatchObject({
      path: ['createStream', 'destination'],
      extensions: { code: 'insufficient_scope', scopes: ['service:read'] },
    });
  });
});

describe('errors', () => {
  it('have the code and all other members of the problem that REST answers', async () => {
    const { body: stream } = await user.call('POST', '/streams', {});
    const { body: rest } = await user.call('POST', `/streams/${stream.id}/start`);
    const { status, body } = await ask(user, 'mutation($id: ID!) { startStream(id: $id) { id } }', { id: stream.id });
    expect([status, body.data]).toEqual([200, { startStream: null }]);
    const { detail, title: _, ...members } = rest;
    expect(body.errors).toEqual([
      { message: detail, path: ['startStream'], locations: [{ line: 1, column: 22 }], extensions: members },
    ]);
    expect(members).toMatchObject({ code: 'stream_not_ready', readiness: { ready: false } });
  });

  it.each([
    ['a document that is none', '{ getMe {', 'query_malformed'],
    ['an operation that is not there', '{ getNothing { id } }', 'query_malformed'],
    ['an argument that is not there', '{ getMe(id: 1) { id } }', 'query_malformed'],
    ['a subscription', 'subscription { getMe { id } }', 'query_malformed'],
    ['a literal of a wrong type', '{ listStreams(first: "x") { nodes { id } } }', 'query_malformed'],
    [
      'a variable of a wrong type',
      'query($first: Int = 1) { listStreams(first: $first) { nodes { id } } }',
      'validation_failed',
    ],
    ['null where null cannot be', 'query($first: ID = "x") { getStream(id: $first) { id } }', 'validation_failed'],
    [
      'null for a directive',
      'query($first: Boolean = true) { getMe { defaults { quality @include(if: $first) } } }',
      'validation_failed',
    ],
  ])('%s is refused with a code', async (_, query, code) => {
    const first = /(ID|Boolean) =/.test(query) ? null : 'x';
    expect(codesOf(await ask(user, query, { first }, newer))).toEqual([code]);
  });

  it('name the argument at fault, even within an operation on a playlist', async () => {
    const query =
      'mutation($ops: [PlaylistOperationInput!]!) { applyPlaylistOperations(id: "x", operations: $ops) { id } }';
    const { body } = await ask(user, query, {
      ops: [{ clear: true }, { add: { uploadID: 'nothing', index: -1 } }, { move: { itemID: '', index: 1 } }],
    });
    const paths = body.errors[0].extensions.errors.map(({ path }: { path: string }) => path);
    expect(paths).toEqual(['/operations/1/add/index', '/operations/2/move/itemID']);
  });

  it.each(['{ listStreams(first: 101) { nodes { id } } }', '{ listStreams(after: "x") { nodes { id } } }'])(
    '%s is refused at its argument',
    async (query) => {
      const [, name] = /\((\w+):/.exec(query)!;
      expect((await ask(user, query)).body.errors[0].extensions.errors).toEqual([
        expect.objectContaining({ path: `/${name}` }),
      ]);
    },
  );

  it('of our own do not tell their cause, which is logged', async () => {
    const stranger = await service.user();
    const query = '{ getMe { id } listDestinations { nodes { id } } }';
    const { body } = await withoutDestinations(() => ask(stranger, query));
    expect(body.data).toEqual({ getMe: { id: stranger.id }, listDestinations: null });
    expect(body.errors[0]).toMatchObject({
      message: 'The platform made a mistake, which is logged.',
      extensions: { code: 'internal_error', status: 500 },
    });
    expect(JSON.parse(service.logged.at(-1)!)).toEqual({
      event: 'request_failed',
      code: 'internal_error',
      cause: 'error: relation "destinations" does not exist',
    });
  });

  it('of many relations with one cause are logged once', async () => {
    const owner = await service.user();
    for (const name of ['a', 'b', 'c']) {
      const { body: destination } = await owner.call('POST', '/destinations', {
        name,
        rtmpURL: 'rtmp://example.com/live',
        streamKey: 'a-key',
      });
      await owner.call('POST', '/streams', { destinationID: destination.id });
    }
    const before = service.logged.length;
    const query = '{ listStreams { nodes { state destination { name } } } }';
    const { body } = await withoutDestinations(() => ask(owner, query));
    expect(body.data.listStreams.nodes).toEqual(
      Array.from({ length: 3 }, () => ({ state: 'draft', destination: null })),
    );
    expect(codesOf({ body })).toEqual(['internal_error', 'internal_error', 'internal_error']);
    expect(service.logged.length - before).toBe(1);
  });

  it('are answered 502 when the database is gone', async () => {
    const pool = createPool({ host: '127.0.0.1', port: 1, connectionTimeoutMillis: 500 });
    const nothing = null as never;
    const dead = createService(
      {
        pool,
        objects: nothing,
        queue: nothing,
        sealer: nothing,
        sourceSealer: nothing,
        liveSealer: nothing,
        payment: nothing,
        crypto: nothing,
        platforms: {},
        serviceSecret: '',
        origin,
      },
      { rateLimitFactor: 1 } as never,
      () => {},
    );
    const headers = { 'x-api-key': user.apiKey, 'content-type': 'application/json' };
    const response = await createGraphqlHandler(dead)(
      new Request(graphqlURL, { method: 'POST', headers, body: '{"query":"{getMe{id}}"}' }),
      '192.0.2.1',
    );
    expect([response.status, codesOf({ body: await response.json() })]).toEqual([502, ['upstream_unavailable']]);
  });
});

describe('limits', () => {
  const nested = (depth: number) =>
    `{ getPlaylist(id: "x") ${'{ stream { playlists '.repeat(depth)} { id } ${'} }'.repeat(depth)} }`;

  it(`${maxDepth} fields inside each other are the deepest`, async () => {
    expect(codesOf(await ask(user, nested(6), {}, newer))).toEqual(['not_found']);
    const answer = await ask(user, nested(7), {}, newer);
    expect([answer.status, codesOf(answer)]).toEqual([400, ['query_too_large']]);
    expect(answer.body.errors[0].message).toContain(`the limit is ${maxDepth}`);
  });

  describe(`${maxCost} resources are the most`, () => {
    /** Streams with the items of their playlists. @param args of the list */
    const page = (args: string) => `listStreams(${args}) { nodes { playlists { draft { items { upload { id } } } } } }`;

    it('through aliases', async () => {
      const pages = (...counts: number[]) =>
        `{ ${times(counts.length, (index) => `p${index}: ${page(`first: ${counts[index]}`)}`)} }`;
      expect((await ask(user, pages(100, 50))).body.errors).toBeUndefined();
      expect(codesOf(await ask(user, pages(100, 100, 100)))).toEqual(['query_too_large']);
      expect(codesOf(await ask(user, pages(100, -1, 100)))).toEqual(['query_too_large']);
    });

    it('through variables', async () => {
      const query = `query($first: Int) { ${times(3, (index) => `a${index}: ${page('first: $first')}`)} }`;
      expect(codesOf(await ask(user, query, { first: 100 }))).toEqual(['query_too_large']);
    });

    it('through fragments', async () => {
      const twice = (index: number) =>
        ['a', 'b'].map((name) => `${name}: playlists { stream { ...f${index + 1} } }`).join(' ');
      const doubling = times(20, (index) => `fragment f${index} on Stream { ${twice(index)} }`);
      const query = `{ getStream(id: "x") { ...f0 } } ${doubling} fragment f20 on Stream { id }`;
      expect(codesOf(await ask(user, query))).toEqual(['query_too_large']);
    });

    it('although lists in resources are longer than was estimated', { timeout: 30_000 }, async () => {
      const owner = await service.user();
      for (let count = 0; count < 11; count++) {
        const { body: stream } = await owner.call('POST', '/streams', {});
        const id = `ply_full_${count}`;
        await storeLongPlaylist(service, { id, userID: owner.id, streamID: stream.id, isLive: false });
        await owner.call('PATCH', `/streams/${stream.id}`, { playlistIDs: [id] });
      }
      expect((await ask(owner, `{ ${page('first: 4')} }`)).body.errors).toBeUndefined();
      const queries = vi.spyOn(service.pool(), 'query');
      expect(new Set(codesOf(await ask(owner, `{ ${page('first: 100')} }`)))).toEqual(new Set(['query_too_large']));
      const parameters = queries.mock.calls.flatMap(([, values]) => (values ?? []) as unknown[]);
      expect(parameters.some((value) => Array.isArray(value) && value.length > 1000)).toBe(false);
      queries.mockRestore();
    });

    it('through lists of ids', async () => {
      const ids = JSON.stringify(Array.from({ length: 100 }, () => 'x'));
      const query = `{ ${times(3, (index) => `a${index}: ${page(`first: 1, ids: ${ids}`)}`)} }`;
      expect(codesOf(await ask(user, query))).toEqual(['query_too_large']);
    });
  });

  it('a hundred changes are the most', async () => {
    const changes = (count: number) => `mutation { ${times(count, (index) => `a${index}: deletePlaylist(id: "x")`)} }`;
    expect(new Set(codesOf(await ask(user, changes(100))))).toEqual(new Set(['not_found']));
    expect(codesOf(await ask(user, changes(101)))).toEqual(['query_too_large']);
  });

  it('a document of too many tokens, or of a megabyte, is refused', async () => {
    expect(codesOf(await ask(user, `{ ${'getMe { id } '.repeat(2000)} }`))).toEqual(['query_malformed']);
    expect(codesOf(await ask(user, `{ getMe { ${' '.repeat(1024 * 1024)} id } }`))).toEqual(['payload_too_large']);
  });

  it('4 MB of answer are the most', async () => {
    const collector = await service.user();
    await storeUploadsWithLongNames(collector.id);
    const page = `listUploads(first: 100) { nodes { ${times(20, (index) => `n${index}: name`)} } }`;
    const pages = (count: number) => `{ ${times(count, (index) => `p${index}: ${page}`)} }`;
    expect((await ask(collector, pages(7))).body.errors).toBeUndefined();
    expect(codesOf(await ask(collector, pages(8)))).toEqual(['query_too_large']);
  });

  it('introspection may not go in circles', async () => {
    const circle =
      '{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }';
    expect(codesOf(await ask(user, circle))).toEqual(['query_malformed']);
  });

  it('introspection may name the schema ten times', async () => {
    const schemas = (count: number) => `{ ${times(count, (index) => `s${index}: __schema { types { name } }`)} }`;
    expect((await ask(user, schemas(10))).body.errors).toBeUndefined();
    expect(codesOf(await ask(user, schemas(11)))).toEqual(['query_too_large']);
  });

  it('the items of a long playlist may not be asked for under many names', { timeout: 60_000 }, async () => {
    const id = 'ply_long';
    const { body: stream } = await user.call('POST', '/streams', {});
    await storeLongPlaylist(service, { id, userID: user.id, streamID: stream.id, isLive: false });
    const named = (count: number, what: string) => times(count, (index) => `n${index}: ${what}`);
    const query = (calls: number, items: string) => {
      const playlists = named(calls, `getPlaylist(id: "${id}") { draft { ...items } }`);
      return `{ ${playlists} } fragment items on PlaylistDraft { ${items} }`;
    };
    expect((await ask(user, query(1, `items { ${named(20, 'id')} }`))).body.errors).toBeUndefined();
    const messages = [];
    for (const items of [
      `items { ${named(100, 'id')} }`,
      named(60, 'items { __typename }'),
      `items { ${named(300, '__typename')} }`,
    ]) {
      const { body } = await ask(user, query(40, items));
      expect(codesOf({ body })).toEqual(['query_too_large']);
      messages.push(body.errors[0].message);
    }
    // The messages name the estimate from before the execution, not the length of an answer that was computed anyway.
    expect(messages.filter((message) => message.includes('values') || message.includes('resources'))).toHaveLength(3);
  });
});

describe('an idempotency key', () => {
  const query = 'mutation($name: String, $key: String) { createStream(name: $name, idempotencyKey: $key) { id name } }';

  it('brings back the first answer, and says so', async () => {
    const first = await ask(user, query, { name: 'a', key: 'one' });
    const again = await ask(user, query, { name: 'a', key: 'one' });
    expect(again.body).toEqual({ ...first.body, extensions: { idempotencyReplayed: ['createStream'] } });
    expect(first.body.extensions).toBeUndefined();
  });

  it('that was used in GraphQL brings back the whole answer in REST', async () => {
    const first = await ask(user, query, { name: 'b', key: 'two' });
    const { status, headers, body } = await user.call('POST', '/streams', { name: 'b' }, { 'idempotency-key': 'two' });
    expect([status, headers.get('idempotency-replayed'), body.id]).toEqual([
      201,
      'true',
      first.body.data.createStream.id,
    ]);
    const whole = await user.call('GET', `/streams/${body.id}`);
    expect(Object.keys(body)).toEqual(Object.keys(whole.body));
  });

  it('is refused for another request, and with characters that it may not have', async () => {
    await ask(user, query, { name: 'c', key: 'three' });
    expect(codesOf(await ask(user, query, { name: 'd', key: 'three' }))).toEqual(['idempotency_key_reused']);
    const { body } = await ask(user, query, { name: 'd', key: 'ü' });
    expect(body.errors[0].extensions.errors).toEqual([
      { path: '/idempotencyKey', code: 'validation_failed', detail: 'Must have 1 to 255 visible ASCII characters.' },
    ]);
  });
});

describe('rate limits', () => {
  // A hundredth of the requests per minute that a stage allows: 12 reads, 6 writes, 3 refused credentials.
  const strict = testService({ rateLimitFactor: 0.01 });
  const limited = graphqlOn(strict);
  const quotaOf = ({ headers }: { headers: Headers }) => [
    Number(headers.get('ratelimit-limit')),
    Number(headers.get('ratelimit-remaining')),
  ];

  it('count every call of a request, as a read or a write', async () => {
    const caller = await strict.user();
    expect(
      quotaOf(await limited.ask(caller, '{ a: getMe { id } b: getMe { id } listStreams { nodes { id } } }')),
    ).toEqual([12, 9]);
    expect(
      quotaOf(await limited.ask(caller, 'mutation { a: deletePlaylist(id: "x") b: deletePlaylist(id: "x") }')),
    ).toEqual([6, 4]);
    expect(quotaOf(await limited.ask(caller, '{ nothing }'))).toEqual([12, 8]);
    expect(quotaOf(await limited.ask(caller, '{ __typename }'))).toEqual([12, 7]);
    expect(quotaOf(await limited.ask(null, '{ a: getStatus { status } b: getStatus { status } }'))).toEqual([12, 10]);
  });

  it('refuse a whole request that is beyond them', async () => {
    const caller = await strict.user();
    const query = `mutation { ${times(7, (index) => `a${index}: createStream { id }`)} }`;
    const answer = await limited.ask(caller, query);
    expect([answer.status, codesOf(answer), quotaOf(answer)]).toEqual([429, ['rate_limited'], [6, 0]]);
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
    expect((await caller.call('GET', '/streams')).body.data).toEqual([]);
  });

  it('count calls of REST as well', async () => {
    const caller = await strict.user();
    await caller.call('GET', '/me');
    expect(quotaOf(await limited.ask(caller, '{ getMe { id } }'))).toEqual([12, 10]);
  });
});
