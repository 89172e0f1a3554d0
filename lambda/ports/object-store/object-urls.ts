// Makes the signed URLs of the file object store, each for one key and method, and reads what one allows.
import { assertObjectKey, assertPutLimits } from './object-store.ts';
import type { PutLimits, SignedPut } from './object-store.ts';
import { signTarget, SignedURLRefused, verifyTarget } from './signed-url.ts';

/** What a signed URL allows its bearer to do. */
export type Grant =
  | { readonly method: 'GET'; readonly key: string }
  | {
      readonly method: 'PUT';
      readonly key: string;
      readonly limits: Pick<PutLimits, 'contentType' | 'contentLength' | 'maxBytes'>;
    };

/** https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html, X-Amz-Expires: seven days */
const maxExpirySeconds = 604_800;

interface ObjectURLsOptions {
  /** What every URL begins with, without a trailing slash. */
  readonly baseURL: string;
  readonly signingKey: string;
  readonly now: () => Date;
}

export class ObjectURLs {
  readonly #options: ObjectURLsOptions;
  /** What the path of every URL begins with, such as `/objects/`. */
  readonly #basePath: string;

  constructor(options: ObjectURLsOptions) {
    this.#options = options;
    this.#basePath = `${new URL(options.baseURL).pathname.replace(/\/$/, '')}/`;
  }

  /** @throws PayloadTooLarge */
  forPut(key: string, limits: PutLimits): SignedPut {
    assertPutLimits(limits);
    const { contentType, contentLength, maxBytes, expiresInSeconds } = limits;
    const expiresAt = this.#expiryAfter(expiresInSeconds);
    const parameters = {
      contentType,
      ...(contentLength === undefined ? {} : { contentLength: String(contentLength) }),
      maxBytes: String(maxBytes),
    };
    return {
      url: this.#signed('PUT', key, parameters, expiresAt),
      headers: { 'content-type': contentType, 'if-none-match': '*' },
      expiresAt,
    };
  }

  forGet(key: string, expiresInSeconds: number): string {
    return this.#signed('GET', key, {}, this.#expiryAfter(expiresInSeconds));
  }

  /**
   * @param target path and query of a request, as received
   * @throws SignedURLRefused
   */
  authorize(method: string, target: string): Grant {
    const signed = verifyTarget(this.#options.signingKey, method, target, this.#options.now());
    const path = target.slice(0, target.indexOf('?'));
    if (!path.startsWith(this.#basePath)) throw new SignedURLRefused('signature_mismatch');
    const key = path.slice(this.#basePath.length);
    if (method === 'GET') return { method, key };
    const contentLength = signed.get('contentLength');
    const limits = { contentType: signed.get('contentType') ?? '', maxBytes: Number(signed.get('maxBytes')) };
    return {
      method: 'PUT',
      key,
      limits: contentLength === null ? limits : { ...limits, contentLength: Number(contentLength) },
    };
  }

  #signed(method: Grant['method'], key: string, parameters: Record<string, string>, expiresAt: Date): string {
    assertObjectKey(key);
    const target = new URL(`${this.#options.baseURL}/${key}?${new URLSearchParams(parameters).toString()}`);
    return target.origin + signTarget(this.#options.signingKey, method, target, expiresAt);
  }

  /** A whole second, as S3 signs them. @throws RangeError */
  #expiryAfter(seconds: number): Date {
    if (seconds > maxExpirySeconds) throw new RangeError('a signed URL is valid for less than one week');
    return new Date((Math.floor(this.#options.now().getTime() / 1000) + seconds) * 1000);
  }
}
