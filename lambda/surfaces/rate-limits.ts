// How many requests somebody may make a minute, and what their answers say of it.
import { databaseOn } from '../data/database.ts';
import type { Operation } from '../operations/operation.ts';
import type { Service } from './service.ts';

/** Requests per minute: of a caller, by what the operation does, and of an address whose credentials are refused. A stage multiplies them. */
export const requestsPerMinute = { read: 1200, write: 600, refused: 300 } as const;

export type RequestClass = keyof typeof requestsPerMinute;

/** What is left to somebody in the window that runs. */
export interface Quota {
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
  readonly exceeded: boolean;
}

export function requestClassOf(operation: Operation): RequestClass {
  return operation.method === 'GET' ? 'read' : 'write';
}

/** Counts a request, or several at once, in one statement. `subject` names a user or an address. */
export async function countRequest(
  service: Service,
  subject: string,
  requestClass: RequestClass,
  count = 1,
): Promise<Quota> {
  const limit = requestsPerMinute[requestClass] * service.rateLimitFactor;
  const { requests, reset_seconds: resetSeconds } = await databaseOn(service.pool).requestWindows.count(
    subject,
    requestClass,
    count,
  );
  return { limit, remaining: Math.max(0, limit - requests), resetSeconds, exceeded: requests > limit };
}

/** The RateLimit headers of the specification, part 8, on every answer; Retry-After where it is what the answer is about. */
export function quotaHeaders({ limit, remaining, resetSeconds }: Quota, refused: boolean): Record<string, string> {
  return {
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(resetSeconds),
    ...(refused ? { 'retry-after': String(resetSeconds) } : {}),
  };
}
