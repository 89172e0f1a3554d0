// Lets a request in, or not: whose it is, what they may do, how much of it. The order of refusals is 401, 403, 429.
import type { Caller } from '../operations/context.ts';
import type { Operation } from '../operations/operation.ts';
import { ProblemError } from '../operations/problem-codes.ts';
import { authenticate } from './authenticate.ts';
import { countRequest, requestClassOf } from './rate-limits.ts';
import type { Quota } from './rate-limits.ts';
import type { Service } from './service.ts';

export interface Admission {
  /** Null for what needs no credential, and when refused for lack of one. */
  readonly caller: Caller | null;
  /** Null only where nothing could be counted. */
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
  const { scopes } = operation;
  let caller: Caller;
  try {
    caller = await authenticate(service, headers);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const quota = await countRequest(service, `address ${address}`, 'refused');
    return { caller: null, quota, refusal: quota.exceeded ? tooMany(quota, 'requests without a valid credential came from this address') : error };
  }
  const quota = await countRequest(service, `user ${caller.userID}`, requestClassOf(operation));
  if (!scopes.some((scope) => caller.scopes.includes(scope))) {
    const detail = `The access token lacks the scope ${scopes.join(' or ')}. Ask the user to grant it.`;
    return { caller, quota, refusal: new ProblemError('insufficient_scope', detail) };
  }
  return { caller, quota, refusal: quota.exceeded ? tooMany(quota, `${requestClassOf(operation)}s were made`) : null };
}

/** What needs no credential is also there to say that the database is gone: then nothing is counted. */
async function admitAnybody(service: Service, address: string): Promise<Admission> {
  const quota = await countRequest(service, `address ${address}`, 'read').catch(() => null);
  return { caller: null, quota, refusal: quota?.exceeded ? tooMany(quota, 'requests came from this address') : null };
}

function tooMany({ limit, resetSeconds }: Quota, what: string): ProblemError {
  return new ProblemError('rate_limited', `More than ${limit} ${what} within a minute. Come back in ${resetSeconds} seconds.`);
}
