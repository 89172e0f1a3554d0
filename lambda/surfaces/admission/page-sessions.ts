// The session of a signed-in user as a credential of the web page at the platform's origin, and of no other page.
// Decision D154.
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** The key that the authorization server signs cookies with. */
export function authorizationServerSecret(serviceSecret: string): string {
  return Buffer.from(hkdfSync('sha256', serviceSecret, '', 'authorization server', 32)).toString('base64url');
}

/** The prefix of the names of the authorization server's cookies. */
export const cookiePrefix = 'loop';

/** The name of the session's cookie. At https, the prefix makes browsers keep it from sites without TLS. */
export function sessionCookieName(origin: string): string {
  return `${origin.startsWith('https:') ? '__Secure-' : ''}${cookiePrefix}.session_token`;
}

export interface PageRequest {
  readonly headers: Headers;
  readonly method: string;
}

/**
 * Whether a browser states that the platform's page sent the request. Cookies also come with requests of other sites'
 * pages, and SameSite=Lax is not enough: siblings of a domain and other ports of a host are the same site, and a POST
 * without a body needs no preflight. Programs can forge headers, but do not have the cookie of a user's browser.
 */
export function isOfOurPage({ headers, method }: PageRequest, origin: string): boolean {
  if (headers.get('sec-fetch-site') !== 'same-origin') return false;
  return method === 'GET' || method === 'HEAD' || headers.get('origin') === origin;
}

/** The session token in the cookie of a request; null without a cookie that the platform signed. */
export function sessionTokenOf(headers: Headers, origin: string, serviceSecret: string): string | null {
  const name = `${sessionCookieName(origin)}=`;
  const given = (headers.get('cookie') ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(name));
  const [, token = '', signature = ''] =
    /^([\w-]{16,128})\.([\w+/]{43}=)$/.exec(decoded(given?.slice(name.length))) ?? [];
  if (token === '') return null;
  const ours = createHmac('sha256', authorizationServerSecret(serviceSecret)).update(token).digest();
  return timingSafeEqual(Buffer.from(signature, 'base64'), ours) ? token : null;
}

function decoded(value = ''): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return '';
  }
}
