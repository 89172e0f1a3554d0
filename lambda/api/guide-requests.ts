// Requests of guests at a guide link: bounded before their operation reads anything, and open to every website.
// No cookie and no credential counts here, so a website cannot send anything in the name of its visitor.
// Decisions D232 and D279.
import { databaseOn } from '../data/database.ts';
import { subjectOfGuests } from '../data/playout/guide-links.ts';
import { ProblemError } from '../operations/problem-codes.ts';
import { subjectOfUser } from '../data/shared/request-windows.ts';
import { payingInAdvance } from '../surfaces/admission/call-time.ts';
import { guestHash } from '../surfaces/admission/guests.ts';
import { countRequest, quotaHeaders, requestsPerMinute } from '../surfaces/admission/rate-limits.ts';
import type { Quota, RequestClass } from '../surfaces/admission/rate-limits.ts';
import { problemResponse } from '../surfaces/problem-response.ts';
import type { RestHandler } from '../surfaces/rest/rest-handler.ts';
import type { Service } from '../surfaces/service.ts';

const isRequests = /^\/guides\/([^/]+)\/requests$/;

/** A website reads its list again for each of its visitors. */
const maxAgeSeconds = 30;
const corsHeaders = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'Retry-After' };
const preflightHeaders = {
  ...corsHeaders,
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers': 'Content-Type',
  'access-control-max-age': '86400',
};

/** The token in a path below the base URL; undefined: it is not that of requests. */
export function tokenOfRequests(path: string): string | undefined {
  return isRequests.exec(path)?.[1];
}

/** Answers by `rest`, unless the guest or all guests of the link send too much. */
export async function answerGuest(
  rest: RestHandler,
  service: Service,
  { request, address, token }: GuestRequest,
): Promise<Response> {
  if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: preflightHeaders });
  const response = await answerAdmitted(rest, service, { request, address, token }).catch((error: unknown) =>
    problemResponse(service, error),
  );
  const isCached = request.method === 'GET' && response.status === 200;
  const headers = { ...corsHeaders, 'cache-control': isCached ? `public, max-age=${maxAgeSeconds}` : 'no-store' };
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}

interface GuestRequest {
  readonly request: Request;
  readonly address: string;
  readonly token: string;
}

/**
 * The answer to a request. Its time is paid in advance, as that of guides is: a list of many uploads, and the rule of
 * an item that has just played, take long.
 * @throws {ProblemError} rate_limited
 */
async function answerAdmitted(
  rest: RestHandler,
  service: Service,
  { request, address, token }: GuestRequest,
): Promise<Response> {
  const admitted = await admitGuest(service, request.method, token, address);
  if (admitted instanceof Response) return admitted;
  if (admitted === null) return rest(request, address);
  const { streamID, userID, guest } = admitted;
  const payers = { userID, subjects: [`requests of ${streamID}`, subjectOfUser(userID)] };
  return payingInAdvance(service, payers, 'guestRequest', () => rest(request, guest));
}

interface AdmittedGuest {
  readonly streamID: string;
  /** The owner of the stream. */
  readonly userID: string;
  /** The name of the guest in place of the address, which is not stored. */
  readonly guest: string;
}

/**
 * The guest of a request; or the answer to one beyond a limit. A flood from many addresses costs one read each, and
 * writes no row; one from an address costs one write more. Null: the token is wrong, so `rest` counts the request by
 * its address, as all that name nothing.
 */
async function admitGuest(
  service: Service,
  method: string,
  token: string,
  address: string,
): Promise<Response | AdmittedGuest | null> {
  const requestClass = method === 'POST' ? 'ask' : 'offer';
  const link = await databaseOn(service.pool).guideLinks.findAsked(token, requestClass);
  if (link === null) return null;
  const { stream_id: streamID, user_id: userID, asked } = link;
  if (asked >= requestsPerMinute[requestClass] * service.settings.rateLimitFactor) return tooMany(service, null);
  const guest = guestHash(service.serviceSecret, streamID, address).toString('hex');
  for (const [subject, counted] of [
    [`guest ${guest}`, 'guest'],
    [subjectOfGuests(streamID), requestClass],
  ] as const satisfies (readonly [string, RequestClass])[]) {
    const quota = await countRequest(service, subject, counted);
    if (quota.exceeded) return tooMany(service, quota);
  }
  return { streamID, userID, guest };
}

/** @param quota null: the limit of the link */
function tooMany(service: Service, quota: Quota | null): Response {
  const detail = 'Too many requests came for this channel. Try again in a minute.';
  const response = problemResponse(service, new ProblemError('rate_limited', detail));
  const headers = quota ? quotaHeaders(quota, { refused: true }) : { 'retry-after': '60' };
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}
