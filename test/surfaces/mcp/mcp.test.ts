// The MCP surface with each operation as a tool: the results of calls, and refusals before a call.
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { guidance } from '../../../lambda/api/mcp-guidance.ts';
import { operations } from '../../../lambda/operations/index.ts';
import { toolName } from '../../../lambda/operations/operation.ts';
import { problemCodes } from '../../../lambda/operations/problem-kinds.ts';
import { allScopes } from '../../../lambda/operations/scopes.ts';
import type { Scope } from '../../../lambda/operations/scopes.ts';
import { isTool } from '../../../lambda/surfaces/mcp/operation-tools.ts';
import { testMcp } from '../../support/mcp.ts';
import { baseURL, testService } from '../../support/service.ts';
import type { TestUser } from '../../support/service.ts';
import { limitKeysOf } from '../../support/stored-credentials.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- tests assert on the answers
type Listed = any;

const service = testService();
const mcp = testMcp(service, 'all');
const offered = operations.filter(isTool);
let user: TestUser;
let tools: Listed[];
beforeAll(async () => {
  user = await service.user();
  ({ tools } = await mcp.request(user, 'tools/list'));
});

/** A user whose key has these scopes only. */
async function userWith(...scopes: Scope[]): Promise<TestUser> {
  const limited = await service.user();
  await limitKeysOf(service, limited.id, scopes);
  return limited;
}

const message = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params });
const send = (body: unknown, headers: Record<string, string> = {}, method = 'POST') =>
  mcp.send(body, { 'x-api-key': user.apiKey, ...headers }, method);

/** Fields of each message since the revision of 2026: the version, and its sender. */
const envelope = (version: string) => ({
  'io.modelcontextprotocol/protocolVersion': version,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
});

describe('the list of tools', () => {
  it('has each operation that is not public, under its tool name', () => {
    expect(tools.map(({ name, title }) => [name, title])).toEqual(
      offered.map((operation) => [toolName(operation), operation.summary]),
    );
  });

  it.each(allScopes)('has for %s the tools for which that scope alone is enough', async (scope) => {
    const { tools: shown } = await mcp.request(await userWith(scope), 'tools/list');
    expect(shown.map(({ name }: Listed) => name)).toEqual(
      offered.filter(({ scopes }) => scopes !== 'public' && scopes.includes(scope)).map(toolName),
    );
  });

  // About 59,000 tokens: for clients that search the list themselves, or read one toolset.
  it('has at most 250 KB, and 100 KB for a key that may only read', async () => {
    const sizeFor = async (reader: TestUser) =>
      Buffer.byteLength(JSON.stringify(await mcp.request(reader, 'tools/list')));
    expect(await sizeFor(user)).toBeLessThanOrEqual(250_000);
    expect(await sizeFor(await userWith('service:read'))).toBeLessThanOrEqual(100_000);
  });

  it('says of each tool whether it reads, destroys, can be repeated and reaches out', () => {
    const flags = {
      readOnlyHint: 'reads',
      destructiveHint: 'destroys',
      idempotentHint: 'repeatable',
      openWorldHint: 'reaches out',
    };
    const said = tools.map(({ name, annotations }) => [
      name,
      Object.entries(flags)
        .flatMap(([flag, word]) => (annotations[flag] ? [word] : []))
        .join(', '),
    ]);
    expect(Object.fromEntries(said.filter(([, words]) => words !== 'reads'))).toEqual({
      create_stream: '',
      update_stream: 'destroys, repeatable',
      delete_stream: 'destroys, repeatable',
      start_stream: 'repeatable, reaches out',
      stop_stream: 'destroys, repeatable',
      retry_stream: 'repeatable, reaches out',
      duplicate_stream: '',
      schedule_stream: '',
      skip_occurrence: 'repeatable',
      play_next: '',
      skip_item: 'destroys, repeatable',
      cancel_stream_schedule: 'destroys, repeatable',
      create_stream_output: 'reaches out',
      create_stream_preview: 'repeatable',
      update_stream_output: 'destroys, repeatable, reaches out',
      delete_stream_output: 'destroys, repeatable',
      create_guide_link: '',
      update_guide_link: 'destroys, repeatable',
      delete_guide_link: 'destroys, repeatable',
      create_live_input: '',
      update_live_input: 'destroys, repeatable',
      rotate_live_input_key: '',
      rotate_live_input_passphrase: '',
      delete_live_input_passphrase: 'destroys, repeatable',
      delete_live_input: 'destroys, repeatable',
      take_over_stream: '',
      hand_back_stream: '',
      create_upload: '',
      create_clip: '',
      import_upload: 'reaches out',
      create_upload_url: 'repeatable',
      create_upload_part_urls: 'repeatable',
      complete_upload: 'repeatable',
      retry_upload: 'repeatable, reaches out',
      create_download_url: 'repeatable',
      update_upload: 'destroys, repeatable',
      apply_upload_operations: 'destroys',
      delete_upload: 'destroys, repeatable',
      create_source: 'reaches out',
      update_source: 'destroys, repeatable',
      scan_source: 'repeatable, reaches out',
      delete_source: 'destroys, repeatable',
      create_playlist: '',
      apply_playlist_operations: 'destroys',
      update_playlist: 'destroys, repeatable',
      copy_playlist: '',
      publish_playlist: 'repeatable',
      discard_playlist_draft: 'destroys, repeatable',
      delete_playlist: 'destroys, repeatable',
      create_collection: '',
      update_collection: 'destroys, repeatable',
      delete_collection: 'destroys, repeatable',
      create_programme: '',
      update_programme: 'destroys, repeatable',
      publish_programme: 'repeatable',
      revert_programme: 'destroys, repeatable',
      queue_item: '',
      remove_queued_item: 'destroys, repeatable',
      delete_programme: 'destroys, repeatable',
      create_connection: 'reaches out',
      create_destination: '',
      create_managed_settings: '',
      delete_connection: 'destroys, repeatable, reaches out',
      delete_managed_settings: 'destroys, repeatable',
      reauthorise_connection: 'reaches out',
      update_managed_settings: 'destroys, repeatable',
      update_destination: 'destroys, repeatable',
      delete_destination: 'destroys, repeatable',
      restore_destination: 'repeatable',
      check_destination: 'reaches out',
      test_webhook: 'reaches out',
      rotate_webhook_secret: '',
      mark_notifications_read: 'repeatable',
      create_top_up: 'reaches out',
      create_webhook: 'reaches out',
      update_webhook: 'destroys, repeatable',
      delete_webhook: 'destroys, repeatable',
      redeliver_webhook: 'reaches out',
      create_alert_channel: 'reaches out',
      update_alert_channel: 'destroys, repeatable',
      delete_alert_channel: 'destroys, repeatable',
      test_alert_channel: 'reaches out',
    });
  });

  it('names only tools and codes that exist, and so do instructions and prompts', async () => {
    const prompts = guidance.prompts.map(({ description, text }) => description + text({}));
    const { tools: byDefault } = await testMcp(service).request(user, 'tools/list');
    const texts = [
      ...tools.map(({ description }) => description),
      ...JSON.stringify(byDefault).matchAll(/"description":"([^"]*)"/g),
    ];
    const said = [...texts, guidance.instructions, ...prompts].join('\n');
    const named = new Set([...said.matchAll(/(?<![\w./])[a-z]+(?:_[a-z]+)+\b/g)].map(([name]) => name));
    const known = new Set([
      ...[...tools, ...byDefault].map(({ name }) => name),
      ...Object.keys(problemCodes),
      'next_item',
    ]);
    expect([...named].filter((name) => !known.has(name))).toEqual([]);
    expect(named.size).toBeGreaterThan(20);
  });

  describe.each(offered.map((operation) => [toolName(operation), operation] as const))(
    '%s',
    (name, { params, query, body, method }) => {
      const fields = [params.shape, query.shape, (body as { shape?: object } | undefined)?.shape ?? {}].map(
        Object.keys,
      );

      it('takes path, query and body side by side without a clash, and a POST an idempotency key', () => {
        const { inputSchema } = tools.find((tool) => tool.name === name);
        expect(Object.keys(inputSchema.properties)).toEqual([
          ...fields.flat(),
          ...(method === 'POST' ? ['idempotencyKey'] : []),
        ]);
        expect(new Set(fields.flat()).size).toBe(fields.flat().length);
        expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
        expect(JSON.stringify(inputSchema)).not.toContain('$ref');
      });

      it('has an example that it accepts, and describes each argument', () => {
        const { inputSchema, description } = tools.find((tool) => tool.name === name);
        const [example = {}] = inputSchema.examples ?? [];
        const part = (names: readonly string[]) =>
          Object.fromEntries(Object.entries(example).filter(([field]) => names.includes(field)));
        expect(
          [params, query, ...(body ? [body] : [])].map((schema, place) => schema.safeParse(part(fields[place]!)).error),
        ).toEqual(fields.slice(0, body ? 3 : 2).map(() => undefined));
        const silent = Object.entries<Listed>(inputSchema.properties).filter(
          ([, { description: said, enum: choices }]) => !said && !choices,
        );
        expect(silent.map(([field]) => field)).toEqual([]);
        expect(description).toMatch(/^[A-Z].{20,}\.$/s);
      });
    },
  );
});

describe('a call', () => {
  it('answers as REST does, in structured content and as text', async () => {
    const { structuredContent: made, content } = await mcp.callTool(user, 'create_upload', {
      name: 'a',
      mimeType: 'video/mp4',
    });
    expect((await user.call('GET', `/uploads/${made.id}`)).body).toEqual(made);
    expect(content).toEqual([{ type: 'text', text: JSON.stringify(made) }]);
  });

  it('goes through a list by the cursors of REST', async () => {
    for (const name of ['b', 'c']) await user.call('POST', '/uploads', { name, mimeType: 'video/mp4' });
    const { structuredContent: first } = await mcp.callTool(user, 'list_uploads', { limit: 1 });
    const { structuredContent: second } = await mcp.callTool(user, 'list_uploads', {
      limit: 1,
      cursor: first.page.nextCursor,
    });
    expect((await user.call('GET', `/uploads?limit=1&cursor=${first.page.nextCursor}`)).body).toEqual(second);
    expect(second.data[0].id).not.toBe(first.data[0].id);
  });

  it('that lacks a scope is refused with its name, and does nothing', async () => {
    const reader = await userWith('service:read');
    const { isError, structuredContent } = await mcp.callTool(reader, 'create_upload', {
      name: 'a',
      mimeType: 'video/mp4',
    });
    expect([isError, structuredContent.problem]).toEqual([
      true,
      {
        type: `${baseURL}/problems/insufficient_scope`,
        title: 'Scope missing',
        status: 403,
        code: 'insufficient_scope',
        detail:
          'This operation needs the scope service:write. Ask the user for this scope, or use an API key that has it.',
      },
    ]);
    expect((await reader.call('GET', '/uploads')).body.data).toEqual([]);
  });

  it('is refused with the whole problem that REST answers', async () => {
    const {
      isError,
      structuredContent: { problem },
      content,
    } = await mcp.callTool(user, 'apply_playlist_operations', { id: 'x', operations: [{ op: 'sing' }], colour: 1 });
    expect(isError).toBe(true);
    expect(problem).toEqual(
      (await user.call('POST', '/playlists/x/operations', { operations: [{ op: 'sing' }], colour: 1 })).body,
    );
    expect(problem.errors.map(({ path }: Listed) => path)).toEqual(['/operations/0/op', '/colour']);
    expect(JSON.parse(content[0].text)).toEqual({ problem });
    const { structuredContent } = await mcp.callTool(user, 'start_stream', {
      id: (await user.call('POST', '/streams', {})).body.id,
    });
    expect(structuredContent.problem).toMatchObject({ code: 'stream_not_ready', readiness: { ready: false } });
  });

  it.each([
    ['get_stream', {}, '/path/id: Is missing. Send text.'],
    ['get_stream', { id: 7 }, '/path/id: Must be text, not a number.'],
    ['get_stream', { id: 'a\0b' }, '/path/id: Must not contain the character U+0000.'],
    ['get_stream', { id: '\ud800' }, '/path/id: Must be Unicode text: it contains half of a surrogate pair.'],
    [
      'get_stream',
      { id: 'x', colour: 1 },
      '/query/colour: There is no parameter colour here. Leave it out: no fields are allowed here.',
    ],
    [
      'start_stream',
      { id: 'x', colour: 1 },
      '/query/colour: There is no parameter colour here. Leave it out: no fields are allowed here.',
    ],
    ['list_uploads', { limit: '7' }, '/query/limit: Must be a whole number.'],
    [
      'list_uploads',
      { idempotencyKey: 'x' },
      '/query/idempotencyKey: There is no parameter idempotencyKey here. Leave it out. Allowed here: limit, cursor, ' +
        'q, folder, recursive, tag, type, probeState, hasFindings, sort.',
    ],
    ['create_stream', { constructor: 1 }, '/constructor: There is no field constructor here.'],
  ])('of %s with %j is refused: %s', async (name, args, detail) => {
    const { isError, structuredContent } = await mcp.callTool(user, name, args);
    expect([isError, structuredContent.problem?.detail]).toEqual([true, expect.stringContaining(detail)]);
  });

  it('that fails by our fault does not tell the cause, which is logged', async () => {
    const { structuredContent: upload } = await mcp.callTool(user, 'create_upload', {
      name: 'a',
      mimeType: 'video/mp4',
    });
    vi.spyOn(service.objects(), 'presignPut').mockRejectedValueOnce(new Error('the disk of host-17 is on fire'));
    const { isError, structuredContent } = await mcp.callTool(user, 'create_upload_url', { id: upload.id });
    expect([isError, structuredContent.problem.code]).toEqual([true, 'internal_error']);
    expect(JSON.stringify(structuredContent)).not.toContain('host-17');
    expect(service.logged.at(-1)).toContain('host-17');
  });

  it('of a tool that does not exist is an error of the protocol', async () => {
    expect((await send(message('tools/call', { name: 'get_status', arguments: {} }))).body.error).toEqual({
      code: -32_602,
      message: 'There is no tool get_status. tools/list returns all tools.',
    });
  });
});

describe('a call with an idempotency key', () => {
  const args = { name: 'once', mimeType: 'video/mp4' };
  it('is answered again without a second effect, and so is REST with the same key', async () => {
    const first = await mcp.callTool(user, 'create_upload', { ...args, idempotencyKey: 'once' });
    const second = await mcp.callTool(user, 'create_upload', { ...args, idempotencyKey: 'once' });
    expect(second).toEqual({ ...first, _meta: { idempotencyReplayed: true } });
    const { headers, body } = await user.call('POST', '/uploads', args, { 'idempotency-key': 'once' });
    expect([headers.get('idempotency-replayed'), body]).toEqual(['true', first.structuredContent]);
  });

  it.each([
    ['another request', { ...args, name: 'other', idempotencyKey: 'once' }, 'idempotency_key_reused'],
    ['no text', { ...args, idempotencyKey: 7 }, 'validation_failed'],
    ['too much text', { ...args, idempotencyKey: 'x'.repeat(256) }, 'validation_failed'],
  ])('for %s is refused', async (_name, sent, code) => {
    expect((await mcp.callTool(user, 'create_upload', sent)).structuredContent.problem.code).toBe(code);
  });
});

describe('resources', () => {
  it('are everything that an operation reads by its id, and problems', async () => {
    const { resourceTemplates } = await mcp.request(user, 'resources/templates/list');
    expect(resourceTemplates.map(({ name, uriTemplate }: Listed) => [name, uriTemplate])).toEqual([
      ['stream', 'loop://streams/{id}'],
      ['upload', 'loop://uploads/{id}'],
      ['source', 'loop://sources/{id}'],
      ['playlist', 'loop://playlists/{id}'],
      ['collection', 'loop://collections/{id}'],
      ['programme', 'loop://programmes/{id}'],
      ['destination', 'loop://destinations/{id}'],
      ['connection', 'loop://connections/{id}'],
      ['webhook', 'loop://webhooks/{id}'],
      ['incident', 'loop://incidents/{id}'],
      ['problem', `${baseURL}/problems/{code}`],
    ]);
    expect(await mcp.request(user, 'resources/list')).toEqual({ resources: [] });
    const { resourceTemplates: unseen } = await mcp.request(
      await userWith('service:billing'),
      'resources/templates/list',
    );
    expect(unseen.map(({ name }: Listed) => name)).toEqual(['problem']);
  });

  it('are read as REST answers them', async () => {
    const { body: stream } = await user.call('POST', '/streams', {});
    const { body: playlist } = await user.call('POST', '/playlists', {
      streamID: stream.id,
      kind: 'video',
      mode: 'shuffle',
    });
    const { contents } = await mcp.request(user, 'resources/read', { uri: `loop://playlists/${playlist.id}` });
    expect(contents).toEqual([
      { uri: `loop://playlists/${playlist.id}`, mimeType: 'application/json', text: JSON.stringify(playlist) },
    ]);
    const {
      contents: [read],
    } = await mcp.request(user, 'resources/read', { uri: `loop://streams/${stream.id}` });
    expect(JSON.parse(read.text)).toMatchObject({ id: stream.id, playlistIDs: [playlist.id] });
    // The type of a problem is the address of its explanation, as in REST.
    const {
      structuredContent: { problem },
    } = await mcp.callTool(user, 'get_stream', { id: 'nothing' });
    const {
      contents: [meaning],
    } = await mcp.request(user, 'resources/read', { uri: problem.type });
    expect(JSON.parse(meaning.text)).toEqual((await user.call('GET', '/problems/not_found')).body);
  });

  it.each([
    [
      'of somebody else',
      async () => `loop://streams/${(await (await service.user()).call('POST', '/streams', {})).body.id}`,
    ],
    ['that is not there', async () => 'loop://streams/nothing'],
    ['of a kind that is not there', async () => 'loop://films/x'],
    ['that is no address', async () => 'streams'],
    ['that cannot be decoded', async () => 'loop://streams/%ff'],
    ['a problem that is not there', async () => `${baseURL}/problems/nothing`],
  ])('%s are not found', async (_name, uriOf) => {
    const uri = await uriOf();
    const { error } = (await send(message('resources/read', { uri }))).body;
    expect([[-32_602, -32_002].includes(error.code), error.data]).toEqual([true, { uri }]);
  });

  it('need the scope that reading them needs', async () => {
    const { apiKey } = await userWith('service:write');
    const { error } = (await send(message('resources/read', { uri: 'loop://streams/x' }), { 'x-api-key': apiKey }))
      .body;
    expect(error).toMatchObject({
      message: expect.stringContaining('service:read'),
      data: { code: 'insufficient_scope' },
    });
  });
});

describe('prompts', () => {
  it('are offered to clients with the scopes that they need', async () => {
    const { prompts } = await mcp.request(user, 'prompts/list');
    expect(prompts.map(({ name, title }: Listed) => [name, title])).toEqual(
      guidance.prompts.map(({ name, title }) => [name, title]),
    );
    expect(
      (await mcp.request(await userWith('service:read'), 'prompts/list')).prompts.map(({ name }: Listed) => name),
    ).toEqual(['explain_stream', 'review_air']);
  });

  it('have in their text what a person filled in, or a default', async () => {
    const { messages } = await mcp.request(user, 'prompts/get', {
      name: 'put_videos_live',
      arguments: { videos: '/srv/films', destination: 'YouTube' },
    });
    expect(messages).toEqual([
      {
        role: 'user',
        content: { type: 'text', text: expect.stringMatching(/\/srv\/films[^]*YouTube[^]*start_stream/) },
      },
    ]);
    const {
      messages: [spending],
    } = await mcp.request(user, 'prompts/get', { name: 'explain_spending' });
    expect(spending.content.text).toContain('the last 30 days');
  });

  it.each([
    [{ name: 'explain_stream', arguments: {} }, 'The argument stream is missing: Name or ID of the stream.'],
    [{ name: 'sing' }, 'There is no prompt sing.'],
  ])('%j is refused', async (params, text) => {
    expect((await send(message('prompts/get', params))).body.error).toEqual({ code: -32_602, message: text });
  });
});

describe('a message', () => {
  it.each([
    ['no credential', {}],
    ['a wrong key', { 'x-api-key': 'lss_wrong' }],
    ['a wrong token', { authorization: 'Bearer e.y.J' }],
  ])('with %s is answered 401, with where a token can be had', async (_name, headers) => {
    for (const method of ['POST', 'GET', 'DELETE']) {
      const answer = await mcp.send(message('tools/list'), headers, method);
      expect([answer.status, answer.body.code, answer.headers.get('content-type')]).toEqual([
        401,
        'unauthenticated',
        'application/problem+json',
      ]);
      const challenge = answer.headers.get('www-authenticate');
      expect(challenge).toContain(
        `resource_metadata="${new URL(baseURL).origin}/.well-known/oauth-protected-resource/mcp"`,
      );
      // Clients request the scopes of the challenge. It names all, because some clients cannot request more later.
      expect(challenge).toContain(`scope="${allScopes.join(' ')}"`);
    }
  });

  it.each([
    ['by GET, as there is no stream to open,', () => send('', {}, 'GET'), 405, -32_600],
    ['by DELETE, as there is no session to end,', () => send('', {}, 'DELETE'), 405, -32_600],
    ['that is not JSON', () => send('{"jsonrpc":'), 400, -32_700],
    ['in a batch', () => send([message('tools/list'), message('tools/list')]), 400, -32_600],
    ['that is JSON but no message', () => send('7'), 400, -32_600],
    ['that is null', () => send('null'), 400, -32_600],
    ['that calls nothing', () => send({ ...message('tools/call'), params: null }), 400, -32_600],
    ['of another media type', () => send(message('tools/list'), { 'content-type': 'text/plain' }), 415, -32_000],
    ['with a method that does not exist', () => send(message('tools/sing')), 200, -32_601],
    [
      'of a revision that does not exist',
      () =>
        send(message('tools/list', { _meta: envelope('2099-01-01') }), {
          'mcp-protocol-version': '2099-01-01',
          'mcp-method': 'tools/list',
        }),
      400,
      -32_022,
    ],
  ])('%s is refused', async (_name, act, status, code) => {
    const answer = await act();
    expect([answer.status, answer.body.error?.code]).toEqual([status, code]);
    if (status === 405) expect(answer.headers.get('allow')).toBe('POST');
  });

  it('of more than a megabyte is refused unread', async () => {
    const answer = await send(
      message('tools/call', { name: 'create_stream', arguments: { name: 'x'.repeat(1024 * 1024) } }),
    );
    expect([answer.status, answer.body.code]).toEqual([422, 'payload_too_large']);
  });

  it('that notifies is accepted without an answer', async () => {
    const answer = await send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect([answer.status, answer.body]).toEqual([202, undefined]);
  });

  it('is answered in JSON, never by a stream, with what is left of the limits', async () => {
    const answer = await send(message('tools/list'));
    expect([answer.headers.get('content-type'), answer.headers.get('ratelimit-limit')]).toEqual([
      'application/json',
      '120000',
    ]);
  });

  it('of the revision of 2026 is answered alike, without a handshake', async () => {
    const modern = (method: string, params: object = {}, name?: string) =>
      send(message(method, { ...params, _meta: envelope('2026-07-28') }), {
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(name && { 'mcp-name': name }),
      });
    expect((await modern('server/discover')).body.result).toMatchObject({
      supportedVersions: ['2026-07-28'],
      instructions: guidance.instructions,
    });
    const list = await modern('tools/list');
    expect([list.headers.get('content-type'), list.body.result.tools]).toEqual(['application/json', tools]);
    expect(list.body.result).toMatchObject({ ttlMs: 300_000, cacheScope: 'private' });
    const { result } = (await modern('tools/call', { name: 'get_me', arguments: {} }, 'get_me')).body;
    expect(result.structuredContent).toEqual((await user.call('GET', '/me')).body);
  });

  it('from a page of any origin is answered, with a credential of its own', async () => {
    const answer = await mcp.send('', { origin: 'https://inspector.example' }, 'OPTIONS');
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
    expect(answer.headers.get('access-control-allow-headers')).toContain('MCP-Protocol-Version');
    expect((await send(message('tools/list'))).headers.get('access-control-allow-origin')).toBe('*');
  });

  it('that subscribes is refused at once, as a function cannot hold a stream open', async () => {
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' };
    const { body } = await send(
      message('subscriptions/listen', { _meta: envelope('2026-07-28'), notifications: { toolsListChanged: true } }),
      headers,
    );
    expect(body.error).toMatchObject({ message: expect.stringMatching(/subscription/i) });
  });
});

describe('rate limits', () => {
  // A hundredth of the requests per minute that a stage allows: 12 reads, 6 writes.
  const strict = testService({ rateLimitFactor: 0.01 });
  const limited = testMcp(strict, 'all');

  it('are those of REST, and count its requests as well', async () => {
    const eager = await strict.user();
    const call = (name: string, args: object) =>
      limited.send(message('tools/call', { name, arguments: args }), { 'x-api-key': eager.apiKey });
    await eager.call('POST', '/streams', {});
    const answers = [];
    for (let count = 0; count < 6; count++) answers.push(await call('create_stream', {}));
    expect(answers.map(({ headers }) => headers.get('ratelimit-remaining'))).toEqual(['4', '3', '2', '1', '0', '0']);
    const last = answers.at(-1)!;
    expect([last.status, last.body.result.isError, last.body.result.structuredContent.problem.code]).toEqual([
      200,
      true,
      'rate_limited',
    ]);
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
    // Reads are counted separately from writes, and messages that call no tool count as reads.
    expect((await call('list_streams', {})).body.result.structuredContent.data).toHaveLength(6);
    for (let count = 0; count < 10; count++) await limited.request(eager, 'tools/list');
    const answer = await limited.send(message('ping'), { 'x-api-key': eager.apiKey });
    expect([answer.status, answer.headers.get('ratelimit-remaining')]).toEqual([200, '0']);
    const refused = await limited.send(message('tools/list'), { 'x-api-key': eager.apiKey });
    expect([refused.status, refused.body.code, Number(refused.headers.get('retry-after')) > 0]).toEqual([
      429,
      'rate_limited',
      true,
    ]);
  });
});
