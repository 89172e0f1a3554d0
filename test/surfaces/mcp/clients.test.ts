// The MCP SDK's own clients complete the whole flow, from 401 to a token, and then list and call every tool.
import { describe, expect, test } from 'vitest';
import { databaseOn } from '../../../lambda/data/database.ts';
import { guidance } from '../../../lambda/api/mcp-guidance.ts';
import { operations } from '../../../lambda/operations/index.ts';
import { toolName } from '../../../lambda/operations/operation.ts';
import { allScopes } from '../../../lambda/operations/scopes.ts';
import { isTool } from '../../../lambda/surfaces/mcp/operation-tools.ts';
import { toolsOf } from '../../../lambda/surfaces/mcp/tools.ts';
import { browserSession } from '../../support/browser-session.ts';
import { bundledMcp } from '../../support/bundled-mcp.ts';
import { callEveryTool } from '../../support/every-tool.ts';
import { clientKinds, connectMcpClient, oauthProvider } from '../../support/mcp-clients.ts';
import { testSite } from '../../support/site.ts';

const everyTool = operations.filter(isTool).map(toolName);
const defaultTools = toolsOf(operations, guidance.toolTexts)
  .choose(null)
  .listFor(allScopes)
  .map(({ name }) => name);

describe.each([
  ['the handler of the local run', undefined],
  ['the bundled function, with API Gateway’s events', await bundledMcp()],
])('against %s', (_name, createMcp) => {
  const site = testSite({ ...(createMcp && { createMcp }) });

  const lists = [
    ['the default list', '', defaultTools],
    ['every operation', '?toolsets=all', everyTool],
  ] as const;
  const runs = clientKinds.flatMap((kind) => lists.map((list) => [kind, ...list] as const));

  test.each(runs)('the SDK %s with %s gets a token and calls every tool', async (kind, _list, search, names) => {
    const user = await site.user();
    await databaseOn(site.pool()).invoices.ensurePaid({
      id: `inv_${user.id}`,
      userID: user.id,
      type: 'adjustment',
      method: 'grant',
      cost: 0,
      credits: 1000,
    });
    const authProvider = oauthProvider('service:read service:write service:destructive service:billing');
    const authorize = () =>
      browserSession(site.origin).authorize(authProvider.authorizationURL(), { user, accept: true });
    const client = await connectMcpClient(kind, `${site.origin()}/mcp${search}`, { authProvider }, authorize);
    expect(client.protocolVersion).toBe(/negotiating|pinned/.test(kind) ? '2026-07-28' : '2025-11-25');

    expect((await client.listTools()).map(({ name }) => name)).toEqual(names);
    expect((await client.callTool('get_me')).structuredContent).toMatchObject({ id: user.id });
    expect((await callEveryTool(client, site)).toSorted()).toEqual(everyTool.toSorted());

    const refused = await client.callTool('get_stream', { id: 'nothing' });
    expect(refused).toMatchObject({
      isError: true,
      structuredContent: { problem: { code: 'not_found', status: 404 } },
    });
    await client.close();
  });

  test.each(clientKinds)('the SDK %s reads resources by their templates, as far as its scopes go', async (kind) => {
    const user = await site.user();
    const connected = async (scope: string) => {
      const authProvider = oauthProvider(scope);
      const authorize = () => {
        // The libraries ask for all scopes; the user grants these.
        const url = authProvider.authorizationURL();
        url.searchParams.set('scope', scope);
        return browserSession(site.origin).authorize(url, { user, accept: true });
      };
      return await connectMcpClient(kind, `${site.origin()}/mcp`, { authProvider }, authorize);
    };
    const reader = await connected('service:read service:write');
    const made = await reader.callTool('create_stream', { name: 'Read as a resource' });
    const { id } = made.structuredContent as { id: string };
    const templates = await reader.listResourceTemplates();
    // Some clients put all of them before a model.
    expect(Buffer.byteLength(JSON.stringify(templates))).toBeLessThanOrEqual(4000);
    const { uriTemplate } = templates.find(({ name }) => name === 'stream')!;
    const uri = uriTemplate.replace('{id}', id);
    expect(await reader.readResource(uri)).toMatchObject({ id, name: 'Read as a resource' });
    await expect(reader.readResource(uriTemplate.replace('{id}', 'nothing'))).rejects.toThrow(
      'There is no such stream.',
    );
    await reader.close();
    const payer = await connected('service:billing');
    expect((await payer.listResourceTemplates()).map(({ name }) => name)).toEqual(['problem']);
    await expect(payer.readResource(uri)).rejects.toThrow('service:read');
    await payer.close();
  });

  test.each(clientKinds)('the SDK %s refreshes its token by itself when it has expired', async (kind) => {
    const user = await site.user();
    const authProvider = oauthProvider('service:read');
    const authorize = () =>
      browserSession(site.origin).authorize(authProvider.authorizationURL(), { user, accept: true });
    const client = await connectMcpClient(kind, `${site.origin()}/mcp`, { authProvider }, authorize);
    const first = authProvider.granted();
    await authProvider.saveTokens({ ...first, access_token: 'expired' } as never);
    expect((await client.callTool('get_me')).structuredContent).toMatchObject({ id: user.id });
    expect(authProvider.granted().refresh_token).not.toBe(first.refresh_token);
    // The token is for MCP: another part of the API does not accept it.
    const answer = await fetch(`${site.origin()}/v1/me`, {
      headers: { authorization: `Bearer ${authProvider.granted().access_token}` },
    });
    expect(answer.status).toBe(401);
    await client.close();
  });
});
