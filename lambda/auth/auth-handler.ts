// Sign-in and OAuth as one fetch handler.
// It wraps better-auth, and adds the standards that OAuth clients need and better-auth lacks.
import { setTimeout } from 'node:timers/promises';
import { oauthProviderAuthServerMetadata, oauthProviderOpenIdConfigMetadata } from '@better-auth/oauth-provider';
import { decodeJwt } from 'jose';
import type { Pool } from 'pg';
import { databaseOn } from '../data/database.ts';
import { ChangeRefused } from '../data/shared/change-bounds.ts';
import type { Scope } from '../operations/scopes.ts';
import { countWithin } from '../orchestration/shared/hour-and-day.ts';
import { bounds } from '../domain/shared/bounds.ts';
import { createAccessTokens } from '../surfaces/admission/access-tokens.ts';
import type { AccessTokens } from '../surfaces/admission/access-tokens.ts';
import { audiencesOf, protectedResourceMetadata, resourcePaths } from '../surfaces/admission/protected-resource.ts';
import { boundedBody } from '../surfaces/read-body.ts';
import { authPath, createAuthorizationServer } from './authorization-server.ts';
import type { AuthorizationServerOptions } from './authorization-server.ts';
import { addressHeader, networkOfClient } from './client-address.ts';
import { asDeviceAnswer, asDeviceRequest, asTokenRequest, formOf } from './device-codes.ts';
import { disconnectApplication } from './disconnect-application.ts';
import { ConfirmingBrowser } from './confirming-browser.ts';
import { asRegistration, withoutCalls } from './registration.ts';
import { jwksMaxAgeSeconds } from './signing-keys.ts';

/** @param address the client's IP address from our own infrastructure; null if unknown */
export type AuthHandler = (request: Request, address: string | null) => Promise<Response>;

type Answer = (request: Request) => Promise<Response>;

/** Pages of other origins may call these paths (CORS). They do not use the session's cookie. */
const openPaths = new Set([
  `${authPath}/oauth2/token`,
  `${authPath}/oauth2/register`,
  `${authPath}/oauth2/revoke`,
  `${authPath}/oauth2/userinfo`,
  `${authPath}/jwks`,
]);
const metadataPath = '/.well-known/oauth-protected-resource';
/**
 * These paths send a mail only to known addresses. Their answers take equally long, so as not to reveal which are
 * known.
 */
const evenPaths = new Set([
  `${authPath}/sign-up/email`,
  `${authPath}/request-password-reset`,
  `${authPath}/send-verification-email`,
]);
/** The minimum time of such an answer, longer than sending a mail. */
const evenAnswerMs = 500;
/** The paths where a browser presents the password of an account whose address may not be confirmed. */
const passwordPaths = new Set([`${authPath}/sign-up/email`, `${authPath}/sign-in/email`]);
const bodyMaxBytes = 64 * 1024;
const defaultScope: Scope = 'service:read';

export function createAuthHandler(options: AuthorizationServerOptions): AuthHandler {
  const { origin, pool, log } = options;
  const server = createAuthorizationServer(options);
  const served = new Set(Object.values(server.api).map(({ path }) => authPath + path));
  const accessTokens = createAccessTokens(pool, origin, options.clock);
  const confirming = new ConfirmingBrowser(options, `${authPath}/verify-email`);
  const metadata: Record<string, Answer> = {
    '/.well-known/openid-configuration': withoutCalls(oauthProviderOpenIdConfigMetadata(server)),
    '/.well-known/oauth-authorization-server': withoutCalls(oauthProviderAuthServerMetadata(server)),
  };
  for (const path of ['', ...resourcePaths]) {
    metadata[metadataPath + path] = async () => Response.json(protectedResourceMetadata(origin, origin + path));
  }
  const authorize = async (request: Request): Promise<Response> => {
    const url = new URL(request.url);
    await addDefaults(pool, origin, url.searchParams);
    return server.handler(new Request(url, request));
  };
  const token = async (request: Request): Promise<Response> => {
    const stored = await asTokenRequest(request, options.serviceSecret);
    return stored
      ? asTokenAnswer(pool, await server.handler(stored))
      : oauthError(400, 'invalid_grant', 'We have not made this device code.');
  };
  const answer = async (received: Request, path: string): Promise<Response> => {
    const readMetadata = metadata[path];
    if (readMetadata) return cacheable(await readMetadata(received));
    // Mails of the release before have links of better-auth, with the token in the path.
    const [, mailed] = /^\/api\/auth\/reset-password\/(\w{1,100})$/u.exec(path) ?? [];
    if (mailed) return Response.redirect(`${origin}/new-password#token=${mailed}`, 302);
    // better-auth would store a row for each path that is called, whether it exists or not.
    if (!served.has(path)) return Response.json({ error: 'not_found' }, { status: 404 });
    const bytes = await boundedBody(received, bodyMaxBytes);
    if (bytes === null) return oauthError(413, 'invalid_request', `The body is larger than ${bodyMaxBytes} bytes.`);
    const request = received.body ? new Request(received, { method: received.method, body: bytes }) : received;
    if (nullCharacter.test(new URL(request.url).search + bytes.toString()))
      return oauthError(400, 'invalid_request', 'The request has a null character in it, which cannot be stored.');
    if (path === `${authPath}/sign-up/email` && !(await isSignUpAdmitted(request, options))) return tooManySignUps();
    switch (path.slice(authPath.length)) {
      case '/jwks':
        return cacheable(await server.handler(request));
      case '/oauth2/authorize':
        // RFC 6749, section 3.1, also allows POST, but does not require it, and no client uses it.
        if (request.method !== 'GET') return oauthError(405, 'invalid_request', 'Authorization is asked for with GET.');
        return authorize(request);
      case '/device/code': {
        const form = await formOf(request);
        if (form === null) return oauthError(400, 'invalid_request', 'Codes are asked for with a POST of a form.');
        await addDefaults(pool, origin, form);
        return asDeviceAnswer(await server.handler(asDeviceRequest(request, form)), options.serviceSecret);
      }
      case '/oauth2/register': {
        const registration = await asRegistration(request);
        return typeof registration === 'string'
          ? oauthError(400, 'invalid_client_metadata', registration)
          : server.handler(registration);
      }
      case '/oauth2/token':
        return token(request);
      case '/oauth2/revoke':
        return (await revokeAccessToken(accessTokens, options, request.clone())) ?? server.handler(request);
      case '/verify-email':
        return (await confirming.refusalOf(request)) ?? server.handler(request);
      default: {
        const answered = passwordPaths.has(path)
          ? server.handler(request.clone()).then((response) => confirming.remember(request, response))
          : server.handler(request);
        const [response] = await Promise.all([answered, evenPaths.has(path) ? setTimeout(evenAnswerMs) : null]);
        return response;
      }
    }
  };
  return async (received, address) => {
    const request = withAddress(received, address);
    const path = new URL(request.url).pathname;
    const isOpen = openPaths.has(path) || path in metadata;
    if (request.method === 'OPTIONS' && isOpen)
      return new Response(null, { status: 204, headers: { ...corsHeaders, 'access-control-max-age': '86400' } });
    try {
      const response = await answer(request, path);
      // better-auth uses its own header for the seconds.
      const retryAfter = response.headers.get('x-retry-after');
      return withHeaders(response, {
        ...securityHeaders,
        ...(isOpen ? corsHeaders : {}),
        ...(retryAfter ? { 'retry-after': retryAfter } : {}),
      });
    } catch (error) {
      log('auth_failed', { path, error });
      return oauthError(500, 'server_error', 'We made a mistake. It is logged.');
    }
  };
}

/** Counts a sign-up among those of its network. Its address is not looked up, so the answer does not depend on it. */
function isSignUpAdmitted(
  { headers }: Request,
  { pool, rateLimitFactor: factor }: Pick<AuthorizationServerOptions, 'pool' | 'rateLimitFactor'>,
): Promise<boolean> {
  const subject = `network ${networkOfClient(headers)}`;
  return countWithin(databaseOn(pool), { subject, name: 'sign_up', most: bounds.signUpsOfNetwork, factor });
}

function tooManySignUps(): Response {
  const message = 'Your network has made many accounts. Sign up from another one, or try again tomorrow.';
  return Response.json({ message }, { status: 429, headers: { 'retry-after': '3600' } });
}

/** A null character in a URL or body, raw or escaped. Postgres cannot store it. */
const nullCharacter = /\\u0000|%00|\0/;

/**
 * Sets the header with the client's address that better-auth reads, and drops a header of this name from the client.
 */
function withAddress(request: Request, address: string | null): Request {
  const headers = new Headers(request.headers);
  headers.delete(addressHeader);
  if (address !== null) headers.set(addressHeader, address);
  return new Request(request, { headers });
}

const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, POST, OPTIONS',
  'access-control-allow-headers': 'Authorization, Content-Type, MCP-Protocol-Version',
  'access-control-expose-headers': 'WWW-Authenticate',
};

/** Browsers must not show an answer as a page: answers are data or redirects. */
const securityHeaders = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
};

/**
 * Adds defaults that the application left out of a request for authorization or for a device code:
 * - `resource`, if absent or empty, so that the token is for the REST API, and not opaque;
 * - the scope `offline_access`, if the application registered for refresh tokens, because many never request it;
 * - `scope`, with read access only.
 */
async function addDefaults(pool: Pool, origin: string, query: URLSearchParams): Promise<void> {
  const resources = new Set(query.getAll('resource').filter(Boolean));
  query.delete('resource');
  // A resource that is named a thousand times would be stored as often.
  for (const resource of resources.size > 0 ? resources : [audiencesOf(origin, '/v1')[0]])
    query.append('resource', resource);
  const scopes = new Set((query.get('scope') || defaultScope).split(' ').filter(Boolean));
  const clientID = query.get('client_id');
  if (clientID && (await databaseOn(pool).applications.mayRefresh(clientID))) scopes.add('offline_access');
  query.set('scope', [...scopes].join(' '));
}

/**
 * - For a wrong code verifier, better-auth answers 401. The standard is 400 invalid_grant (RFC 6749, section 5.2, and
 *   RFC 7636, section 4.6).
 * - better-auth exchanges codes and refresh tokens without checking the user's consent. It is checked after the tokens
 *   are stored, because a user who disconnects the application later revokes these tokens as well.
 */
async function asTokenAnswer(pool: Pool, response: Response): Promise<Response> {
  if (!response.ok && response.status !== 401) return response;
  const { error, access_token: token } = (await response
    .clone()
    .json()
    .catch(() => ({}))) as { error?: string; access_token?: string };
  if (error === 'invalid_request') return oauthError(400, 'invalid_grant', 'The code verifier does not match.');
  if (!response.ok) return response;
  const { sub, azp } = decodeJwt<{ azp?: string }>(token ?? '');
  const { applications } = databaseOn(pool);
  if (sub === undefined || azp === undefined) throw new Error('better-auth issued a token of no user or application');
  if (await applications.isAgreedTo(sub, azp)) return response;
  try {
    await disconnectApplication(pool, sub, azp);
  } catch (error) {
    if (!(error instanceof ChangeRefused)) throw error;
    const answer = oauthError(503, 'temporarily_unavailable', error.message);
    return withHeaders(answer, { 'retry-after': String(error.retrySeconds) });
  }
  return oauthError(400, 'invalid_grant', 'The user has disconnected this application.');
}

/**
 * Revokes an access token (RFC 7009). better-auth refuses to, because it does not store access tokens.
 * @returns null if the request contains no valid access token of this client
 */
async function revokeAccessToken(
  accessTokens: AccessTokens,
  { pool, origin }: AuthorizationServerOptions,
  request: Request,
): Promise<Response | null> {
  const form = new URLSearchParams(await request.text());
  const token = form.get('token') ?? '';
  if (request.method !== 'POST' || token.split('.').length !== 3) return null;
  const audiences = resourcePaths.flatMap((path) => [...audiencesOf(origin, path)]);
  const verified = await accessTokens.verify(token, audiences);
  const clientID = form.get('client_id') ?? basicUser(request.headers.get('authorization'));
  if (!verified || verified.clientID !== clientID) return null;
  await databaseOn(pool).tokenRevocations.insert(verified.userID, verified.clientID);
  return new Response(null, { status: 200, headers: { 'cache-control': 'no-store' } });
}

function basicUser(authorization: string | null): string | null {
  const encoded = /^Basic +(\S+)$/i.exec(authorization ?? '')?.[1];
  return encoded === undefined ? null : (Buffer.from(encoded, 'base64').toString().split(':')[0] ?? null);
}

function oauthError(status: number, error: string, description: string): Response {
  return Response.json({ error, error_description: description }, { status, headers: { 'cache-control': 'no-store' } });
}

function cacheable(response: Response): Response {
  return response.ok ? withHeaders(response, { 'cache-control': `public, max-age=${jwksMaxAgeSeconds}` }) : response;
}

function withHeaders(response: Response, headers: Readonly<Record<string, string>>): Response {
  const answer = new Response(response.body, response);
  for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value);
  return answer;
}
