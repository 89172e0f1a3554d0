// Stands for YouTube on one machine: Google's consent page, tokens, and the used part of the Data API.
// It refuses requests that Google documents as refused, and knows nothing of the platform's expectations (README.md).
import { createHash, timingSafeEqual } from 'node:crypto';
import { answerAdmin } from './admin.ts';
import { answerApi } from './api.ts';
import type { ApiOptions } from './api.ts';
import { answerConsent, consentPage } from './consent-page.ts';
import type { ConsentRequest } from './consent-page.ts';
import { ingestApp } from './ingest.ts';
import type { IngestServer } from './ingest.ts';
import { defaultSettings } from './life-cycle.ts';
import type { StandInSettings } from './life-cycle.ts';
import { createState } from './state.ts';
import { createTokens } from './tokens.ts';
import type { Tokens } from './tokens.ts';
import { standInChannels } from './videos-api.ts';

/** The path prefix of the stand-in on the local site. */
export const youtubePath = '/youtube-stand-in';

export interface StandInOptions {
  readonly clientID: string;
  readonly clientSecret: string;
  /** The only redirect URI, as registered in Google's console. */
  readonly redirectURI: string;
  readonly signingKey: string;
  /** File for the state, without tokens, which are signed. Absent: the state is lost at the end of the process. */
  readonly stateFile?: string;
  readonly settings?: Partial<StandInSettings>;
  readonly clock: () => Date;
}

/** The origins of the stand-in, instead of Google's. */
export function standInOrigins(siteURL: string) {
  const origin = siteURL + youtubePath;
  return { consent: origin, token: origin, api: origin };
}

/** Answers all paths that begin with `youtubePath`. */
export interface StandIn {
  (request: Request): Promise<Response>;
  /** Connects the server that receives media. From then on, its application accepts only issued stream keys. */
  useIngest(server: IngestServer): void;
}

export function createYoutubeStandIn(options: StandInOptions): StandIn {
  const { clock, signingKey, stateFile = null } = options;
  const store = createState(stateFile);
  const tokens = createTokens(signingKey, clock, store);
  let server: IngestServer | null = null;
  const api: ApiOptions = {
    tokens,
    store,
    settings: { ...defaultSettings, ...options.settings },
    clock,
    server: () => server,
  };
  const answer = async (request: Request): Promise<Response> => {
    const url = new URL(request.url);
    const path = url.pathname.slice(youtubePath.length);
    if (path === '/admin' || path === '/admin.json') return answerAdmin(request, path, api);
    switch (`${request.method} ${path}`) {
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
      default:
        return answerApi(request, path, api);
    }
  };
  return Object.assign(answer, {
    useIngest(used: IngestServer) {
      server = used;
      used.requireKeys(ingestApp, (key) => store.get().streams.some((stream) => stream.key === key));
    },
  });
}

/** Google shows a page, without a redirect, if the client or its redirect URI is not registered. */
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

/** Google accepts the parameters of its token endpoint as a form, or in the query. */
async function parametersOf(request: Request): Promise<URLSearchParams> {
  const form = new URLSearchParams(await request.text());
  return form.size > 0 ? form : new URL(request.url).searchParams;
}

function isSame(given: string, expected: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(given), hash(expected));
}

function json(body: object, status = 200): Response {
  return Response.json(body, { status, headers: { 'cache-control': 'no-store' } });
}
