// Lets a request in, or not: whose it is, what they may do, how much of it. The order of refusals is 401, 403, 429.
import type { Caller } from '../operations/context.ts';
import type { Operation } from '../operations/operation.ts';
import { ProblemError } from '../operations/problem-codes.ts';
import type { Scope } from '../operations/scopes.ts';
import { authenticate } from './authenticate.ts';
import { bearerChallenge } from './protected-resource.ts';
import type { ResourcePath } from './protected-resource.ts';
import { countRequest, requestClassOf } from './rate-limits.ts';
import type { Quota } from './rate-limits.ts';
import type { Service } from './service.ts';

export interface Admission {
  /** Null for what needs no credential, and when refused for lack of one. */
  readonly caller: Caller | null;
  /** Null where nothing was counted. */
  readonly quota: Quota | null;
  readonly refusal: ProblemError | null;
}

export interface Applicant {
  /** Null for what is no operation. */
  readonly operation: Operation | null;
  readonly headers: Headers;
  /** The client's IP address. */
  readonly address: string;
}

/** @throws what is not the applicant's fault, such as a database that does not answer */
export async function admit(service: Service, { operation, headers, address }: Applicant): Promise<Admission> {
  if (operation === null || operation.scopes === 'public') return admitAnybody(service, address);
  const identified = await identify(service, { headers, address, resource: '/v1' });
  return identified.caller === null ? identified : admitCaller(service, identified.caller, operation, '/v1');
}

/** Whose request it is; nothing is counted yet but what is refused. @throws as `admit` does */
export async function identify(
  service: Service,
  { headers, address, resource }: Pick<Applicant, 'headers' | 'address'> & { readonly resource: ResourcePath },
): Promise<Admission> {
  try {
    return { caller: await authenticate(service, headers, resource), quota: null, refusal: null };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const quota = await countRequest(service, `address ${address}`, 'refused');
    return {
      caller: null,
      quota,
      refusal: quota.exceeded ? tooMany(quota, 'requests without a valid credential came from this address') : error,
    };
  }
}

/** Whether these scopes are enough. */
export function isAllowed({ scopes: needed }: Pick<Operation, 'scopes'>, scopes: readonly Scope[]): boolean {
  return needed === 'public' || needed.some((scope) => scopes.includes(scope));
}

/** Whether a caller may do this, and this often. */
export async function admitCaller(
  service: Service,
  caller: Caller,
  operation: Operation,
  resource: ResourcePath,
): Promise<Admission> {
  const requestClass = requestClassOf(operation);
  const quota = await countRequest(service, `user ${caller.userID}`, requestClass);
  const refusal = refusalOfScopes(service, caller, operation, resource);
  return { caller, quota, refusal: refusal ?? (quota.exceeded ? tooMany(quota, `${requestClass}s were made`) : null) };
}

/** Null where the caller may do this. */
export function refusalOfScopes(
  service: Service,
  caller: Caller,
  { scopes }: Pick<Operation, 'scopes'>,
  resource: ResourcePath,
): ProblemError | null {
  if (scopes === 'public' || isAllowed({ scopes }, caller.scopes)) return null;
  const detail = `This needs the scope ${scopes.join(' or ')}. Ask the user for it, or use a key that has it.`;
  const headers = { 'www-authenticate': bearerChallenge(new URL(service.baseURL).origin, resource, scopes[0]) };
  return new ProblemError('insufficient_scope', detail, { headers });
}

/** Several calls in one request: each counts. Those that need no caller count for the address. */
export async function admitCalls(
  service: Service,
  caller: Caller | null,
  address: string,
  requestClass: 'read' | 'write',
  calls: number,
): Promise<Admission> {
  if (caller === null) return admitAnybody(service, address, calls);
  const quota = await countRequest(service, `user ${caller.userID}`, requestClass, calls);
  return { caller, quota, refusal: quota.exceeded ? tooMany(quota, `${requestClass}s were made`) : null };
}

/** What needs no credential is also there to say that the database is gone: then nothing is counted. */
async function admitAnybody(service: Service, address: string, calls = 1): Promise<Admission> {
  const quota = await countRequest(service, `address ${address}`, 'read', calls).catch(() => null);
  return { caller: null, quota, refusal: quota?.exceeded ? tooMany(quota, 'requests came from this address') : null };
}

/** What is no operation but belongs to a surface, such as asking what there is, counts as a read. */
export async function admitReader(service: Service, caller: Caller): Promise<Admission> {
  const quota = await countRequest(service, `user ${caller.userID}`, 'read');
  return { caller, quota, refusal: quota.exceeded ? tooMany(quota, 'reads were made') : null };
}

function tooMany({ limit, resetSeconds }: Quota, what: string): ProblemError {
  return new ProblemError(
    'rate_limited',
    `More than ${limit} ${what} within a minute. Come back in ${resetSeconds} seconds.`,
  );
}
