// Steps of OAuth's authorization code flow at a platform: exchange of a code, refresh and revocation of a grant.
import type * as OAuth from 'oauth4webapi';
import type { CodeExchange, Grant } from './managed-platform.ts';
import { PlatformRefusal } from './managed-platform.ts';
import type { OAuthDialect } from './oauth-dialect.ts';
import { fetchBounded, retryAtOf } from './platform-request.ts';

/** A grant without a lifetime is refreshed after an hour, as Google's are. */
const defaultLifetimeSeconds = 3600;

/** @param oauth the library, loaded by the caller when it is needed */
export function createOAuthFlow(
  oauth: typeof OAuth,
  { clientID, clientSecret, endpoints, scopes, hasPKCE, clock }: OAuthDialect,
) {
  const server: OAuth.AuthorizationServer = {
    issuer: new URL(endpoints.token).origin,
    authorization_endpoint: endpoints.authorize,
    token_endpoint: endpoints.token,
    revocation_endpoint: endpoints.revoke,
  };
  const client: OAuth.Client = { client_id: clientID };
  const authentication = oauth.ClientSecretPost(clientSecret);
  const options = {
    [oauth.customFetch]: fetchAsStandard,
    // The stand-in of the local run has no TLS. The stage sets these addresses, not its users.
    [oauth.allowInsecureRequests]: endpoints.token.startsWith('http://127.0.0.1:'),
  };
  const grantOf = (answer: OAuth.TokenEndpointResponse, before: Grant | null): Grant => ({
    accessToken: answer.access_token,
    // If a platform returns no refresh token, the previous one stays valid.
    refreshToken: answer.refresh_token ?? before?.refreshToken ?? null,
    expiresAt: new Date(clock().getTime() + (answer.expires_in ?? defaultLifetimeSeconds) * 1000),
    scopes: answer.scope === undefined ? (before?.scopes ?? scopes) : answer.scope.split(' ').filter(Boolean),
  });
  return {
    exchange: ({ parameters, verifier, redirectURI }: CodeExchange): Promise<Grant> =>
      refusing(oauth, async () => {
        // Known platforms do not send `iss`, and the state was already used to find the verifier.
        const answer = new URLSearchParams({ code: parameters.get('code') ?? '' });
        const valid = oauth.validateAuthResponse(server, client, answer, oauth.skipStateCheck);
        const proof = hasPKCE ? verifier : oauth.nopkce;
        const response = await oauth.authorizationCodeGrantRequest(
          server,
          client,
          authentication,
          valid,
          redirectURI,
          proof,
          options,
        );
        return grantOf(await oauth.processAuthorizationCodeResponse(server, client, response), null);
      }),
    refresh: (grant: Grant): Promise<Grant> =>
      refusing(oauth, async () => {
        if (grant.refreshToken === null) throw new PlatformRefusal('grant_revoked', 'there is no refresh token');
        const { refreshToken } = grant;
        const response = await oauth.refreshTokenGrantRequest(server, client, authentication, refreshToken, options);
        return grantOf(await oauth.processRefreshTokenResponse(server, client, response), grant);
      }),
    async revoke(grant: Grant): Promise<boolean> {
      const token = grant.refreshToken ?? grant.accessToken;
      try {
        const { ok, status } = await oauth.revocationRequest(server, client, authentication, token, options);
        // 400: the token has already ended.
        return ok || status === 400;
      } catch (error) {
        if (error instanceof PlatformRefusal) return false;
        throw error;
      }
    },
  };
}

async function fetchAsStandard(...[url, init]: Parameters<typeof fetchBounded>): Promise<Response> {
  const response = await fetchBounded(url, init);
  const text = await response.text();
  const headers = new Headers(response.headers);
  headers.delete('content-length');
  const { status } = response;
  return new Response(status < 500 ? asStandard(text, status) : text, { status, headers });
}

/**
 * Translates Twitch's dialect to RFC 6749: Twitch returns `scope` as a list, and reasons of refusals as words for
 * people (https://dev.twitch.tv/docs/authentication/refresh-tokens).
 */
function asStandard(text: string, status: number): string {
  try {
    const body = JSON.parse(text) as { scope?: unknown; error?: unknown; message?: unknown };
    if (Array.isArray(body.scope))
      return JSON.stringify({ ...body, scope: body.scope.filter((scope) => typeof scope === 'string').join(' ') });
    if (status < 400 || typeof body.message !== 'string') return text;
    const isOfGrant = /refresh token|authorization code/i.test(body.message);
    return JSON.stringify({ error: isOfGrant ? 'invalid_grant' : 'invalid_request' });
  } catch {
    return text;
  }
}

/** Runs one step of the flow and turns its failures into refusals. */
async function refusing<Result>(oauth: typeof OAuth, step: () => Promise<Result>): Promise<Result> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof PlatformRefusal) throw error;
    if (error instanceof oauth.ResponseBodyError) throw refusalOf(error);
    throw new PlatformRefusal('unavailable', 'the answer is no answer of OAuth', { cause: error });
  }
}

function refusalOf(error: OAuth.ResponseBodyError): PlatformRefusal {
  const retryAt = retryAtOf(error.response.headers);
  if (error.status === 429) return new PlatformRefusal('rate_limited', error.error, { retryAt });
  if (error.status >= 500) return new PlatformRefusal('unavailable', error.error, { retryAt });
  if (error.error === 'invalid_grant') return new PlatformRefusal('grant_revoked', error.error);
  return new PlatformRefusal('rejected', error.error);
}
