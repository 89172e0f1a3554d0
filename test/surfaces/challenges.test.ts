// Clients that know only an address follow challenges, through the imitated API Gateway and distribution.
import * as oauth from 'oauth4webapi';
import { describe, expect, test, vi } from 'vitest';
import { browserSession } from '../support/browser-session.ts';
import { connectMcpClient, oauthProvider } from '../support/mcp-clients.ts';
import { testSite } from '../support/site.ts';
import type { TestSite } from '../support/site.ts';

// Password hashing is deliberately slow.
vi.setConfig({ testTimeout: 30_000 });

const redirectURI = 'http://127.0.0.1:9/callback';
const insecure = { [oauth.allowInsecureRequests]: true };
const initialize = {
  method: 'POST',
  headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'strict', version: '1' } },
  }),
};

interface Challenge {
  readonly error: string | undefined;
  readonly scope: string;
  readonly resourceMetadata: URL;
}

/** The challenge of a refusal (RFC 6750, RFC 9728). @throws if there is none: this client guesses no address */
function challengeOf({ headers, status }: Response): Challenge {
  const value = headers.get('www-authenticate');
  if (!value?.startsWith('Bearer ')) throw new Error(`the refusal ${status} has no challenge of this client's scheme`);
  const parameter = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(value)?.[1];
  return {
    error: parameter('error'),
    scope: parameter('scope') ?? '',
    resourceMetadata: new URL(parameter('resource_metadata')!),
  };
}

/** Gets the token that a challenge requires, only by the addresses that it names. */
async function tokenFor(
  site: TestSite,
  { resourceMetadata, scope }: Pick<Challenge, 'resourceMetadata' | 'scope'>,
  user: { email: string; password: string },
): Promise<string> {
  const resource = (await (await fetch(resourceMetadata)).json()) as {
    resource: string;
    authorization_servers: string[];
  };
  const issuer = new URL(resource.authorization_servers[0]!);
  const discovered = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
  const server = await oauth.processDiscoveryResponse(issuer, discovered);
  const client = await oauth.processDynamicClientRegistrationResponse(
    await oauth.dynamicClientRegistrationRequest(
      server,
      { client_name: 'Strict', redirect_uris: [redirectURI], token_endpoint_auth_method: 'none' },
      insecure,
    ),
  );
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const url = new URL(server.authorization_endpoint!);
  url.search = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: redirectURI,
    response_type: 'code',
    scope,
    state,
    resource: resource.resource,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).toString();
  const returned = await browserSession(site.origin).authorize(url, { user, accept: true });
  const callback = oauth.validateAuthResponse(server, client, returned, state);
  const options = { ...insecure, additionalParameters: { resource: resource.resource } };
  const granted = await oauth.processAuthorizationCodeResponse(
    server,
    client,
    await oauth.authorizationCodeGrantRequest(server, client, oauth.None(), callback, redirectURI, verifier, options),
  );
  return granted.access_token;
}

describe('behind API Gateway and the distribution', () => {
  const site = testSite({ distribution: {} });

  test('a client that goes by the challenge alone connects to MCP', async () => {
    const user = await site.user();
    const refused = await fetch(`${site.origin()}/mcp`, initialize);
    expect(refused.status).toBe(401);
    const token = await tokenFor(site, challengeOf(refused), user);
    const client = await connectMcpClient('v1', `${site.origin()}/mcp`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect((await client.callTool('get_me')).structuredContent).toMatchObject({ id: user.id });
    await client.close();
  });

  test.each(['v1', 'v2'] as const)('the SDK %s connects, and asks for the scopes of the challenge', async (kind) => {
    const user = await site.user();
    const { scope } = challengeOf(await fetch(`${site.origin()}/mcp`, initialize));
    const { clientMetadata, ...rest } = oauthProvider('unused');
    const { scope: _, ...withoutScope } = clientMetadata;
    const authProvider = { ...rest, clientMetadata: withoutScope };
    const authorize = () =>
      browserSession(site.origin).authorize(authProvider.authorizationURL(), { user, accept: true });
    const client = await connectMcpClient(kind, `${site.origin()}/mcp`, { authProvider }, authorize);
    expect(authProvider.authorizationURL().searchParams.get('scope')?.split(' ')).toEqual(
      expect.arrayContaining(scope.split(' ')),
    );
    expect((await client.callTool('get_me')).structuredContent).toMatchObject({ id: user.id });
    await client.close();
  });

  // RFC 6750, section 3.1: a client learns that its token is of no use, and one without a token learns no error.
  test.each(['/v1/me', '/mcp'])('%s names a fault of a token only where there was one', async (path) => {
    const request = path === '/mcp' ? initialize : {};
    const errorWith = async (headers: Readonly<Record<string, string>>) => {
      const refused = await fetch(site.origin() + path, { ...request, headers: { ...initialize.headers, ...headers } });
      return [refused.status, challengeOf(refused).error];
    };
    for (const token of ['e.y.J', 'opaque', ''])
      expect(await errorWith({ authorization: `Bearer ${token}` })).toEqual([401, 'invalid_token']);
    for (const other of [
      ['x-api-key', 'lss_wrong'],
      ['authorization', 'Basic YTpi'],
      ['x-none', ''],
    ])
      expect(await errorWith(Object.fromEntries([other]))).toEqual([401, undefined]);
  });

  test('a client whose scope is not enough learns which one is, and goes on with it', async () => {
    const user = await site.user();
    const me = challengeOf(await fetch(`${site.origin()}/v1/me`));
    const reader = await tokenFor(site, { ...me, scope: 'service:read' }, user);
    const make = (token: string) =>
      fetch(`${site.origin()}/v1/streams`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': 'step-up' },
        body: JSON.stringify({ name: 'Mine' }),
      });
    const refused = await make(reader);
    const challenge = challengeOf(refused);
    expect([refused.status, challenge.error, challenge.scope]).toEqual([403, 'insufficient_scope', 'service:write']);
    const writer = await tokenFor(site, { ...challenge, scope: `service:read ${challenge.scope}` }, user);
    expect((await make(writer)).status).toBe(201);
  });
});
