// A client that closes its connection in the middle of a long plan: the plan ends within a turn.
import { request } from 'node:http';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { reserveSite } from '../../bin/local/site.ts';
import type { ReservedSite, SiteOptions } from '../../bin/local/site.ts';
import { Simulation } from '../../lambda/domain/programme/simulation.ts';
import { createGraphqlHandler } from '../../lambda/surfaces/graphql/graphql-handler.ts';
import { createMcpHandler } from '../../lambda/surfaces/mcp/mcp-handler.ts';
import { guidance } from '../../lambda/api/mcp-guidance.ts';
import { makeClipProgramme } from '../support/clip-programme.ts';
import { testService } from '../support/service.ts';
import type { TestUser } from '../support/service.ts';

const service = testService();
let site: ReservedSite;
let user: TestUser;
let id: string;
/** Resolves when the site has answered, also if the client is gone. */
let answered = Promise.withResolvers<void>();

beforeAll(async () => {
  site = await reserveSite({ port: 0, fallsBack: false });
  const settling =
    (handler: (...given: [Request, string]) => Promise<Response>) =>
    (...given: [Request, string]) =>
      handler(...given).finally(() => answered.resolve());
  site.serve({
    rest: settling(service.handler()),
    graphql: settling(createGraphqlHandler(service.service())),
    mcp: settling(createMcpHandler(service.service(), guidance)),
    sink: { channels: () => [], serveFlv: () => {} },
    rtmpURL: '',
  } as unknown as SiteOptions);
  user = await service.user();
  ({ id } = await makeClipProgramme(service, user));
});
afterAll(() => site.close());

const days = 400;
const post = (path: string, body: object) => ({ method: 'POST', path, body: JSON.stringify(body) });
const messages = {
  REST: () => ({ method: 'GET', path: `/v1/programmes/${id}/simulation?days=${days}`, body: undefined }),
  GraphQL: () => post('/graphql', { query: `{ simulateProgramme(id: "${id}", days: ${days}) { rowCount } }` }),
  MCP: () => {
    const params = { name: 'simulate_programme', arguments: { id, days } };
    return post('/mcp?toolsets=all', { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  },
};

it.each(Object.keys(messages) as (keyof typeof messages)[])('a plan over %s', async (surface) => {
  const { body, path, method } = messages[surface]();
  const begun = Promise.withResolvers<void>();
  answered = Promise.withResolvers();
  // Each turn of a simulation adds its rows to the figures.
  const turns = vi.spyOn(Simulation.prototype, 'add').mockImplementation(() => {
    if (turns.mock.calls.length === 3) begun.resolve();
  });
  const headers = {
    'x-api-key': user.apiKey,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-11-25',
  };
  // The client learns that its connection is closed, as it has closed it.
  const sent = request(site.url + path, { method, headers }).on('error', () => {});
  sent.end(body);
  await begun.promise;
  sent.destroy();
  const before = turns.mock.calls.length;
  await answered.promise;
  const afterwards = turns.mock.calls.length - before;
  turns.mockRestore();
  expect(afterwards).toBeLessThanOrEqual(2);
  expect(service.logged.filter((line) => line.includes('request_failed'))).toEqual([]);
});
