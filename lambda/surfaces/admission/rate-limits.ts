// Limits of requests per minute for users and addresses, and the headers that report them.
import { databaseOn } from '../../data/database.ts';
import type { RequestWindow } from '../../data/shared/request-windows.ts';
import type { Caller } from '../../operations/context.ts';
import type { Service } from '../service.ts';

/**
 * Requests per minute, before the factor of the stage. read, write: of a user. refused: of an address whose credentials
 * were refused. preview: of a user's previews, with 30 requests per minute each. poster: of a page of 100 posters,
 * which change every four seconds. page: of all web pages that a user has open. guest: of a guest at a guide link. ask,
 * offer: of all guests of a link, for an item, and for the list of items.
 */
export const requestsPerMinute = {
  read: 1200,
  write: 600,
  refused: 300,
  preview: 300,
  poster: 1800,
  page: 1200,
  guest: 60,
  ask: 100,
  offer: 300,
} as const;

/**
 * Milliseconds of a processor per minute that plans of a user take, before the factor of the stage. planning: for reads
 * of the user. changes: for starts and other changes, which reads must not keep from planning. Decision D260.
 */
export const planningMsPerMinute = { planning: 30_000, changes: 30_000 } as const;

export type RequestClass = keyof typeof requestsPerMinute;
export type PlanningClass = keyof typeof planningMsPerMinute;

const limits = { ...requestsPerMinute, ...planningMsPerMinute };

/** The remaining requests of a user or an address in the current window of one minute. */
export interface Quota {
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
  readonly exceeded: boolean;
  /** Whether the web page sent the request with its session. If so, caches must not store the answer. */
  readonly isOfPage: boolean;
}

/** The limit that a call counts against: the web page of a user and the user's programs have separate limits. */
export function requestClassOf(caller: Pick<Caller, 'isOnPage'>, kind: 'read' | 'write'): 'read' | 'write' | 'page' {
  return caller.isOnPage ? 'page' : kind;
}

/**
 * Counts one or more requests, or milliseconds of planning, in one statement.
 * @param subject names a user or an address
 */
export async function countRequest(
  service: Service,
  subject: string,
  requestClass: RequestClass | PlanningClass,
  count = 1,
): Promise<Quota> {
  return quotaOf(
    service,
    requestClass,
    await databaseOn(service.pool).requestWindows.count(subject, requestClass, count),
  );
}

/** The quota of a window that has counted the request. */
export function quotaOf(
  { settings }: Service,
  requestClass: RequestClass | PlanningClass,
  { requests, reset_seconds: resetSeconds }: RequestWindow,
): Quota {
  const limit = limits[requestClass] * settings.rateLimitFactor;
  return {
    limit,
    remaining: Math.max(0, limit - requests),
    resetSeconds,
    exceeded: requests > limit,
    isOfPage: requestClass === 'page',
  };
}

/**
 * The RateLimit headers of an answer, and the header that keeps answers to a session out of caches.
 * @param refused whether this limit refuses the request; the answer then also has Retry-After
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
