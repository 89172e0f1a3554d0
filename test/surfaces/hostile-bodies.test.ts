// Bodies that cost more to read than to send: every surface refuses each at once, without a failure of ours.
import { expect, it } from 'vitest';
import { createGraphqlHandler, graphqlPath } from '../../lambda/surfaces/graphql/graphql-handler.ts';
import { createMcpHandler, mcpPath } from '../../lambda/surfaces/mcp/mcp-handler.ts';
import { testService } from '../support/service.ts';

const service = testService();
const headersOf = (apiKey: string) => ({
  'x-api-key': apiKey,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
});
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

it.for([
  ['blanks', `${' '.repeat(1_000_000)}x`],
  ['blanks in braces', `{${' '.repeat(1_000_000)}x}`],
  ['blanks after braces', `{}${'\n'.repeat(1_000_000)}x`],
])('a million %s are refused where no body is taken, as fast as other text', async ([, body]) => {
  const user = await service.user();
  const headers = headersOf(user.apiKey);
  const send = (text = '') =>
    service.send(new Request('http://127.0.0.1:3999/v1/streams/none/start', { method: 'POST', headers, body: text }));
  expect((await send(body)).body.code).toBe('unknown_field');
  expect((await send(` {${' '.repeat(1_000_000)}} `)).body.code).toBe('not_found');
});

it('a body that is nested deeply is refused by REST', async () => {
  const user = await service.user();
  const headers = { ...headersOf(user.apiKey), 'idempotency-key': 'deep' };
  for (const [path, body] of [
    ['/streams', `{"name":${nested(100_000)}}`],
    ['/destinations', nested(100_000)],
    ['/playlists/none/operations', `{"operations":${nested(100_000)}}`],
  ]) {
    const url = `http://127.0.0.1:3999/v1${path}`;
    const { status, body: problem } = await service.send(new Request(url, { method: 'POST', headers, body: body! }));
    expect([path, status, problem.code]).toEqual([path, 422, 'validation_failed']);
  }
});

it('arguments that are nested deeply are refused by MCP', async () => {
  const user = await service.user();
  const mcp = createMcpHandler(service.service(), {
    prompts: [],
    instructions: '',
    toolTexts: { tasks: [], short: { everywhere: {}, whenRead: {} } },
  });
  const body =
    '{"jsonrpc":"2.0","id":1,"method":"tools/call",' +
    `"params":{"name":"create_stream","arguments":{"name":${nested(100_000)}}}}`;
  const headers = headersOf(user.apiKey);
  const answer = await mcp(new Request(`http://127.0.0.1:3999${mcpPath}`, { method: 'POST', headers, body }), '::1');
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('validation_failed')]);
});

it.for([
  ['a literal', `mutation { createStream(name: ${nested(900)}) { id } }`, '{}', 'query_too_large'],
  ['an open literal', `mutation { createStream(name: ${'['.repeat(2500)}`, '{}', 'query_too_large'],
  ['a default', `query Q($x: [Int] = ${nested(900)}) { getMe { id } }`, '{}', 'query_too_large'],
  ['selections', `{ getMe ${'{ ... '.repeat(900)} { id } ${'}'.repeat(900)} }`, '{}', 'query_too_large'],
  [
    'a variable',
    'mutation M($name: String) { createStream(name: $name) { id } }',
    `{"name":${nested(100_000)}}`,
    'validation_failed',
  ],
] as const)('%s that is nested deeply is refused by GraphQL', async ([, query, variables, code]) => {
  const user = await service.user();
  const graphql = createGraphqlHandler(service.service());
  const body = `{"query":${JSON.stringify(query)},"variables":${variables}}`;
  const headers = headersOf(user.apiKey);
  const answer = await graphql(
    new Request(`http://127.0.0.1:3999${graphqlPath}`, { method: 'POST', headers, body }),
    '',
  );
  const { errors } = (await answer.json()) as { errors: readonly { extensions: { code: string } }[] };
  expect(errors[0]!.extensions.code).toBe(code);
});
