// Stands for YouTube on one machine: Google's consent page, tokens, and the part of the Data API that is in use.
// It refuses what Google documents as refused; it is not told what the platform expects of it.
import { createHash, timingSafeEqual } from 'node:crypto';
import { answerConsent, consentPage } from './consent-page.ts';
import type { ConsentRequest } from './consent-page.ts';
import { createTokens } from './tokens.ts';
import type { Tokens } from './tokens.ts';

/** What the paths of the stand-in begin with on the local site. */
export const youtubePath = '/youtube-stand-in';

export interface StandInOptions {
  readonly clientID: string;
  readonly clientSecret: string;
  /** As registered in Google's console: no other is redirected to. */
  readonly redirectURI: string;
  readonly signingKey: string;
  readonly clock: () => Date;
}

/** The channels of the one person who uses this machine. */
export const standInChannels = [
  { id: 'UC-local-loops', title: 'YouTube (local)' },
  { id: 'UC-local-second', title: 'Second channel (local)' },
] as const;

/** The origins of the stand-in, in the place of Google's. */
export function standInOrigins(siteURL: string) {
  const origin = siteURL + youtubePath;
  return { consent: origin, token: origin, api: origin };
}

export type StandIn = (request: Request) => Promise<Response>;

/** Makes the handler of all paths that begin with `youtubePath`. */
export function createYoutubeStandIn(options: StandInOptions): StandIn {
  const tokens = createTokens(options.signingKey, options.clock);
  return async (request) => {
    const url = new URL(request.url);
    switch (`${request.method} ${url.pathname.slice(youtubePath.length)}`) {
      case 'GET /o/oauth2/v2/auth':
        return withRequest(url.searchParams, options, consentPage);
      case 'POST /o/oauth2/v2/auth': {
        const form = new URLSearchParams(await request.text());
        return withRequest(url.searchParams, options, (asked) => answerConsent(asked, form, tokens));
      }
      case 'POST /token':
        return token(await parametersOf(request), options, tokens);
      case 'POST /revoke': {
        const parameters = await parametersOf(request);
        const isRevoked = await tokens.revoke(parameters.get('token') ?? '');
        return isRevoked ? json({}) : json({ error: 'invalid_token' }, 400);
      }
      case 'GET /youtube/v3/channels':
        return channels(url.searchParams, request, tokens);
      default:
        return refuse(404, 'notFound', 'Not Found');
    }
  };
}

/** Google answers a request whose client or address is not registered by a page, and redirects nobody. */
async function withRequest(
  parameters: URLSearchParams,
  { clientID, redirectURI }: StandInOptions,
  answer: (asked: ConsentRequest) => Response | Promise<Response>,
): Promise<Response> {
  const wrong =
    parameters.get('client_id') !== clientID
      ? 'invalid_client'
      : parameters.get('redirect_uri') !== redirectURI
        ? 'redirect_uri_mismatch'
        : parameters.get('response_type') !== 'code' || !parameters.get('scope')
          ? 'invalid_request'
          : null;
  if (wrong) return new Response(`Error 400: ${wrong}`, { status: 400, headers: { 'content-type': 'text/plain' } });
  return answer({
    redirectURI,
    scopes: parameters.get('scope')!.split(' '),
    state: parameters.get('state') ?? '',
    challenge: parameters.get('code_challenge_method') === 'S256' ? parameters.get('code_challenge') : null,
    channels: standInChannels,
  });
}

async function token(parameters: URLSearchParams, options: StandInOptions, tokens: Tokens): Promise<Response> {
  const isClient =
    parameters.get('client_id') === options.clientID &&
    isSame(parameters.get('client_secret') ?? '', options.clientSecret);
  if (!isClient) return json({ error: 'invalid_client' }, 401);
  if (parameters.get('grant_type') === 'refresh_token') {
    const answer = await tokens.refresh(parameters.get('refresh_token') ?? '');
    return answer ? json(answer) : json({ error: 'invalid_grant' }, 400);
  }
  if (parameters.get('grant_type') !== 'authorization_code') return json({ error: 'unsupported_grant_type' }, 400);
  const code = await tokens.useCode(parameters.get('code') ?? '');
  const verifier = parameters.get('code_verifier') ?? '';
  const isProved =
    code !== null &&
    code.redirectURI === parameters.get('redirect_uri') &&
    (code.challenge === null || code.challenge === createHash('sha256').update(verifier).digest('base64url'));
  return isProved ? json(await tokens.grant(code)) : json({ error: 'invalid_grant' }, 400);
}

async function channels(query: URLSearchParams, request: Request, tokens: Tokens): Promise<Response> {
  const bearer = /^Bearer (.+)$/.exec(request.headers.get('authorization') ?? '')?.[1];
  const consent = bearer === undefined ? null : await tokens.access(bearer);
  if (!consent) return refuse(401, 'authError', 'Invalid Credentials');
  if (!consent.scopes.some((scope) => /\/auth\/youtube(\.force-ssl|\.readonly)?$/.test(scope)))
    return refuse(403, 'insufficientPermissions', 'Request had insufficient authentication scopes.');
  const parts = (query.get('part') ?? '').split(',');
  if (!query.get('part')) return refuse(400, 'required', 'Required parameter: part');
  if (query.get('mine') !== 'true') return refuse(400, 'missingRequiredParameter', 'No filter selected.');
  const items = standInChannels
    .filter(({ id }) => id === consent.channelID)
    .map(({ id, title }) => ({
      kind: 'youtube#channel',
      ...(parts.includes('id') && { id }),
      ...(parts.includes('snippet') && { snippet: { title } }),
    }));
  return json({ kind: 'youtube#channelListResponse', items });
}

/** Google takes the parameters of its token endpoint as a form, or in the query. */
async function parametersOf(request: Request): Promise<URLSearchParams> {
  const form = new URLSearchParams(await request.text());
  return form.size > 0 ? form : new URL(request.url).searchParams;
}

function isSame(given: string, expected: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(given), hash(expected));
}

function refuse(code: number, reason: string, message: string): Response {
  return json({ error: { code, message, errors: [{ message, domain: 'youtube', reason }] } }, code);
}

function json(body: object, status = 200): Response {
  return Response.json(body, { status, headers: { 'cache-control': 'no-store' } });
}
