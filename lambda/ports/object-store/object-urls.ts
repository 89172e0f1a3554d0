// Signed URLs of the file object store, each for one key and method: their creation, and their check.
import { assertObjectKey, assertPutLimits, dispositionOf } from './object-store.ts';
import type { GetOptions, PartLimits, PutLimits, SignedPut } from './object-store.ts';
import { signTarget, SignedURLRefused, verifyTarget } from './signed-url.ts';

/** Right that a signed URL gives its bearer. */
export type Grant =
  | { readonly method: 'GET'; readonly key: string; readonly disposition?: string }
  | {
      readonly method: 'PUT';
      readonly key: string;
      readonly limits: Pick<PutLimits, 'contentType' | 'contentLength' | 'maxBytes'>;
    }
  | { readonly method: 'PUT'; readonly key: string; readonly part: GrantedPart };

/** Part that a signed URL accepts. */
export interface GrantedPart extends Omit<PartLimits, 'expiresInSeconds'> {
  readonly multipartID: string;
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html, X-Amz-Expires: seven days */
const maxExpirySeconds = 604_800;

interface ObjectURLsOptions {
  /** Prefix of every URL, without a trailing slash. */
  readonly baseURL: string;
  readonly signingKey: string;
  readonly now: () => Date;
}

export class ObjectURLs {
  readonly #options: ObjectURLsOptions;
  /** Prefix of the path of every URL, such as `/objects/`. */
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

  forPart(key: string, multipartID: string, limits: PartLimits): SignedPut {
    const { partNumber, contentLength, sha256, expiresInSeconds } = limits;
    const expiresAt = this.#expiryAfter(expiresInSeconds);
    const parameters = {
      multipartID,
      partNumber: String(partNumber),
      contentLength: String(contentLength),
      ...(sha256 === null ? {} : { sha256 }),
    };
    return { url: this.#signed('PUT', key, parameters, expiresAt), headers: {}, expiresAt };
  }

  forGet(key: string, { expiresInSeconds, downloadName }: GetOptions): string {
    const parameters: Record<string, string> =
      downloadName === undefined ? {} : { disposition: dispositionOf(downloadName) };
    return this.#signed('GET', key, parameters, this.#expiryAfter(expiresInSeconds));
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
    if (method === 'GET') {
      const disposition = signed.get('disposition');
      return { method, key, ...(disposition === null ? {} : { disposition }) };
    }
    const contentLength = signed.get('contentLength');
    const multipartID = signed.get('multipartID');
    if (multipartID !== null) {
      const partNumber = Number(signed.get('partNumber'));
      const part = { multipartID, partNumber, contentLength: Number(contentLength), sha256: signed.get('sha256') };
      return { method: 'PUT', key, part };
    }
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
