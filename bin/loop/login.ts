// `loop login` and `loop logout`: by a device code (RFC 8628), which the user confirms in a browser, or by a key.
import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { tokensOf, withoutSlash } from './access.ts';
import type { SignIn, TokenAnswer } from './access.ts';
import { createClient } from './client.ts';
import { LoopFailure } from './failure.ts';
import { forgetFile, keepFile, readKept } from './kept-files.ts';
import type { Printer } from './terminal.ts';

interface Metadata {
  readonly token_endpoint: string;
  readonly registration_endpoint: string;
  readonly revocation_endpoint: string;
  readonly device_authorization_endpoint?: string;
}

interface DeviceAnswer {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
  readonly expires_in: number;
  readonly interval: number;
}

interface OAuthRefusal {
  readonly error?: string;
  readonly error_description?: string;
}

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
/** RFC 8628, section 3.5: a client waits this much longer after each answer slow_down. */
const slowDownSeconds = 5;

/** The base URL of the API for an address that a user gave: the site's, or the API's. @throws {LoopFailure} */
export function apiURLOf(given: string): string {
  const url = URL.parse(/^\w+:\/\//.test(given) ? given : `https://${given}`);
  if (!url || !['https:', 'http:'].includes(url.protocol)) throw new LoopFailure('usage', `${given} is no address.`);
  return withoutSlash(url.pathname === '/' ? `${url.origin}/v1` : url.href);
}

/** Keeps a key, if the platform accepts it. @throws {LoopFailure} */
export async function loginByKey(apiURL: string, apiKey: string, file: string): Promise<string> {
  const client = createClient({ apiURL, headers: async () => ({ 'x-api-key': apiKey }) });
  const { email } = await client.call<{ email: string }>('GET', '/me');
  await keepFile(file, { apiURL, apiKey } satisfies SignIn);
  return email;
}

/** Waits until the user has confirmed the code in a browser. @throws {LoopFailure} if they refuse, or it expires */
export async function loginByDevice(apiURL: string, scope: string, file: string, printer: Printer): Promise<string> {
  const { origin } = new URL(apiURL);
  const metadata = await read<Metadata>(`${origin}/.well-known/oauth-authorization-server`);
  const deviceURL = metadata.device_authorization_endpoint;
  if (deviceURL === undefined)
    throw new LoopFailure('refused', `${origin} has no sign-in by device code. Use a key: loop login --with-key`);
  const { client_id: clientID } = await post<{ client_id: string }>(
    metadata.registration_endpoint,
    JSON.stringify({
      client_name: `loop on ${hostname()}`.slice(0, 100),
      application_type: 'native',
      token_endpoint_auth_method: 'none',
      grant_types: [deviceGrant, 'refresh_token'],
      response_types: [],
    }),
  );
  const asked = { client_id: clientID, scope: `${scope} offline_access`, resource: apiURL };
  const device = await post<DeviceAnswer>(deviceURL, new URLSearchParams(asked));
  printer.settle();
  process.stderr.write(`Open ${device.verification_uri_complete}\nand confirm the code ${device.user_code}.\n`);
  const answer = await pollToken(metadata.token_endpoint, clientID, device);
  const signIn: SignIn = {
    apiURL,
    clientID,
    tokenURL: metadata.token_endpoint,
    revocationURL: metadata.revocation_endpoint,
    ...tokensOf(answer),
  };
  await keepFile(file, signIn);
  const client = createClient({ apiURL, headers: async () => ({ authorization: `Bearer ${answer.access_token}` }) });
  return (await client.call<{ email: string }>('GET', '/me')).email;
}

/** Forgets the sign-in, also at the platform. @returns the address of the platform; null: there was no sign-in */
export async function logout(file: string): Promise<string | null> {
  const signIn = await readKept<SignIn>(file);
  await forgetFile(file);
  if (signIn && 'refreshToken' in signIn) {
    const body = new URLSearchParams({ token: signIn.refreshToken, client_id: signIn.clientID });
    // If the platform is away, the token ends by itself; this computer has forgotten it anyway.
    await fetch(signIn.revocationURL, { method: 'POST', body }).catch(() => null);
  }
  return signIn?.apiURL ?? null;
}

async function pollToken(tokenURL: string, clientID: string, device: DeviceAnswer): Promise<TokenAnswer> {
  const deadline = performance.now() + device.expires_in * 1000;
  let pauseSeconds = device.interval;
  const body = new URLSearchParams({ grant_type: deviceGrant, device_code: device.device_code, client_id: clientID });
  while (performance.now() < deadline) {
    await setTimeout(pauseSeconds * 1000);
    const response = await fetch(tokenURL, { method: 'POST', body }).catch(() => null);
    const answer = (await response?.json().catch(() => null)) as (TokenAnswer & OAuthRefusal) | null | undefined;
    if (response?.ok && answer) return answer;
    const error = answer?.error;
    if (error === 'slow_down') pauseSeconds += slowDownSeconds;
    if (error === 'access_denied') throw new LoopFailure('not_signed_in', 'You refused the sign-in in the browser.');
    if (error === 'expired_token' || error === 'invalid_grant') break;
  }
  throw new LoopFailure('too_late', 'The code has expired. Begin again: loop login');
}

async function read<Answer>(url: string): Promise<Answer> {
  const response = await fetch(url).catch(() => null);
  if (!response?.ok) throw new LoopFailure('unreachable', `${url} does not answer as a platform. Check the address.`);
  return (await response.json()) as Answer;
}

async function post<Answer>(url: string, body: string | URLSearchParams): Promise<Answer> {
  const headers = typeof body === 'string' ? { 'content-type': 'application/json' } : undefined;
  const response = await fetch(url, { method: 'POST', body, ...(headers && { headers }) }).catch(() => null);
  if (response === null) throw new LoopFailure('unreachable', `${url} does not answer. Try again in a moment.`);
  const answer = (await response.json().catch(() => null)) as (Answer & OAuthRefusal) | null;
  if (response.ok && answer) return answer;
  const kind = response.status === 429 || response.status >= 500 ? 'unreachable' : 'refused';
  throw new LoopFailure(kind, answer?.error_description ?? `The sign-in was refused with status ${response.status}.`);
}
