// `loop login` and `loop logout`: by a device code (RFC 8628), which the user confirms in a browser, or by a key.
import { rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import * as oauth from 'openid-client';
import { accessOf, configurationOf, failedAt, findAddress, signInFailure, tokensOf, withoutSlash } from './access.ts';
import type { SignIn } from './access.ts';
import { createClient } from './client.ts';
import { LoopFailure } from './failure.ts';
import { keepFile, readKept, signInFile } from './kept-files.ts';
import type { Environment } from './session.ts';
import { readSecret } from './terminal.ts';
import type { Printer } from './terminal.ts';

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

/** The base URL of the API for an address that a user gave: the site's, or the API's. @throws {LoopFailure} */
function apiURLOf(given: string): string {
  const url = URL.parse(/^\w+:\/\//.test(given) ? given : `https://${given}`);
  if (!url || !['https:', 'http:'].includes(url.protocol)) throw new LoopFailure('usage', `${given} is no address.`);
  return withoutSlash(url.pathname === '/' ? `${url.origin}/v1` : url.href);
}

export interface LoginOptions {
  /** Address of the platform; undefined: the known one. */
  readonly url?: string;
  readonly withKey?: true;
  readonly scope: readonly string[];
}

/** Keeps a key if the platform accepts it, or the tokens of a confirmed code. @throws {LoopFailure} */
export async function login(environment: Environment, printer: Printer, options: LoginOptions): Promise<void> {
  const apiURL = options.url ? apiURLOf(options.url) : await findAddress(environment);
  const file = signInFile(environment);
  const signIn = options.withKey
    ? { apiURL, apiKey: await readSecret('API key') }
    : await signInByDevice(apiURL, options.scope.join(' '), printer);
  if (!options.withKey) await keepFile(file, signIn);
  const { email } = await createClient(accessOf(signIn, file)).call<{ email: string }>('GET', '/me');
  if (options.withKey) await keepFile(file, signIn);
  printer.answer({ apiURL, email }, { lines: [`You are signed in at ${apiURL} as ${email}.`] });
}

/** Waits until the user has confirmed the code in a browser. @throws {LoopFailure} if they refuse, or it expires */
async function signInByDevice(apiURL: string, scope: string, printer: Printer): Promise<SignIn> {
  const { origin } = new URL(apiURL);
  const options = { algorithm: 'oauth2' as const, execute: [oauth.allowInsecureRequests] };
  const failed = failedAt(origin);
  const config = await oauth
    .dynamicClientRegistration(new URL(origin), clientMetadata(), oauth.None(), options)
    .catch(failed);
  const server = config.serverMetadata();
  if (server.device_authorization_endpoint === undefined)
    throw new LoopFailure('refused', `${origin} has no sign-in by device code. Use a key: loop login --with-key`);
  const asked = { scope: `${scope} offline_access`, resource: apiURL };
  const device = await oauth.initiateDeviceAuthorization(config, asked).catch(failed);
  printer.note(`Open ${device.verification_uri_complete}\nand confirm the code ${device.user_code}.`);
  return {
    apiURL,
    clientID: config.clientMetadata().client_id,
    tokenURL: server.token_endpoint!,
    revocationURL: server.revocation_endpoint!,
    ...tokensOf(await pollToken(origin, config, device)),
  };
}

const clientMetadata = () => ({
  client_name: `loop on ${hostname()}`.slice(0, 100),
  application_type: 'native',
  token_endpoint_auth_method: 'none',
  grant_types: [deviceGrant, 'refresh_token'],
  response_types: [],
});

/** Forgets the sign-in, also at the platform. */
export async function logout(environment: Environment, printer: Printer): Promise<void> {
  const file = signInFile(environment);
  const signIn = await readKept<SignIn>(file);
  await rm(file, { force: true });
  // If the platform is away, the token ends by itself; this computer has forgotten it anyway.
  if (signIn && 'refreshToken' in signIn)
    await oauth.tokenRevocation(await configurationOf(signIn), signIn.refreshToken).catch(() => null);
  const line = signIn ? `You are signed out of ${signIn.apiURL}.` : 'There was no sign-in here.';
  printer.answer({ apiURL: signIn?.apiURL ?? null }, { lines: [line] });
}

/** A network or a platform that is away for a moment does not end the wait. */
async function pollToken(
  origin: string,
  config: oauth.Configuration,
  device: oauth.DeviceAuthorizationResponse,
): Promise<oauth.TokenEndpointResponse> {
  const signal = AbortSignal.timeout(device.expires_in * 1000);
  while (!signal.aborted)
    try {
      return await oauth.pollDeviceAuthorizationGrant(config, device, undefined, { signal });
    } catch (error) {
      const failure = signInFailure(origin, error);
      if (failure.kind !== 'unreachable') throw failure;
    }
  throw new LoopFailure('too_late', 'The code has expired. Begin again: loop login');
}
