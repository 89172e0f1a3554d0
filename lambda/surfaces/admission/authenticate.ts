// Finds the user of a request by its credential: an access token, an API key, or the session of the web page.
import { createHash } from 'node:crypto';
import { databaseOn } from '../../data/database.ts';
import type { CountedCall, WindowOfOwner } from '../../data/accounts/users.ts';
import type { CallWindow } from '../../data/shared/request-windows.ts';
import type { Caller } from '../../operations/context.ts';
import { ProblemError } from '../../operations/problem-codes.ts';
import { allScopes } from '../../operations/scopes.ts';
import type { Scope } from '../../operations/scopes.ts';
import { countArrival } from './call-time.ts';
import type { Arrival } from './call-time.ts';
import { isOfOurPage, sessionTokenOf } from './page-sessions.ts';
import type { PageRequest } from './page-sessions.ts';
import { audiencesOf, bearerChallenge } from './protected-resource.ts';
import type { ResourcePath, TokenFault } from './protected-resource.ts';
import { requestClassOf } from './rate-limits.ts';
import type { Service } from '../service.ts';

/** The caller of a request. */
export interface Identified {
  readonly caller: Caller;
  /** Names the credential, and is never shown. */
  readonly credential: string;
  /** The window that counts the request; null: it was not counted. */
  readonly window: CallWindow | null;
}

/** The prefix of every API key. */
export const apiKeyPrefix = 'lss_';

/**
 * The hash of a key, which is stored in place of the key. A plain hash is enough, because keys have 256 random bits.
 */
export function hashApiKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/**
 * Finds the caller of a request. The statement that finds the owner of a key or a session also counts the request.
 * @param resource the part of the API that the request is for; a token is valid for one part or for all of them
 * @param arrival the calls to count; null: they are not counted
 * @throws {ProblemError} unauthenticated
 */
export async function authenticate(
  service: Service,
  request: PageRequest,
  resource: ResourcePath,
  arrival: Arrival | null,
): Promise<Identified> {
  const { headers } = request;
  const apiKey = headers.get('x-api-key');
  const authorization = headers.get('authorization');
  if (apiKey !== null && authorization !== null) throw refusal(service, resource, 'Send one credential, not two.');
  if (authorization !== null) {
    const caller = await callerOfToken(service, authorization, resource);
    return { caller, credential: `token of ${caller.userID}`, window: null };
  }
  if (apiKey !== null) return callerOfKey(service, apiKey, resource, arrival);
  const owner = resource === '/mcp' ? null : await callerOfSession(service, request, arrival);
  if (owner !== null) return owner;
  throw refusal(
    service,
    resource,
    'Send an API key in the header X-API-Key, or an access token as Authorization: Bearer.',
  );
}

async function callerOfKey(
  service: Service,
  apiKey: string,
  resource: ResourcePath,
  arrival: Arrival | null,
): Promise<Identified> {
  const { users } = databaseOn(service.pool);
  const hash = hashApiKey(apiKey);
  const credential = `key ${hash.toString('base64')}`;
  const find = () => counting(service, credential, {}, arrival, (call) => users.ownerOfKey(hash, call));
  const owner = apiKey.startsWith(apiKeyPrefix) ? await find() : null;
  if (!owner) throw refusal(service, resource, 'The API key is not valid.');
  if (!owner.is_use_recorded) await users.recordKeyUse(owner.key_id);
  const scopes = owner.scopes === null ? allScopes : knownScopes(owner.scopes);
  const { user_id: userID, hold } = owner;
  return { caller: { userID, hold, clientID: null, scopes }, credential, window: windowOf(owner) };
}

function windowOf(owner: WindowOfOwner): CallWindow | null {
  return owner.requests === null ? null : owner;
}

/** Finds the owner of a credential. @param find counts the call, or none */
function counting<Found>(
  service: Service,
  credential: string,
  caller: Pick<Caller, 'isOnPage'>,
  arrival: Arrival | null,
  find: (call: CountedCall | null) => Promise<Found>,
): Promise<Found> {
  if (arrival === null) return find(null);
  const requestClass = requestClassOf(caller, arrival.kind);
  return countArrival(service, { credential, requestClass, arrival }, (time) => find({ requestClass, time }));
}

/**
 * Finds the caller by the session of the web page; null if the request does not come from the page, or without a
 * session.
 */
async function callerOfSession(
  service: Service,
  request: PageRequest,
  arrival: Arrival | null,
): Promise<Identified | null> {
  const { origin } = new URL(service.baseURL);
  const token = sessionTokenOf(request.headers, origin, service.serviceSecret);
  if (token === null || !isOfOurPage(request, origin)) return null;
  const { users } = databaseOn(service.pool);
  const credential = `session ${token}`;
  const owner = await counting(service, credential, { isOnPage: true }, arrival, (call) =>
    users.ownerOfSession(token, call),
  );
  if (!owner) return null;
  const { user_id: userID, hold } = owner;
  const caller = { userID, hold, clientID: null, scopes: allScopes, isOnPage: true } as const;
  return { caller, credential, window: windowOf(owner) };
}

async function callerOfToken(service: Service, authorization: string, resource: ResourcePath): Promise<Caller> {
  const token = /^Bearer +([\w~+/.-]+=*)$/i.exec(authorization)?.[1];
  // A request of another scheme presents no token (RFC 6750, section 3.1).
  const fault = /^Bearer\b/i.test(authorization) ? 'invalid' : null;
  const audiences = audiencesOf(new URL(service.baseURL).origin, resource);
  const verified = token === undefined ? null : await service.accessTokens.verify(token, audiences);
  if (!verified)
    throw refusal(
      service,
      resource,
      'The access token is not valid: it may have expired, been revoked, or be for another part of the API. Get ' +
        'a new one.',
      fault,
    );
  return { userID: verified.userID, clientID: verified.clientID, scopes: knownScopes(verified.scopes) };
}

/** A refusal with 401. Its header names the metadata that describes how to get a token (RFC 9728). */
function refusal(service: Service, resource: ResourcePath, detail: string, fault: TokenFault = null): ProblemError {
  return new ProblemError('unauthenticated', detail, {
    headers: { 'www-authenticate': bearerChallenge(new URL(service.baseURL).origin, resource, fault) },
  });
}

/** The granted scopes that operations know. Tokens may also carry others, such as openid. */
function knownScopes(granted: readonly string[]): Scope[] {
  return allScopes.filter((scope) => granted.includes(scope));
}
