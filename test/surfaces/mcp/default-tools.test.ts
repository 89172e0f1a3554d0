// The tools that a client sees by default, the toolsets that it can choose, and short answers.
import { beforeAll, describe, expect, it } from 'vitest';
import { guidance } from '../../../lambda/api/mcp-guidance.ts';
import { operations } from '../../../lambda/operations/index.ts';
import { toolName } from '../../../lambda/operations/operation.ts';
import { allScopes } from '../../../lambda/operations/scopes.ts';
import { isTool } from '../../../lambda/surfaces/mcp/operation-tools.ts';
import { toolsOf } from '../../../lambda/surfaces/mcp/tools.ts';
import { jsonSchema } from '../../../lambda/surfaces/openapi/schemas.ts';
import type { Schema } from '../../../lambda/surfaces/openapi/schemas.ts';
import { testMcp } from '../../support/mcp.ts';
import { pretendProbed, testService } from '../../support/service.ts';
import type { TestUser } from '../../support/service.ts';
import { limitKeysOf } from '../../support/stored-credentials.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- tests assert on the answers
type Listed = any;

const service = testService();
const mcp = testMcp(service);
const offered = operations.filter(isTool);
let user: TestUser;
let tools: Listed[];
beforeAll(async () => {
  user = await service.user();
  ({ tools } = await mcp.request(user, 'tools/list'));
});
const listOf = async (toolsets: string, reader = user): Promise<string[]> =>
  (await testMcp(service, toolsets).request(reader, 'tools/list')).tools.map(({ name }: Listed) => name);
const namesOf = (...tags: string[]) => offered.filter(({ tag }) => tags.includes(tag)).map(toolName);

describe('the default list', () => {
  it('has at most 31 tools and 40,000 bytes', () => {
    expect(tools.length).toBeLessThanOrEqual(31);
    expect(Buffer.byteLength(JSON.stringify({ tools }))).toBeLessThanOrEqual(40_000);
  });

  it('has for a key that may only read just one tool that changes: it makes links to previews and files', async () => {
    const reader = await service.user();
    await limitKeysOf(service, reader.id, ['service:read']);
    const { tools: shown } = await mcp.request(reader, 'tools/list');
    const changing = shown.filter(({ annotations }: Listed) => !annotations.readOnlyHint);
    expect(changing.map(({ name }: Listed) => name)).toEqual(['change_operation']);
    expect(shown.length).toBeGreaterThan(5);
  });

  it('says honestly what a call of any operation may do', () => {
    const hintsOf = (name: string) => tools.find((tool) => tool.name === name).annotations;
    expect(hintsOf('change_operation')).toMatchObject({ destructiveHint: true, openWorldHint: true });
    expect(hintsOf('read_operation')).toMatchObject({ readOnlyHint: true });
    expect(hintsOf('find_operations')).toMatchObject({ readOnlyHint: true });
  });

  it('is described with fields that exist', () => {
    const { everywhere, whenRead } = guidance.toolTexts.short;
    const schemas: Record<string, Schema> = {};
    for (const { output } of operations) if (output.body) jsonSchema(output.body, 'output', schemas);
    const unknown = [...Object.entries(everywhere), ...Object.entries(whenRead)].flatMap(([component, fields]) => {
      const known = schemas[component]?.properties ?? {};
      return fields.filter((field) => !Object.hasOwn(known, field)).map((field) => `${component}.${field}`);
    });
    expect(unknown).toEqual([]);
  });
});

describe('the toolsets of an address', () => {
  it('are the tags of the catalogue', async () => {
    expect(await listOf('uploads')).toEqual(namesOf('uploads'));
    expect(await listOf('uploads,%20billing')).toEqual(namesOf('uploads', 'billing'));
    expect(await listOf('all')).toEqual(offered.map(toolName));
  });

  it('can be added to the default, whose tools take the place of operations of the same name', async () => {
    const names = await listOf('default,destinations');
    expect(names).toEqual(expect.arrayContaining([...tools.map(({ name }) => name), ...namesOf('destinations')]));
    expect(new Set(names).size).toBe(names.length);
  });

  it('show what the scopes of the caller allow', async () => {
    const reader = await service.user();
    await limitKeysOf(service, reader.id, ['service:read']);
    expect(await listOf('destinations', reader)).toEqual(['list_destinations', 'get_destination']);
  });

  it('that do not exist are refused with the names of those that do', async () => {
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const { status, body } = await testMcp(service, 'uploads,films').send(list, { 'x-api-key': user.apiKey });
    expect([status, body.code]).toEqual([422, 'validation_failed']);
    expect(body.detail).toMatch(
      /^There is no toolset films\. The toolsets are default, all, account, .*notifications\.$/,
    );
  });

  it('do not limit what can be called', async () => {
    const { structuredContent } = await testMcp(service, 'billing').callTool(user, 'list_uploads');
    expect(structuredContent).toEqual((await user.call('GET', '/uploads')).body);
    const { structuredContent: found } = await testMcp(service, 'billing').callTool(user, 'find_operations', {
      query: 'delete upload',
    });
    expect(found.operations[0]).toMatchObject({ name: 'delete_upload', tool: 'change_operation' });
  });
});

describe('a short answer', () => {
  it('has the fields that a model needs and the next step, and with detail full all', async () => {
    const { structuredContent: made } = await mcp.callTool(user, 'create_stream', { name: 'Night' });
    const { body: whole } = await user.call('GET', `/streams/${made.id}`);
    const { nextStep, ...fields } = made;
    expect(whole).toMatchObject(fields);
    expect(nextStep).toContain('start_stream');
    expect(Object.values(fields)).not.toContain(null);
    expect(Object.keys(whole).length).toBeGreaterThan(Object.keys(fields).length);
    const read = { kind: 'streams', id: made.id };
    expect((await mcp.callTool(user, 'get_resource', read)).structuredContent).toEqual(fields);
    expect((await mcp.callTool(user, 'get_resource', { ...read, detail: 'full' })).structuredContent).toEqual(whole);
    const { structuredContent: list } = await mcp.callTool(user, 'find_resources', { kind: 'streams', q: 'Night' });
    expect(list).toMatchObject({ data: [fields], page: { hasMore: false } });
  });

  it('has the items of a playlist and the rules of a programme only when one is read', async () => {
    const { body: stream } = await user.call('POST', '/streams', { name: 'Listed' });
    const { body: upload } = await user.call('POST', '/uploads', { name: 'a', mimeType: 'video/mp4' });
    await pretendProbed(service, upload.id);
    const { structuredContent: made } = await mcp.callTool(user, 'create_playlist', {
      streamID: stream.id,
      kind: 'video',
      mode: 'sequential',
    });
    const operations = [{ op: 'add', uploadID: upload.id }];
    await mcp.callTool(user, 'apply_playlist_operations', { id: made.id, operations });
    const { structuredContent: found } = await mcp.callTool(user, 'find_resources', {
      kind: 'playlists',
      filters: { streamID: stream.id },
    });
    expect(found.data.map(({ id, draft }: Listed) => [id, draft])).toEqual([[made.id, undefined]]);
    const { structuredContent: read } = await mcp.callTool(user, 'get_resource', { kind: 'playlists', id: made.id });
    expect(read.draft.items).toMatchObject([{ uploadID: upload.id, name: 'a' }]);
  });

  it('explains a stream by all that is known of it', async () => {
    const { body: stream } = await user.call('POST', '/streams', { name: 'Dark' });
    const { structuredContent } = await mcp.callTool(user, 'explain_stream', { id: stream.id });
    const { body: readiness } = await user.call('GET', `/streams/${stream.id}/readiness`);
    expect(structuredContent).toMatchObject({
      stream: { id: stream.id, state: 'draft' },
      readiness,
      stats: { framesPerSecond: 0 },
    });
  });

  it('of an uploaded file has where its bytes go', async () => {
    const args = { name: 'a.mp4', mimeType: 'video/mp4', idempotencyKey: 'a' };
    const { structuredContent } = await mcp.callTool(user, 'upload_file', args);
    expect(structuredContent).toMatchObject({ name: 'a.mp4', method: 'PUT', url: expect.stringContaining('http') });
    expect((await mcp.callTool(user, 'upload_file', args)).structuredContent.id).toBe(structuredContent.id);
  });

  it('of spending needs the scope of billing', async () => {
    const reader = await service.user();
    await limitKeysOf(service, reader.id, ['service:read']);
    const { isError, structuredContent } = await mcp.callTool(reader, 'get_spending');
    expect([isError, structuredContent.problem.code]).toEqual([true, 'insufficient_scope']);
    const { structuredContent: sums } = await mcp.callTool(user, 'get_spending', { granularity: 'month' });
    expect(sums).toMatchObject({ balance: { billing: expect.anything() }, streams: {}, days: {} });
  });
});

describe('any operation', () => {
  it('is found by words, described by its name, and called', async () => {
    const { structuredContent: found } = await mcp.callTool(user, 'find_operations', { query: 'test a webhook' });
    expect(found.operations[0]).toEqual({ name: 'test_webhook', summary: 'Test a webhook', tool: 'change_operation' });
    const { structuredContent: described } = await mcp.callTool(user, 'find_operations', { name: 'create_webhook' });
    const { tools: listed } = await testMcp(service, 'webhooks').request(user, 'tools/list');
    const all = listed.find(({ name }: Listed) => name === 'create_webhook');
    expect(described).toMatchObject({ description: all.description, inputSchema: all.inputSchema });
    expect(described.nextStep).toContain('change_operation');
    const { structuredContent: webhook } = await mcp.callTool(user, 'change_operation', {
      name: 'create_webhook',
      arguments: { url: 'http://127.0.0.1:9/hook', events: ['stream.state_changed'] },
    });
    const { structuredContent: read } = await mcp.callTool(user, 'read_operation', {
      name: 'get_webhook',
      arguments: { id: webhook.id },
    });
    expect(read).toEqual((await user.call('GET', `/webhooks/${webhook.id}`)).body);
  });

  it('is among the first three that are found by its summary', async () => {
    const finder = toolsOf(operations, guidance.toolTexts).choose(null).tool('find_operations')!;
    const calls = { scopes: allScopes, call: () => Promise.reject(new Error('a search calls no operation')) };
    const missed = [];
    for (const operation of offered) {
      const found = (await finder.run({ query: operation.summary }, calls)) as Listed;
      const names = found.operations.slice(0, 3).map((each: Listed) => each.name);
      if (!names.includes(toolName(operation))) missed.push([operation.summary, names]);
    }
    expect(missed).toEqual([]);
  });

  it('that is found names the scope that the caller lacks, and is refused for it', async () => {
    const reader = await service.user();
    await limitKeysOf(service, reader.id, ['service:read', 'service:write']);
    const { structuredContent } = await mcp.callTool(reader, 'find_operations', { query: 'delete a stream' });
    expect(structuredContent.operations[0]).toMatchObject({ name: 'delete_stream', needsScope: 'service:destructive' });
    const call = { name: 'delete_stream', arguments: { id: 'x' } };
    const { structuredContent: refused } = await mcp.callTool(reader, 'change_operation', call);
    expect(refused.problem.code).toBe('insufficient_scope');
  });

  it('that changes data is refused by the tool that reads', async () => {
    const { isError, structuredContent } = await mcp.callTool(user, 'read_operation', {
      name: 'delete_stream',
      arguments: { id: 'x' },
    });
    expect([isError, structuredContent.problem.detail]).toEqual([
      true,
      '/name: delete_stream changes data. Call it with change_operation, with the same arguments.',
    ]);
  });

  it.each([
    ['change_operation', { name: 'deleteStream' }, 'There is no operation deleteStream. Nearest: delete_'],
    ['find_operations', { name: 'sing' }, 'There is no operation sing. find_operations searches them.'],
    ['find_operations', { words: 'sing' }, '/words: There is no field words here.'],
    ['find_resources', { kind: 'films' }, '/kind: '],
    [
      'find_resources',
      { kind: 'playlists', q: 'x' },
      'There is no parameter q here. Leave it out. Allowed here: limit',
    ],
    ['get_resource', { kind: 'streams', id: 'nothing' }, 'There is no such stream.'],
    ['explain_stream', { id: 'nothing' }, 'There is no such stream.'],
    ['explain_stream', { id: 'nothing', colour: 1 }, 'There is no parameter colour here.'],
    ['create_stream', { detail: 'some' }, '/detail: There is no field detail here.'],
  ])('of %s with %j is refused: %s', async (name, args, detail) => {
    const { isError, structuredContent } = await mcp.callTool(user, name, args);
    expect([isError, structuredContent.problem?.detail]).toEqual([true, expect.stringContaining(detail)]);
  });
});
