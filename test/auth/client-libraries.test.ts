// Two strict client libraries complete the whole flow, from discovery to revocation, without special cases.
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { describe, expect, test, vi } from 'vitest';
import { browserSession } from '../support/browser-session.ts';
import { bundledAuth } from '../support/bundled-auth.ts';
import { testSite } from '../support/site.ts';

// Password hashing is deliberately slow.
vi.setConfig({ testTimeout: 30_000 });

const redirectURI = 'http://127.0.0.1:9/callback';
const metadata = {
  client_name: 'Test',
  redirect_uris: [redirectURI],
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
};

describe.each([
  ['the handler of the local run', undefined],
  ['the bundled function, with API Gateway’s events', await bundledAuth()],
])('against %s', (_name, createAuth) => {
  const site = testSite({ ...(createAuth && { createAuth }) });

  test('oauth4webapi goes from the API’s challenge to revocation', async () => {
    const browser = browserSession(site.origin);
    const user = await site.user();
    const insecure = { [oauth.allowInsecureRequests]: true };
    const api = new URL('/v1/me', site.origin());

    // Clients that know only the address of the API find the authorization server through it.
    const challenged = await fetch(api);
    expect(challenged.status).toBe(401);
    const resourceMetadata =
      /resource_metadata="([^"]+)"/.exec(challenged.headers.get('www-authenticate') ?? '')?.[1] ?? '';
    const protectedResource = (await (await fetch(resourceMetadata)).json()) as {
      resource: string;
      authorization_servers: [string];
    };
    expect(protectedResource.resource).toBe(`${site.origin()}/v1`);
    const root = await oauth.resourceDiscoveryRequest(new URL(site.origin()), insecure);
    const { authorization_servers: [issuerURL = ''] = [] } = await oauth.processResourceDiscoveryResponse(
      new URL(site.origin()),
      root,
    );

    const issuer = new URL(issuerURL);
    const server = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }),
    );
    const client = await oauth.processDynamicClientRegistrationResponse(
      await oauth.dynamicClientRegistrationRequest(server, metadata, insecure),
    );
    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const url = new URL(server.authorization_endpoint!);
    url.search = new URLSearchParams({
      client_id: client.client_id,
      redirect_uri: redirectURI,
      response_type: 'code',
      scope: 'service:read',
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }).toString();
    const callback = oauth.validateAuthResponse(
      server,
      client,
      await browser.authorize(url, { user, accept: true }),
      state,
    );
    const granted = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      oauth.None(),
      callback,
      redirectURI,
      verifier,
      insecure,
    );
    const token = await oauth.processAuthorizationCodeResponse(server, client, granted);
    expect(token).toMatchObject({ token_type: 'bearer', expires_in: 900 });

    const call = (accessToken: string) =>
      oauth.protectedResourceRequest(accessToken, 'GET', api, undefined, undefined, insecure);
    expect(await (await call(token.access_token)).json()).toMatchObject({ id: user.id });
    await expect(
      oauth.protectedResourceRequest(
        token.access_token,
        'POST',
        new URL('/v1/streams', site.origin()),
        undefined,
        '{}',
        insecure,
      ),
    ).rejects.toMatchObject({
      status: 403,
      cause: [{ parameters: { error: 'insufficient_scope', scope: 'service:write' } }],
    });

    const refreshed = await oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(server, client, oauth.None(), token.refresh_token!, insecure),
    );
    expect(refreshed.refresh_token).not.toBe(token.refresh_token);
    expect((await call(refreshed.access_token)).status).toBe(200);

    await oauth.processRevocationResponse(
      await oauth.revocationRequest(server, client, oauth.None(), refreshed.refresh_token!, insecure),
    );
    const refused = await oauth.refreshTokenGrantRequest(
      server,
      client,
      oauth.None(),
      refreshed.refresh_token!,
      insecure,
    );
    await expect(oauth.processRefreshTokenResponse(server, client, refused)).rejects.toMatchObject({
      error: 'invalid_grant',
    });
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(server, client, oauth.None(), refreshed.access_token, insecure),
    );
  });

  test('openid-client goes the whole way with a client secret and an ID token', async () => {
    const browser = browserSession(site.origin);
    const user = await site.user();
    const execute = [openid.allowInsecureRequests];
    const secretful = { ...metadata, token_endpoint_auth_method: 'client_secret_post' };
    const config = await openid.dynamicClientRegistration(new URL(site.origin()), secretful, undefined, { execute });
    const verifier = openid.randomPKCECodeVerifier();
    const state = openid.randomState();
    const nonce = openid.randomNonce();
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: redirectURI,
      scope: 'openid email service:read',
      state,
      nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    const callback = await browser.authorize(url, { user, accept: true });
    const token = await openid.authorizationCodeGrant(config, callback, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    });
    expect(token.claims()).toMatchObject({ sub: user.id, iss: site.origin() });
    expect(await openid.fetchUserInfo(config, token.access_token, user.id)).toMatchObject({ email: user.email });
    const answer = await openid.fetchProtectedResource(
      config,
      token.access_token,
      new URL('/v1/me', site.origin()),
      'GET',
    );
    expect(await answer.json()).toMatchObject({ id: user.id });
    // An ID token identifies a user; it grants no access.
    await expect(
      openid.fetchProtectedResource(config, token.id_token!, new URL('/v1/me', site.origin()), 'GET'),
    ).rejects.toMatchObject({ status: 401 });
    const refreshed = await openid.refreshTokenGrant(config, token.refresh_token!);
    await openid.tokenRevocation(config, refreshed.refresh_token!);
    await expect(openid.refreshTokenGrant(config, refreshed.refresh_token!)).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });

  test('openid-client signs a device in by a code, with nothing but the address', async () => {
    const browser = browserSession(site.origin);
    const user = await site.user();
    await browser.signIn(user);
    const device = {
      client_name: 'Device',
      token_endpoint_auth_method: 'none',
      grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
      response_types: [],
    };
    const config = await openid.dynamicClientRegistration(new URL(site.origin()), device, openid.None(), {
      algorithm: 'oauth2',
      execute: [openid.allowInsecureRequests],
    });
    const server = config.serverMetadata();
    expect(server.device_authorization_endpoint).toBe(`${site.origin()}/api/auth/device/code`);
    expect(server.grant_types_supported).toContain(device.grant_types[0]);
    const asked = { scope: 'service:read offline_access', resource: `${site.origin()}/v1` };
    const codes = await openid.initiateDeviceAuthorization(config, asked);
    const polled = openid.pollDeviceAuthorizationGrant(config, codes);
    const answer = { userCode: codes.user_code, accept: true };
    expect((await browser.post('/api/auth/device/answer', answer)).status).toBe(200);
    const token = await polled;
    const me = new URL('/v1/me', site.origin());
    const found = await openid.fetchProtectedResource(config, token.access_token, me, 'GET');
    expect(await found.json()).toMatchObject({ id: user.id });
    const refreshed = await openid.refreshTokenGrant(config, token.refresh_token!);
    await openid.tokenRevocation(config, refreshed.refresh_token!);

    const refused = await openid.initiateDeviceAuthorization(config, asked);
    await browser.post('/api/auth/device/answer', { userCode: refused.user_code, accept: false });
    await expect(openid.pollDeviceAuthorizationGrant(config, refused)).rejects.toMatchObject({
      error: 'access_denied',
    });
  });
});
