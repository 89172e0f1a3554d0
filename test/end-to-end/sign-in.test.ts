// A real local run: its user signs in, and an application gets OAuth tokens, which survive a rotation of the key.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as oauth from 'oauth4webapi';
import { expect, test } from 'vitest';
import { browserSession } from '../support/browser-session.ts';
import { testLocalRun } from '../support/test-local-run.ts';

const run = testLocalRun('--no-demo');

test('the local run has one origin: a browser at localhost is sent there', async () => {
  const { authURL } = run.connection;
  const answer = await fetch(`${authURL.replace('127.0.0.1', 'localhost')}/sign-in?a=b`, { redirect: 'manual' });
  expect([answer.status, answer.headers.get('location')]).toEqual([302, `${authURL}/sign-in?a=b`]);
});

test('connection.json is all that an OAuth client needs', async () => {
  const { authURL, apiURL, graphqlURL, user } = run.connection;
  const insecure = { [oauth.allowInsecureRequests]: true };
  const redirectURI = 'http://127.0.0.1:9/callback';
  const issuer = new URL(authURL);
  const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
  const metadata = {
    client_name: 'Test',
    redirect_uris: [redirectURI],
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
  };
  const registration = await oauth.dynamicClientRegistrationRequest(server, metadata, insecure);
  const client = await oauth.processDynamicClientRegistrationResponse(registration);
  const verifier = oauth.generateRandomCodeVerifier();
  const url = new URL(server.authorization_endpoint!);
  url.search = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: redirectURI,
    response_type: 'code',
    scope: 'service:read service:write',
    state: 'state',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).toString();
  for (const resource of [apiURL, graphqlURL]) url.searchParams.append('resource', resource);
  const callback = await browserSession(() => authURL).authorize(url, { user, accept: true });
  const code = oauth.validateAuthResponse(server, client, callback, 'state');
  const noSecret = oauth.None();
  const grant = [server, client, noSecret, code, redirectURI, verifier, insecure] as const;
  const granted = await oauth.authorizationCodeGrantRequest(...grant);
  const token = await oauth.processAuthorizationCodeResponse(server, client, granted);
  const call = (accessToken: string) =>
    oauth.protectedResourceRequest(accessToken, 'GET', new URL(`${apiURL}/me`), undefined, undefined, insecure);
  expect(await (await call(token.access_token)).json()).toMatchObject({ email: user.email });
  const query = JSON.stringify({ query: '{ getMe { email } listDestinations { nodes { name } } }' });
  const json = new Headers({ 'content-type': 'application/json' });
  const request = [token.access_token, 'POST', new URL(graphqlURL), json, query, insecure] as const;
  const asked = await oauth.protectedResourceRequest(...request);
  expect(await asked.json()).toEqual({
    data: { getMe: { email: user.email }, listDestinations: { nodes: [{ name: 'Built-in ingest' }] } },
  });

  const script = join(import.meta.dirname, '../../bin/rotate-signing-key.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [script, '--data', run.dataFolder]);
  expect(stdout).toContain('The next key is published');
  const { keys } = (await (await fetch(server.jwks_uri!)).json()) as { keys: unknown[] };
  expect(keys).toHaveLength(2);
  const refreshing = await oauth.refreshTokenGrantRequest(server, client, noSecret, token.refresh_token!, insecure);
  const refreshed = await oauth.processRefreshTokenResponse(server, client, refreshing);
  for (const { access_token: accessToken } of [token, refreshed]) expect((await call(accessToken)).status).toBe(200);
}, 30_000);
