// A strict client library goes the whole way: discovery, registration, sign-in, consent, token, call, refresh, revocation.
import * as oauth from 'oauth4webapi';
import { describe, expect, test } from 'vitest';
import { browserSession } from '../support/browser-session.ts';
import { testSite } from '../support/site.ts';

const insecure = { [oauth.allowInsecureRequests]: true };

describe('oauth4webapi', () => {
  const site = testSite();
  const browser = browserSession(site.origin);

  test('goes from discovery to a call, a refresh and a revocation', async () => {
    const user = await site.user();
    const issuer = new URL(site.origin());
    const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }));
    const redirectURI = 'http://127.0.0.1:9/callback';
    const registration = await oauth.dynamicClientRegistrationRequest(
      server,
      { client_name: 'Test', redirect_uris: [redirectURI], token_endpoint_auth_method: 'none', grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] },
      insecure,
    );
    const client = await oauth.processDynamicClientRegistrationResponse(registration);
    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const url = new URL(server.authorization_endpoint!);
    url.search = new URLSearchParams({
      client_id: client.client_id, redirect_uri: redirectURI, response_type: 'code', scope: 'service:read', state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256',
    }).toString();
    const callback = await browser.authorize(url, { user, accept: true });
    const params = oauth.validateAuthResponse(server, client, callback, state);
    const response = await oauth.authorizationCodeGrantRequest(server, client, oauth.None(), params, redirectURI, verifier, insecure);
    const token = await oauth.processAuthorizationCodeResponse(server, client, response);
    expect(token).toMatchObject({ token_type: 'bearer', expires_in: 900 });
    const me = await oauth.protectedResourceRequest(token.access_token, 'GET', new URL('/v1/me', issuer), undefined, undefined, insecure);
    expect(await me.json()).toMatchObject({ id: user.id });
  });
});
