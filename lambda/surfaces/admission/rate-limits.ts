// How many requests a user or an address may make in a minute, and the headers that say so.
import { databaseOn } from '../../data/database.ts';
import type { Caller } from '../../operations/context.ts';
import type { Service } from '../service.ts';

/**
 * Requests per minute, before the factor of the stage: reads and writes of a user, requests of an address whose
 * credentials were refused, those of a user's previews, each of which makes thirty, those of a page of 100 posters,
 * each of which is new every four seconds, and those of all web pages that a user has open.
 */
export const requestsPerMinute = {
  read: 1200,
  write: 600,
  refused: 300,
  preview: 300,
  poster: 1800,
  page: 1200,
} as const;

export type RequestClass = keyof typeof requestsPerMinute;

/** What a user or an address has left in the current window of a minute. */
export interface Quota {
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
  readonly exceeded: boolean;
  /** Whether the web page asked by its session: nobody, and no cache, may give the answer to anybody else. */
  readonly isOfPage: boolean;
}

/** What a call counts as: the page of a user takes nothing of what the user's programs may ask, and the reverse. */
export function requestClassOf(caller: Caller, kind: 'read' | 'write'): 'read' | 'write' | 'page' {
  return caller.isOnPage ? 'page' : kind;
}

/** Counts one request or several, in one statement. @param subject names a user or an address */
export async function countRequest(
  service: Service,
  subject: string,
  requestClass: RequestClass,
  count = 1,
): Promise<Quota> {
  const limit = requestsPerMinute[requestClass] * service.rateLimitFactor;
  const { requestWindows } = databaseOn(service.pool);
  const { requests, reset_seconds: resetSeconds } = await requestWindows.count(subject, requestClass, count);
  return {
    limit,
    remaining: Math.max(0, limit - requests),
    resetSeconds,
    exceeded: requests > limit,
    isOfPage: requestClass === 'page',
  };
}

/**
 * The RateLimit headers, which every answer has, and what keeps answers to a session out of caches.
 * @param refused whether the answer refuses the request by this limit; then it has Retry-After as well
 */
export function quotaHeaders(
  { limit, remaining, resetSeconds, isOfPage }: Quota,
  { refused }: { readonly refused: boolean },
): Record<string, string> {
  return {
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(resetSeconds),
    ...(isOfPage ? { 'cache-control': 'private, no-store' } : {}),
    ...(refused ? { 'retry-after': String(resetSeconds) } : {}),
  };
}
