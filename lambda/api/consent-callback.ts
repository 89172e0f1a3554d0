// Where a platform's consent page sends people back to: asks whether to connect, and connects.
// A link to consent can be sent to anybody. So the page first says whose account gets the channel.
import { html } from 'hono/html';
import type { Pool } from 'pg';
import { createHash } from 'node:crypto';
import { databaseOn } from '../data/database.ts';
import type { Authorization } from '../data/connections.ts';
import { verifierPlace } from '../domain/sealed-places.ts';
import { stateOfGrant } from '../domain/managed-platforms.ts';
import type { Log } from '../log.ts';
import type { Context } from '../operations/context.ts';
import { hashOfState } from '../operations/connections/connection-schema.ts';
import { sealGrant } from '../orchestration/sealed-grant.ts';
import type { ManagedPlatform } from '../ports/managed-platforms/managed-platform.ts';
import { PlatformRefusal } from '../ports/managed-platforms/managed-platform.ts';
import type { Sealer } from '../ports/sealer/sealer.ts';
import type { RestHandler } from '../surfaces/rest/rest-handler.ts';

export interface ConsentCallbackOptions {
  readonly managed: Context['managed'];
  readonly pool: Pool;
  readonly sealer: Sealer;
  readonly log: Log;
}

/** Links, codes and states are far shorter. */
const maxFormBytes = 16 * 1024;

/** Answers people who come back at the callback's path. `rest` answers all other requests. */
export function withConsentCallback(rest: RestHandler, options: ConsentCallbackOptions): RestHandler {
  const { pathname: callbackPath } = new URL(options.managed.redirectURI);
  return async (request, address) => {
    const url = new URL(request.url);
    if (url.pathname !== callbackPath) return rest(request, address);
    if (request.method === 'GET') return ask(url.searchParams, options);
    if (request.method === 'POST') return connect(await formOf(request), options);
    return new Response('Only GET and POST.', { status: 405, headers: { allow: 'GET, POST' } });
  };
}

async function ask(parameters: URLSearchParams, options: ConsentCallbackOptions): Promise<Response> {
  const asked = await findConsent(parameters, options);
  if (!asked) return expired();
  const { consent, platform } = asked;
  if (parameters.has('error') || !parameters.has('code'))
    return page(
      200,
      'Not connected',
      html`<p>${platform.title} says that nobody consented. Nothing was connected.</p>`,
    );
  const kept = ['state', 'code', 'scope', 'iss'].flatMap((name) => {
    const value = parameters.get(name);
    return value === null ? [] : [html`<input type="hidden" name="${name}" value="${value}" />`];
  });
  return page(
    200,
    `Connect ${platform.title}?`,
    html`<p>The account of <strong>${masked(consent.email)}</strong> will be able to stream to your channel.</p>
      <p>If that is not you, close this page: nothing has been connected.</p>
      <form method="post">${kept}<button>Connect</button></form>`,
  );
}

async function connect(parameters: URLSearchParams, options: ConsentCallbackOptions): Promise<Response> {
  const asked = await findConsent(parameters, options);
  const connections = databaseOn(options.pool).connections;
  // Used up before it is exchanged, so that a form which is sent twice connects once.
  if (!asked || !(await connections.endConsent(hashOf(parameters)))) return expired();
  const { consent, platform } = asked;
  try {
    return await exchange(parameters, consent, platform, options);
  } catch (error) {
    if (!(error instanceof PlatformRefusal)) throw error;
    options.log('consent_refused', { platform: platform.name, code: error.code, reason: error.reason });
    const words = html`<p>${platform.title} did not complete it (${error.reason}). Ask for another link, and try again.</p>`;
    return page(502, 'Not connected', words);
  }
}

async function exchange(
  parameters: URLSearchParams,
  consent: Authorization,
  platform: ManagedPlatform,
  { managed, pool, sealer, log }: ConsentCallbackOptions,
): Promise<Response> {
  const { connections } = databaseOn(pool);
  const { connection_id: id, user_id: userID } = consent;
  const verifier = sealer.open(consent.sealed_verifier, verifierPlace(id));
  const grant = await platform.exchange({ parameters, verifier, redirectURI: managed.redirectURI });
  const state = stateOfGrant(platform.scopes, grant.scopes);
  const channel = await platform.channel(grant.accessToken);
  const before = await connections.find(userID, id);
  if (before?.account_id != null && before.account_id !== channel.accountID) {
    await platform.revoke(grant);
    const words = html`<p>This connection is for ${before.title_cached ?? 'another channel'}. Choose that channel.</p>`;
    return page(409, 'Another channel', words);
  }
  if (await connections.findTwin(id, channel.accountID)) {
    const words = html`<p>${channel.title} is connected to this account already, by another connection.</p>`;
    return page(409, 'Connected already', words);
  }
  await connections.connect({
    id,
    state,
    accountID: channel.accountID,
    title: channel.title,
    liveURL: channel.liveURL,
    sealedGrant: sealGrant(sealer, id, grant),
    scopes: grant.scopes,
  });
  log('channel_connected', { connectionID: id, platform: platform.name, state });
  if (consent.return_to !== null) {
    const location = new URL(consent.return_to, managed.redirectURI).href;
    return new Response(null, { status: 303, headers: { location } });
  }
  if (state === 'scope_missing')
    return page(200, 'Not all rights', html`<p>A right is missing. Connect again, and leave every box ticked.</p>`);
  return page(200, 'Connected', html`<p>${channel.title} is connected. You can close this page.</p>`);
}

async function findConsent(parameters: URLSearchParams, { managed, pool }: ConsentCallbackOptions) {
  const consent = await databaseOn(pool).connections.findConsent(hashOf(parameters));
  const platform = consent && managed.platforms[consent.platform];
  return consent && platform ? { consent, platform } : null;
}

const hashOf = (parameters: URLSearchParams) => hashOfState(parameters.get('state') ?? '');

/** a…@example.org: enough to know one's own address, and little to learn of another's. */
function masked(email: string): string {
  const at = email.lastIndexOf('@');
  return `${[...email][0]}…${email.slice(at)}`;
}

async function formOf(request: Request): Promise<URLSearchParams> {
  const text = await request.text();
  return new URLSearchParams(text.length > maxFormBytes ? '' : text);
}

function expired(): Promise<Response> {
  return page(400, 'This link has ended', html`<p>It was used already, or is too old. Ask for another link.</p>`);
}

const style =
  ':root{color-scheme:light dark;font:16px/1.5 system-ui}main{max-width:32rem;margin:10vh auto;padding:0 1rem}button{font:inherit;padding:.4rem 1.2rem}';
const styleHash = createHash('sha256').update(style).digest('base64');

async function page(status: number, title: string, content: ReturnType<typeof html>): Promise<Response> {
  const text =
    await html`<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${style}</style><main><h1>${title}</h1>${content}</main></html>`;
  const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`;
  return new Response(text, {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'cache-control': 'no-store',
      // The address has the code in it.
      'referrer-policy': 'no-referrer',
    },
  });
}
