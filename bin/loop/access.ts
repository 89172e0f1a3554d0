// The platform that `loop` talks to, and the credential that it shows there.
import { statSync } from 'node:fs';
import { mkdir, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Configuration, ResponseBodyError, TokenEndpointResponse } from 'openid-client';
import type { ConnectionFile } from '../local/data-folder.ts';
import { isLocalRun } from '../local/local-run-process.ts';
import type { Access } from './client.ts';
import { LoopFailure } from './failure.ts';
import type { FailureKind } from './failure.ts';
import { keepFile, readKept, signInFile } from './kept-files.ts';
import type { Environment } from './session.ts';

/** A sign-in by a key, or by a device code. */
export type SignIn = { readonly apiURL: string } & (
  | { readonly apiKey: string }
  | {
      readonly clientID: string;
      /** Addresses that refresh and revoke tokens. */
      readonly tokenURL: string;
      readonly revocationURL: string;
      readonly refreshToken: string;
      readonly accessToken: string;
      readonly expiresAtMs: number;
    }
);

type Tokens = Extract<SignIn, { clientID: string }>;

/** A token that expires sooner than this is refreshed. */
const marginMs = 60_000;
/** Longest time that another process needs for a refresh; an older lock is of a process that was killed. */
const lockMs = 15_000;

const clone = join(import.meta.dirname, '../..');

/**
 * The platform in the order: the environment, the sign-in, a local run in this folder or in this clone.
 * @throws {LoopFailure} if there is none
 */
export async function findAccess(environment: Environment): Promise<Access> {
  const { LOOP_API_URL: url, LOOP_API_KEY: key } = environment;
  const file = signInFile(environment);
  const signIn = await readKept<SignIn>(file);
  const local = key && url ? null : await readLocalRun();
  if (key) {
    const apiURL = url ?? signIn?.apiURL ?? local?.apiURL;
    if (apiURL) return byKey(apiURL, key);
    throw new LoopFailure('not_signed_in', 'LOOP_API_KEY is set, but not LOOP_API_URL, such as https://HOST/v1.');
  }
  if (signIn && (url === undefined || withoutSlash(url) === signIn.apiURL)) return accessOf(signIn, file);
  if (url !== undefined)
    throw new LoopFailure('not_signed_in', `You are not signed in at ${url}: loop login, or set LOOP_API_KEY.`);
  if (local) return byKey(local.apiURL, local.apiKey);
  throw new LoopFailure(
    'not_signed_in',
    'You are not signed in: loop login --url https://HOST. A running `npm start` in this folder needs no sign-in.',
  );
}

/** The address of the platform to sign in at. @throws {LoopFailure} if there is none */
export async function findAddress(environment: Environment): Promise<string> {
  const signIn = await readKept<SignIn>(signInFile(environment));
  const apiURL = environment['LOOP_API_URL'] ?? signIn?.apiURL ?? (await readLocalRun())?.apiURL;
  if (apiURL !== undefined) return withoutSlash(apiURL);
  throw new LoopFailure('usage', 'The address of the platform is missing: loop login --url https://HOST');
}

export const withoutSlash = (url: string): string => url.replace(/\/+$/, '');

/** @param file that of the sign-in, which gets new tokens */
export function accessOf(signIn: SignIn, file: string): Access {
  if ('apiKey' in signIn) return byKey(signIn.apiURL, signIn.apiKey);
  let current: Tokens = signIn;
  return {
    apiURL: signIn.apiURL,
    async headers() {
      if (current.expiresAtMs - Date.now() < marginMs) current = await refresh(current, file);
      return { authorization: `Bearer ${current.accessToken}` };
    },
  };
}

function byKey(apiURL: string, key: string): Access {
  return { apiURL: withoutSlash(apiURL), headers: async () => ({ 'x-api-key': key }) };
}

/** A refresh token works once, so processes take turns, and the second one finds the tokens of the first. */
async function refresh(seen: Tokens, file: string): Promise<Tokens> {
  await using _lock = await lock(`${file}.lock`);
  const kept = await readKept<SignIn>(file);
  if (!kept || 'apiKey' in kept || kept.clientID !== seen.clientID)
    throw new LoopFailure('not_signed_in', 'The sign-in has changed meanwhile. Try again.');
  if (kept.expiresAtMs - Date.now() >= marginMs) return kept;
  const { refreshTokenGrant } = await import('openid-client');
  const configuration = await configurationOf(kept);
  const answer = await refreshTokenGrant(configuration, kept.refreshToken).catch(failedAt(kept.tokenURL));
  const tokens = { ...kept, ...tokensOf(answer, kept.refreshToken) };
  await keepFile(file, tokens);
  return tokens;
}

/** The authorization server of a sign-in, for requests of its client. */
export async function configurationOf(tokens: Tokens): Promise<Configuration> {
  // Few commands need it.
  const { allowInsecureRequests, Configuration, None } = await import('openid-client');
  const { apiURL, clientID, tokenURL, revocationURL } = tokens;
  const server = { issuer: new URL(apiURL).origin, token_endpoint: tokenURL, revocation_endpoint: revocationURL };
  const configuration = new Configuration(server, clientID, undefined, None());
  allowInsecureRequests(configuration);
  return configuration;
}

const refusals: Readonly<Record<string, readonly [FailureKind, string]>> = {
  access_denied: ['not_signed_in', 'You refused the sign-in in the browser.'],
  expired_token: ['too_late', 'The code has expired. Begin again: loop login'],
  invalid_grant: ['not_signed_in', 'Your sign-in has ended. Sign in again: loop login'],
};

/** @param place the address that was asked @param fault an error of the library of OAuth */
export function signInFailure(place: string, fault: unknown): LoopFailure {
  const { status = 500, error, error_description: reason } = fault as Partial<ResponseBodyError>;
  if (error === undefined || status >= 500 || status === 429)
    return new LoopFailure('unreachable', `${place} does not answer as a platform. Check the address, or try again.`);
  return new LoopFailure(...(refusals[error] ?? ['refused', reason ?? `The sign-in was refused: ${error}.`]));
}

export function failedAt(place: string): (fault: unknown) => never {
  return (fault) => {
    throw signInFailure(place, fault);
  };
}

/** @param refreshToken the former one, which stays if the answer has none */
export function tokensOf(answer: TokenEndpointResponse, refreshToken = '') {
  const { access_token: accessToken, expires_in: seconds = 0, refresh_token: next = refreshToken } = answer;
  return { accessToken, refreshToken: next, expiresAtMs: Date.now() + seconds * 1000 };
}

async function lock(path: string): Promise<AsyncDisposable> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  for (;;) {
    const fault: unknown = await mkdir(path).catch((error: unknown) => error);
    if (fault === undefined) return { [Symbol.asyncDispose]: () => rmdir(path) };
    const sinceMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - sinceMs > lockMs) await rmdir(path).catch(() => {});
    else await setTimeout(50);
  }
}

/** The local run in this folder, else in the clone that `loop` belongs to. */
async function readLocalRun(): Promise<ConnectionFile | null> {
  for (const folder of [process.cwd(), clone]) {
    const connection = await readKept<ConnectionFile>(join(folder, '.local/connection.json'));
    if (connection && (await isLocalRun(connection.pid))) return connection;
  }
  return null;
}
