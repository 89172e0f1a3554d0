// The session of a signed-in person as a credential of the web page at our origin, and of nobody else.
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** The key of the authorization server, with which it signs cookies. */
export function authorizationServerSecret(serviceSecret: string): string {
  return Buffer.from(hkdfSync('sha256', serviceSecret, '', 'authorization server', 32)).toString('base64url');
}

/** What the names of the authorization server's cookies begin with. */
export const cookiePrefix = 'loop';

/** The name of the session's cookie: at https browsers keep it from sites without TLS. */
export function sessionCookieName(origin: string): string {
  return `${origin.startsWith('https:') ? '__Secure-' : ''}${cookiePrefix}.session_token`;
}

export interface PageRequest {
  readonly headers: Headers;
  readonly method: string;
}

/**
 * Whether a browser says that a page of ours sent the request. Cookies come with requests of other sites' pages as
 * well, and SameSite=Lax is not enough: siblings of a domain and other ports of a host are the same site, and a POST
 * without a body needs no preflight. Programs can claim anything, but have no cookie of somebody else's browser.
 */
export function isOfOurPage({ headers, method }: PageRequest, origin: string): boolean {
  if (headers.get('sec-fetch-site') !== 'same-origin') return false;
  return method === 'GET' || method === 'HEAD' || headers.get('origin') === origin;
}

/** The token of the session whose cookie came with a request; null where none came that we have signed. */
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
