// Admits or refuses a request: finds its caller, and checks the scopes and the rate limit.
// A request with several faults is refused with 401 before 403, and with 403 before 429.
import type { Caller } from '../../operations/context.ts';
import type { Operation } from '../../operations/operation.ts';
import { ProblemError } from '../../operations/problem-codes.ts';
import type { Scope } from '../../operations/scopes.ts';
import { subjectOfUser } from '../../data/shared/request-windows.ts';
import type { RequestWindow } from '../../data/shared/request-windows.ts';
import { authenticate } from './authenticate.ts';
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
  const kind = kindOf(operation);
  const { window, ...identified } = await identify(service, { headers, method, address, resource: '/v1' }, kind);
  const { caller } = identified;
  return caller === null ? identified : admitCaller(service, caller, operation, '/v1', window);
}

export function kindOf({ method }: Operation): 'read' | 'write' {
  return method === 'GET' ? 'read' : 'write';
}

/** An admission, with the window that counts the request of the caller; null: it was not counted. */
type Identification = Admission & { readonly window: RequestWindow | null };

/**
 * Finds the caller of a request. A refused request counts against the limit of its address.
 * @param kind counts a request with a key or a session against the limit of its user; null: it is not counted
 * @throws as `admit` does
 */
export async function identify(
  service: Service,
  { headers, method, address, resource }: Omit<Applicant, 'operation'> & { readonly resource: ResourcePath },
  kind: 'read' | 'write' | null = null,
): Promise<Identification> {
  try {
    return { ...(await authenticate(service, { headers, method }, resource, kind)), quota: null, refusal: null };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const quota = await countRequest(service, subjectOfAddress(address), 'refused');
    const what = 'requests without a valid credential came from this address';
    return { caller: null, window: null, quota, refusal: quota.exceeded ? tooMany(quota, what) : error };
  }
}

/** Whether these scopes are enough for an operation. */
export function isAllowed({ scopes: needed }: Pick<Operation, 'scopes'>, scopes: readonly Scope[]): boolean {
  return needed === 'public' || needed.some((scope) => scopes.includes(scope));
}

/**
 * Counts a call of an operation against the caller's rate limit, and checks the caller's scopes.
 * @param window that has counted the call; null: no window has
 */
export async function admitCaller(
  service: Service,
  caller: Caller,
  operation: Operation,
  resource: ResourcePath,
  window: RequestWindow | null = null,
): Promise<Admission> {
  const requestClass = requestClassOf(caller, kindOf(operation));
  const quota = window
    ? quotaOf(service, requestClass, window)
    : await countRequest(service, subjectOfUser(caller.userID), requestClass);
  const tooOften = quota.exceeded ? tooMany(quota, made[requestClass]) : null;
  return { caller, quota, refusal: refusalOfScopes(service, caller, operation, resource) ?? tooOften };
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

/** Counts the calls of one request, each separately. Without a caller they count against the limit of the address. */
export async function admitCalls(
  service: Service,
  caller: Caller | null,
  address: string,
  kind: 'read' | 'write',
  calls: number,
): Promise<Admission> {
  if (caller === null) return admitAnybody(service, address, calls);
  const requestClass = requestClassOf(caller, kind);
  const quota = await countRequest(service, subjectOfUser(caller.userID), requestClass, calls);
  return { caller, quota, refusal: quota.exceeded ? tooMany(quota, made[requestClass]) : null };
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
  return { caller: null, quota, refusal: quota?.exceeded ? tooMany(quota, 'requests came from this address') : null };
}

/** Counts a request that calls no operation, such as a request for the list of MCP tools, as a read. */
export async function admitReader(service: Service, caller: Caller): Promise<Admission> {
  const quota = await countRequest(service, subjectOfUser(caller.userID), 'read');
  return { caller, quota, refusal: quota.exceeded ? tooMany(quota, made.read) : null };
}

const made = { read: 'reads were made', write: 'writes were made', page: 'requests were made by your pages' } as const;

function tooMany({ limit, resetSeconds }: Quota, what: string): ProblemError {
  return new ProblemError(
    'rate_limited',
    `More than ${limit} ${what} within a minute. Try again in ${resetSeconds} seconds.`,
  );
}
