// Admits or refuses a request: finds its caller, and checks the scopes and the rate limit.
// A request with several faults is refused with 401 before 403, and with 403 before 429.
import type { Caller } from '../../operations/context.ts';
import type { Operation } from '../../operations/operation.ts';
import { ProblemError } from '../../operations/problem-codes.ts';
import type { Scope } from '../../operations/scopes.ts';
import { subjectOfUser } from '../../data/shared/request-windows.ts';
import { databaseOn } from '../../data/database.ts';
import { authenticate } from './authenticate.ts';
import type { Identified } from './authenticate.ts';
import { arrivalOf, countArrival, createCallTimer, tookTooMuch } from './call-time.ts';
import type { Arrival, CallTimer } from './call-time.ts';
import { networkOf } from './networks.ts';
import { bearerChallenge } from './protected-resource.ts';
import type { ResourcePath } from './protected-resource.ts';
import { countRequest, quotaOf, requestClassOf } from './rate-limits.ts';
import type { Quota } from './rate-limits.ts';
import type { Service } from '../service.ts';

export interface Admission {
  /** Null if the request needs no credential, or is refused because it has none. */
  readonly caller: Caller | null;
  /** Null if the request was not counted. */
  readonly quota: Quota | null;
  readonly refusal: ProblemError | null;
  /** Counts the time of the request, also if it is refused; null: it is not counted. */
  readonly time: CallTimer | null;
}

export interface Applicant {
  /** Null if the request names no operation. */
  readonly operation: Operation | null;
  readonly headers: Headers;
  readonly method: string;
  /** The client's IP address. */
  readonly address: string;
}

/**
 * Admits a request to an operation.
 * @throws errors that are not the caller's fault, such as a database that does not answer
 */
export async function admit(service: Service, { operation, headers, method, address }: Applicant): Promise<Admission> {
  if (operation === null || operation.scopes === 'public') return admitAnybody(service, address);
  const arrival = arrivalOf(operation);
  const identified = await identify(service, { headers, method, address, resource: '/v1' }, arrival);
  return identified.caller === null ? identified : admitCaller(service, identified, operation, '/v1');
}

interface Unknown extends Admission {
  readonly caller: null;
  readonly refusal: ProblemError;
}

/**
 * Finds the caller of a request. A refused request counts against the limit of its address.
 * @param arrival counts a request with a key or a session against the limits of its user; null: it is not counted
 * @throws as `admit` does
 */
export async function identify(
  service: Service,
  { headers, method, address, resource }: Omit<Applicant, 'operation'> & { readonly resource: ResourcePath },
  arrival: Arrival | null = null,
): Promise<Identified | Unknown> {
  try {
    return await authenticate(service, { headers, method }, resource, arrival);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const quota = await countRequest(service, subjectOfAddress(address), 'refused');
    const what = 'requests without a valid credential came from this address';
    return { caller: null, quota, refusal: quota.exceeded ? tooMany(quota, what) : error, time: null };
  }
}

/** Whether these scopes are enough for an operation. */
export function isAllowed({ scopes: needed }: Pick<Operation, 'scopes'>, scopes: readonly Scope[]): boolean {
  return needed === 'public' || needed.some((scope) => scopes.includes(scope));
}

/** Counts a call of an operation against the caller's limits, unless it was counted, and checks the caller's scopes. */
export async function admitCaller(
  service: Service,
  identified: Identified,
  operation: Operation,
  resource: ResourcePath,
): Promise<Admission> {
  const admission = await admitCounted(service, identified, arrivalOf(operation));
  const lacking = refusalOfScopes(service, identified.caller, operation, resource);
  return lacking ? { ...admission, refusal: lacking } : admission;
}

/** Counts calls against the caller's limits, unless they were counted. */
async function admitCounted(
  service: Service,
  { caller, credential, window }: Identified,
  arrival: Arrival,
): Promise<Admission> {
  const requestClass = requestClassOf(caller, arrival.kind);
  const calls = { credential, requestClass, arrival };
  const payers = { userID: caller.userID, subjects: [subjectOfUser(caller.userID)] };
  const { requestWindows } = databaseOn(service.pool);
  const counted =
    window ??
    (await countArrival(service, calls, (time) =>
      requestWindows.countCalls(payers, requestClass, arrival.calls, time),
    ));
  const quota = quotaOf(service, requestClass, counted);
  if (counted.used_up !== null) {
    const refusal = tookTooMuch(service, calls, payers, counted);
    return { caller, quota: { ...quota, remaining: 0, exceeded: true }, refusal, time: null };
  }
  const time = createCallTimer(service, payers, calls, counted);
  return { caller, quota, refusal: quota.exceeded ? tooMany(quota, made[requestClass]) : null, time };
}

/** The problem of a caller whose scopes are not enough for an operation; null if they are enough. */
export function refusalOfScopes(
  service: Service,
  caller: Caller,
  { scopes }: Pick<Operation, 'scopes'>,
  resource: ResourcePath,
): ProblemError | null {
  if (scopes === 'public' || isAllowed({ scopes }, caller.scopes)) return null;
  const detail =
    `This operation needs the scope ${scopes.join(' or ')}. Ask the user for this scope, or use an API key that ` +
    'has it.';
  const headers = {
    'www-authenticate': bearerChallenge(new URL(service.baseURL).origin, resource, { lacks: scopes[0] }),
  };
  return new ProblemError('insufficient_scope', detail, { headers });
}

/**
 * Counts the calls of one request, each separately. Any of them may take long.
 * @param identified null: they count against the limit of the address
 */
export async function admitCalls(
  service: Service,
  identified: Identified | null,
  address: string,
  kind: 'read' | 'write',
  calls: number,
): Promise<Admission> {
  if (identified === null) return admitAnybody(service, address, calls);
  return admitCounted(service, identified, { kind, calls, longCalls: calls });
}

/** The subject that counts requests without a credential. A client may use all addresses of its network. */
function subjectOfAddress(address: string): string {
  return `address ${networkOf(address)}`;
}

/**
 * Counts requests that need no credential. If the database does not answer, they are admitted uncounted, because one of
 * them asks for the health of the service.
 */
async function admitAnybody(service: Service, address: string, calls = 1): Promise<Admission> {
  const quota = await countRequest(service, subjectOfAddress(address), 'read', calls).catch(() => null);
  const refusal = quota?.exceeded ? tooMany(quota, 'requests came from this address') : null;
  return { caller: null, quota, refusal, time: null };
}

/** Counts a request that calls no operation, such as a request for the list of MCP tools, as a read. */
export function admitReader(service: Service, identified: Identified): Promise<Admission> {
  return admitCounted(service, identified, { kind: 'read', calls: 1, longCalls: 0 });
}

const made = { read: 'reads were made', write: 'writes were made', page: 'requests were made by your pages' } as const;

function tooMany({ limit, resetSeconds }: Quota, what: string): ProblemError {
  return new ProblemError(
    'rate_limited',
    `More than ${limit} ${what} within a minute. Try again in ${resetSeconds} seconds.`,
  );
}
