// `loop login` and `loop logout`: by a device code (RFC 8628), which the user confirms in a browser, or by a key.
import { hostname } from 'node:os';
import * as oauth from 'openid-client';
import { configurationOf, signInFailure, tokensOf, withoutSlash } from './access.ts';
import type { SignIn } from './access.ts';
import { createClient } from './client.ts';
import { LoopFailure } from './failure.ts';
import { forgetFile, keepFile, readKept } from './kept-files.ts';
import type { Printer } from './terminal.ts';

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

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
  const options = { algorithm: 'oauth2' as const, execute: [oauth.allowInsecureRequests] };
  const failed = (error: unknown): never => {
    throw signInFailure(origin, error);
  };
  const config = await oauth
    .dynamicClientRegistration(new URL(origin), clientMetadata(), oauth.None(), options)
    .catch(failed);
  const server = config.serverMetadata();
  if (server.device_authorization_endpoint === undefined)
    throw new LoopFailure('refused', `${origin} has no sign-in by device code. Use a key: loop login --with-key`);
  const asked = { scope: `${scope} offline_access`, resource: apiURL };
  const device = await oauth.initiateDeviceAuthorization(config, asked).catch(failed);
  printer.note(`Open ${device.verification_uri_complete}\nand confirm the code ${device.user_code}.`);
  const answer = await pollToken(origin, config, device);
  const signIn: SignIn = {
    apiURL,
    clientID: config.clientMetadata().client_id,
    tokenURL: server.token_endpoint!,
    revocationURL: server.revocation_endpoint!,
    ...tokensOf(answer),
  };
  await keepFile(file, signIn);
  const client = createClient({ apiURL, headers: async () => ({ authorization: `Bearer ${answer.access_token}` }) });
  return (await client.call<{ email: string }>('GET', '/me')).email;
}

const clientMetadata = () => ({
  client_name: `loop on ${hostname()}`.slice(0, 100),
  application_type: 'native',
  token_endpoint_auth_method: 'none',
  grant_types: [deviceGrant, 'refresh_token'],
  response_types: [],
});

/** Forgets the sign-in, also at the platform. @returns the address of the platform; null: there was no sign-in */
export async function logout(file: string): Promise<string | null> {
  const signIn = await readKept<SignIn>(file);
  await forgetFile(file);
  // If the platform is away, the token ends by itself; this computer has forgotten it anyway.
  if (signIn && 'refreshToken' in signIn)
    await oauth.tokenRevocation(await configurationOf(signIn), signIn.refreshToken).catch(() => null);
  return signIn?.apiURL ?? null;
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
