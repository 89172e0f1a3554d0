// The callback of platforms' consent pages: asks the user to confirm, and connects the channel.
// A link to consent can be sent to another person, so the page first names the account, with its whole address: a part
// of it could be chosen to look like the other person's.
import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';
import type { Pool } from 'pg';
import { oneForChannel } from '../data/channels/connections.ts';
import type { Authorization } from '../data/channels/connections.ts';
import { databaseOn, inChange } from '../data/database.ts';
import { boundsOfUser, ChangeRefused } from '../data/shared/change-bounds.ts';
import { newID } from '../data/shared/new-id.ts';
import { destinationKeyPlace } from '../domain/shared/sealed-places.ts';
import { countConsent } from '../orchestration/channels/count-consents.ts';
import { lockMirrorsOf, remirror } from '../orchestration/channels/mirror-stream.ts';
import type { Log } from '../log.ts';
import type { Consents } from '../ports/managed-platforms/consents.ts';
import { PlatformRefusal } from '../ports/managed-platforms/managed-platform.ts';
import type { Sealer } from '../ports/sealer/sealer.ts';
import { boundedBody } from '../surfaces/read-body.ts';
import type { RestHandler } from '../surfaces/rest/rest-handler.ts';
import { smallPageBrand, smallPageStyle } from '../surfaces/small-page.ts';

export interface ConsentCallbackOptions {
  readonly consents: Consents;
  readonly pool: Pool;
  readonly sealer: Sealer;
  readonly log: Log;
}

/** Links, codes and states are far shorter. */
const maxFormBytes = 16 * 1024;
/** The parameters of the callback that the form repeats. */
const keptParameters = ['state', 'code', 'scope', 'iss'] as const;

/** Handles the callback's path. `rest` handles all other requests. */
export function withConsentCallback(rest: RestHandler, options: ConsentCallbackOptions): RestHandler {
  const { pathname: callbackPath } = new URL(options.consents.callbackURL);
  return async (request, address) => {
    const url = new URL(request.url);
    if (url.pathname !== callbackPath) return rest(request, address);
    if (request.method === 'GET') return ask(url.searchParams, options);
    if (request.method === 'POST') return connect(await formOf(request), options);
    return new Response('Only GET and POST.', { status: 405, headers: { allow: 'GET, POST' } });
  };
}

async function ask(parameters: URLSearchParams, options: ConsentCallbackOptions): Promise<Response> {
  const consent = await findConsent(parameters, options);
  if (!consent) return expired();
  const title = options.consents.titleOf(consent.platform);
  if (parameters.has('error') || !parameters.has('code'))
    return page(200, 'Not connected', html`<p>${title} says that nobody consented. Nothing was connected.</p>`);
  const kept = keptParameters.map((name) => {
    const value = parameters.get(name);
    return value === null ? '' : html`<input type="hidden" name="${name}" value="${value}" />`;
  });
  return page(
    200,
    `Connect ${title}?`,
    html`<p>The account of <strong>${consent.email}</strong> will be able to stream to your channel.</p>
      <p>If that is not you, close this page: nothing has been connected.</p>
      <form method="post">${kept}<button>Connect</button></form>`,
  );
}

async function connect(parameters: URLSearchParams, options: ConsentCallbackOptions): Promise<Response> {
  const { connections } = databaseOn(options.pool);
  const consent = await findConsent(parameters, options);
  // Consumed before the exchange, so that a form that is sent twice connects once.
  if (!consent || !(await connections.endConsent(hashOf(parameters, options)))) return expired();
  if (!(await countConsent(databaseOn(options.pool), consent.user_id))) {
    const words = html`<p>Too many channels were connected today. Ask for another link tomorrow.</p>`;
    return page(429, 'Not connected', words);
  }
  try {
    return await complete(parameters, consent, options);
  } catch (error) {
    if (!(error instanceof PlatformRefusal)) throw error;
    const { code, reason } = error;
    options.log('consent_refused', { platform: consent.platform, code, reason });
    const title = options.consents.titleOf(consent.platform);
    const words = html`<p>${title} did not complete it (${reason}). Ask for another link, and try again.</p>`;
    return page(502, 'Not connected', words);
  }
}

async function complete(
  parameters: URLSearchParams,
  consent: Authorization,
  { consents, pool, sealer, log }: ConsentCallbackOptions,
): Promise<Response> {
  const { connections } = databaseOn(pool);
  const { connection_id: id, user_id: userID, platform, return_to: returnTo } = consent;
  const { channel, ...given } = await consents.complete(
    { connectionID: id, platform },
    consent.sealed_verifier,
    parameters,
  );
  const refuse = async (title: string, words: ReturnType<typeof html>) => {
    // A platform may revoke all grants of an account when one is revoked.
    if (!(await connections.hasGrantOf(platform, channel.accountID)))
      await consents.end({ connectionID: id, platform }, given.sealedGrant);
    return page(409, title, words);
  };
  const before = await connections.find(userID, id);
  if (before?.account_id != null && before.account_id !== channel.accountID)
    return refuse(
      'Another channel',
      html`<p>This connection is for ${before.title_cached ?? 'another channel'}. Choose that channel.</p>`,
    );
  const outcome = await inChange(pool, boundsOfUser(userID, true), async (data) => {
    const mirrored = await lockMirrorsOf(data, { connectionID: id });
    if (!(await data.connections.connect({ id, ...given, ...channel }))) return 'disconnected';
    const destinationID = newID('dst', await data.now());
    const sealedStreamKey = sealer.seal('', destinationKeyPlace(destinationID));
    const destination = { id: destinationID, connectionID: id, name: channel.title, sealedStreamKey };
    await data.destinations.insertOfConnection(destination);
    await remirror(data, mirrored, 'reauthorised');
    return 'connected';
  }).catch((error: Error) => {
    if (error instanceof ChangeRefused) return 'busy';
    if ('constraint' in error && error.constraint === oneForChannel) return 'twin';
    throw error;
  });
  if (outcome === 'twin')
    return refuse(
      'Connected already',
      html`<p>${channel.title} is connected to this account already, by another connection.</p>`,
    );
  if (outcome === 'busy')
    return refuse('Not connected', html`<p>Other changes of this account are under way. Ask for another link.</p>`);
  if (outcome === 'disconnected')
    return refuse('Disconnected', html`<p>This connection was deleted meanwhile. Make another.</p>`);
  log('channel_connected', { connectionID: id, platform, state: given.state });
  if (returnTo !== null) {
    const location = new URL(returnTo, consents.callbackURL).href;
    return new Response(null, { status: 303, headers: { location } });
  }
  if (given.state === 'scope_missing')
    return page(
      200,
      'Not all permissions',
      html`<p>A permission is missing. Connect again, and grant every permission.</p>`,
    );
  return page(200, 'Connected', html`<p>${channel.title} is connected. You can close this page.</p>`);
}

/** The consent of the callback; null if the link has expired, or the platform is no longer set up. */
async function findConsent(
  parameters: URLSearchParams,
  options: ConsentCallbackOptions,
): Promise<Authorization | null> {
  const consent = await databaseOn(options.pool).connections.findConsent(hashOf(parameters, options));
  return consent && options.consents.offered.includes(consent.platform) ? consent : null;
}

function hashOf(parameters: URLSearchParams, { consents }: ConsentCallbackOptions): Buffer {
  return consents.hashOf(parameters.get('state') ?? '');
}

async function formOf(request: Request): Promise<URLSearchParams> {
  return new URLSearchParams((await boundedBody(request, maxFormBytes))?.toString());
}

function expired(): Promise<Response> {
  return page(400, 'This link has ended', html`<p>It was used already, or is too old. Ask for another link.</p>`);
}

const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(smallPageStyle).digest('base64')}'`,
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

async function page(status: number, title: string, content: ReturnType<typeof html>): Promise<Response> {
  const text = await html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${raw(smallPageStyle)}</style>
<main>${raw(smallPageBrand)}<h1>${title}</h1>${content}</main>
</html>`;
  return new Response(text, {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'cache-control': 'no-store',
      // The address contains the code.
      'referrer-policy': 'no-referrer',
    },
  });
}
