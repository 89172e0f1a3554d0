// Everything that sign-in and OAuth answer, as one fetch handler: better-auth, and around it what the specification asks beyond it.
import { setTimeout } from 'node:timers/promises';
import { oauthProviderAuthServerMetadata, oauthProviderOpenIdConfigMetadata } from '@better-auth/oauth-provider';
import type { Pool } from 'pg';
import { databaseOn } from '../data/database.ts';
import type { Scope } from '../operations/scopes.ts';
import { createAccessTokens } from '../surfaces/access-tokens.ts';
import type { AccessTokens } from '../surfaces/access-tokens.ts';
import { audiencesOf, protectedResourceMetadata, resourcePaths } from '../surfaces/protected-resource.ts';
import { authPath, createAuthorizationServer } from './authorization-server.ts';
import type { AuthorizationServerOptions } from './authorization-server.ts';
import { addressHeader } from './client-address.ts';
import { jwksMaxAgeSeconds } from './signing-keys.ts';

/** @param address of the client, as our own infrastructure saw it; null when unknown */
export type AuthHandler = (request: Request, address: string | null) => Promise<Response>;

type Answer = (request: Request) => Promise<Response>;

/** Applications in browsers, on other origins, use these: they carry no cookie. */
const openPaths = new Set([
  `${authPath}/oauth2/token`,
  `${authPath}/oauth2/register`,
  `${authPath}/oauth2/revoke`,
  `${authPath}/oauth2/userinfo`,
  `${authPath}/jwks`,
]);
const metadataPath = '/.well-known/oauth-protected-resource';
/** Here a mail is sent to who is known, and none to others: the time that it takes is not to tell them apart. */
const evenPaths = new Set([
  `${authPath}/sign-up/email`,
  `${authPath}/request-password-reset`,
  `${authPath}/send-verification-email`,
]);
/** Longer than handing a mail over takes. */
const evenAnswerMs = 500;
const bodyMaxBytes = 64 * 1024;
const defaultScope: Scope = 'service:read';

export function createAuthHandler(options: AuthorizationServerOptions): AuthHandler {
  const { origin, pool, log } = options;
  const server = createAuthorizationServer(options);
  const accessTokens = createAccessTokens(pool, origin, options.clock);
  const metadata: Readonly<Record<string, Answer>> = {
    '/.well-known/openid-configuration': oauthProviderOpenIdConfigMetadata(server),
    '/.well-known/oauth-authorization-server': oauthProviderAuthServerMetadata(server),
    ...Object.fromEntries(
      ['', ...resourcePaths].map((path) => [
        metadataPath + path,
        async () => Response.json(protectedResourceMetadata(origin, origin + path)),
      ]),
    ),
  };
  const answer = async (request: Request, path: string): Promise<Response> => {
    const readMetadata = metadata[path];
    if (readMetadata) return cacheable(await readMetadata(request));
    if (!path.startsWith(`${authPath}/`)) return Response.json({ error: 'not_found' }, { status: 404 });
    if (Number(request.headers.get('content-length') ?? 0) > bodyMaxBytes)
      return oauthError(413, 'invalid_request', `The body is larger than ${bodyMaxBytes} bytes.`);
    if (await hasNullCharacter(request))
      return oauthError(400, 'invalid_request', 'The request has a null character in it, which cannot be stored.');
    switch (path.slice(authPath.length)) {
      case '/jwks':
        return cacheable(await server.handler(request));
      case '/oauth2/authorize':
        // A form in place of a link is optional (RFC 6749, part 3.1), and nobody's.
        if (request.method !== 'GET') return oauthError(405, 'invalid_request', 'Authorization is asked for with GET.');
        return server.handler(await withDefaults(pool, origin, request));
      case '/oauth2/register':
        return server.handler(await withApplicationType(request));
      case '/oauth2/token':
        return asTokenAnswer(await server.handler(request));
      case '/oauth2/revoke':
        return (await revokeAccessToken(accessTokens, options, request.clone())) ?? server.handler(request);
      default: {
        const [response] = await Promise.all([
          server.handler(request),
          evenPaths.has(path) ? setTimeout(evenAnswerMs) : null,
        ]);
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
      // better-auth has a header of its own for it.
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

/** In any of the spellings that reach Postgres as one: in JSON, in a form or query, or as it is. */
async function hasNullCharacter(request: Request): Promise<boolean> {
  return /\\u0000|%00|\0/.test(new URL(request.url).search + (request.body ? await request.clone().text() : ''));
}

/** What the client says of its address is dropped. */
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

/** Answers are data or redirects, never pages. */
const securityHeaders = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
};

/**
 * An application that names no resource gets a token for the API, not one that only the authorization server could read; one that registered to
 * use refresh tokens gets them without asking for offline_access, which many do not know of; one that names no scope may read, not everything.
 */
async function withDefaults(pool: Pool, origin: string, request: Request): Promise<Request> {
  const url = new URL(request.url);
  const { searchParams: query } = url;
  if (!query.has('resource')) query.set('resource', audiencesOf(origin, '/v1')[0]);
  const scopes = new Set((query.get('scope') || defaultScope).split(' ').filter(Boolean));
  const clientID = query.get('client_id');
  if (clientID && (await databaseOn(pool).applications.mayRefresh(clientID))) scopes.add('offline_access');
  query.set('scope', [...scopes].join(' '));
  return new Request(url, request);
}

/** Native applications seldom say that they are: better-auth would take them for web applications and refuse their loopback addresses (RFC 8252). */
async function withApplicationType(request: Request): Promise<Request> {
  const body: unknown = await request
    .clone()
    .json()
    .catch(() => null);
  if (
    typeof body !== 'object' ||
    body === null ||
    'application_type' in body ||
    !('redirect_uris' in body) ||
    !Array.isArray(body.redirect_uris)
  )
    return request;
  if (!body.redirect_uris.every((uri) => /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(:\d+)?(\/|$)/.test(String(uri))))
    return request;
  const headers = new Headers(request.headers);
  headers.delete('content-length');
  return new Request(request.url, {
    method: 'POST',
    headers,
    body: JSON.stringify({ ...body, application_type: 'native' }),
  });
}

/** RFC 6749, part 5.2, and RFC 7636, part 4.6: a grant that is not valid is 400 invalid_grant. better-auth answers 401 to a wrong verifier. */
async function asTokenAnswer(response: Response): Promise<Response> {
  if (response.status !== 401) return response;
  const { error } = (await response
    .clone()
    .json()
    .catch(() => ({}))) as { error?: string };
  return error === 'invalid_request' ? oauthError(400, 'invalid_grant', 'The code verifier does not match.') : response;
}

/** RFC 7009 for access tokens, which better-auth refuses as it cannot call them back. @returns null when it is not a valid access token */
async function revokeAccessToken(
  accessTokens: AccessTokens,
  { pool, origin }: AuthorizationServerOptions,
  request: Request,
): Promise<Response | null> {
  const form = new URLSearchParams(await request.text());
  const token = form.get('token') ?? '';
  if (request.method !== 'POST' || token.split('.').length !== 3) return null;
  const verified = await accessTokens.verify(
    token,
    resourcePaths.flatMap((path) => [...audiencesOf(origin, path)]),
  );
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
