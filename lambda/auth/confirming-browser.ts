// The browser that may confirm an address: one that has presented the password of the account.
// Decision D201.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { verifyPassword } from 'better-auth/crypto';
import { decodeJwt } from 'jose';
import type { Pool } from 'pg';
import { databaseOn } from '../data/database.ts';
import { cookiePrefix } from '../surfaces/admission/page-sessions.ts';

export interface ConfirmingBrowserOptions {
  readonly origin: string;
  readonly pool: Pool;
  readonly serviceSecret: string;
}

const macBytes = 32;
/** A link is good for as long. */
const cookieSeconds = 3600;

/** Remembers browsers by a cookie, which is bound to the password: another password makes it worthless. */
export class ConfirmingBrowser {
  readonly #options: ConfirmingBrowserOptions;
  readonly #cookieName: string;
  readonly #attributes: string;

  /** @param path of the link */
  constructor(options: ConfirmingBrowserOptions, path: string) {
    const isSecure = options.origin.startsWith('https:');
    this.#options = options;
    this.#cookieName = `${isSecure ? '__Secure-' : ''}${cookiePrefix}.confirming`;
    this.#attributes = `Path=${path}; Max-Age=${cookieSeconds}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  }

  /**
   * Adds the cookie to the answer to a sign-up, or to a sign-in that is refused for the address alone.
   * @param request whose body was not read
   */
  async remember(request: Request, response: Response): Promise<Response> {
    const isSignUp = new URL(request.url).pathname.endsWith('/sign-up/email');
    if (isSignUp ? !response.ok : response.status !== 403) return response;
    const { email, password } = await textsOf(request);
    const hash = await this.#passwordOf(email);
    const isKnown = hash !== null && (await verifyPassword({ hash, password }));
    // Each sign-up gets a cookie, so that none shows whether the address is known.
    if (!isKnown && !isSignUp) return response;
    const mac = isKnown ? this.#macOf(email, hash) : randomBytes(macBytes);
    const headers = new Headers(response.headers);
    headers.append('set-cookie', `${this.#cookieName}=${mac.toString('base64url')}; ${this.#attributes}`);
    return new Response(response.body, { status: response.status, headers });
  }

  /** @returns the redirect to the sign-in of a browser that has not presented the password; null: it may confirm */
  async refusalOf(request: Request): Promise<Response | null> {
    const { search, searchParams } = new URL(request.url);
    const email = emailIn(searchParams.get('token') ?? '');
    const hash = email === null ? null : await this.#passwordOf(email);
    if (email === null || hash === null) return null;
    const given = Buffer.from(this.#cookieIn(request), 'base64url');
    if (given.length === macBytes && timingSafeEqual(given, this.#macOf(email, hash))) return null;
    const location = `${this.#options.origin}/sign-in?${new URLSearchParams({ confirm: search }).toString()}`;
    return new Response(null, { status: 302, headers: { location } });
  }

  /** The hash of the password of an account whose address is not confirmed; null if there is none. */
  #passwordOf(email: string): Promise<string | null> {
    return databaseOn(this.#options.pool).users.unconfirmedPassword(email.toLowerCase());
  }

  #macOf(email: string, passwordHash: string): Buffer {
    const text = `confirming\n${email.toLowerCase()}\n${passwordHash}`;
    return createHmac('sha256', this.#options.serviceSecret).update(text).digest();
  }

  #cookieIn({ headers }: Request): string {
    const pairs = (headers.get('cookie') ?? '').split(/; */).map((pair) => pair.split('='));
    return pairs.find(([name]) => name === this.#cookieName)?.[1] ?? '';
  }
}

/** The address that a link is for; null for a malformed token, which the link's own check refuses. */
function emailIn(token: string): string | null {
  try {
    const { email } = decodeJwt<{ email?: unknown }>(token);
    return typeof email === 'string' ? email : null;
  } catch {
    return null;
  }
}

async function textsOf(request: Request): Promise<{ readonly email: string; readonly password: string }> {
  const body: unknown = await request.json().catch(() => null);
  const { email, password }: { email?: unknown; password?: unknown } = Object(body);
  return { email: typeof email === 'string' ? email : '', password: typeof password === 'string' ? password : '' };
}
