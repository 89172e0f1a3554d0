// Signed URLs of one machine: of the file object store, and of the local checkout page.
// The method and the whole text of the URL are signed, so that no byte of it can be changed.
import { createHmac, timingSafeEqual } from 'node:crypto';

/** The URL was not signed for this method, or has expired. The message never repeats the URL. */
export class SignedURLRefused extends Error {
  override readonly name = 'SignedURLRefused';
  readonly code: 'signature_mismatch' | 'url_expired';
  constructor(code: SignedURLRefused['code'], why = 'the request is not the one that the URL was signed for') {
    super(code === 'url_expired' ? 'the signed URL has expired' : why);
    this.code = code;
  }
}

const signatureParameter = '&signature=';

/**
 * @param target the URL to sign, without `expires` and `signature`
 * @param expiresAt a whole second
 * @returns path and query, with `expires` (Unix seconds) and `signature` (HMAC-SHA256, hexadecimal) added
 */
export function signTarget(signingKey: string, method: string, target: URL, expiresAt: Date): string {
  const signed = new URL(target);
  signed.searchParams.append('expires', String(expiresAt.getTime() / 1000));
  const text = signed.pathname + signed.search;
  return text + signatureParameter + signatureOf(signingKey, method, text);
}

/**
 * @param target path and query exactly as received
 * @returns the parameters that were signed
 * @throws SignedURLRefused
 */
export function verifyTarget(signingKey: string, method: string, target: string, now: Date): URLSearchParams {
  const at = target.lastIndexOf(signatureParameter);
  const text = target.slice(0, Math.max(at, 0));
  const expected = Buffer.from(signatureOf(signingKey, method, text));
  const given = Buffer.from(target.slice(at + signatureParameter.length));
  if (at < 0 || given.length !== expected.length || !timingSafeEqual(given, expected))
    throw new SignedURLRefused('signature_mismatch');
  const parameters = new URLSearchParams(text.slice(text.indexOf('?')));
  if (Number(parameters.get('expires')) * 1000 <= now.getTime()) throw new SignedURLRefused('url_expired');
  return parameters;
}

function signatureOf(signingKey: string, method: string, text: string): string {
  return createHmac('sha256', signingKey).update(`v1\n${method}\n${text}`).digest('hex');
}
