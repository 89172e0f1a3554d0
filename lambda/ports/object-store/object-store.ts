// The object store port: media and other large bytes by key.
// By signed URLs, clients send and get bytes without our processes in between.
import type { Readable } from 'node:stream';
import type { ByteRange } from './byte-range.ts';

/** The limits of an upload URL. */
export interface PutLimits {
  /** The PUT has to name exactly this media type. */
  readonly contentType: string;
  /** Where it is given, a PUT of any other length is refused. */
  readonly contentLength?: number;
  /**
   * How large the object may be. S3 cannot enforce this unless `contentLength` is given, so callers have to check
   * `head()` once the upload is said to be complete.
   */
  readonly maxBytes: number;
  readonly expiresInSeconds: number;
}

/**
 * An upload URL for one key that holds nothing yet. The first PUT makes the object. A later PUT is refused with
 * 412, so that nobody can change an object by a URL that was handed out. The client sends one PUT with
 * `headers` and a Content-Length, never chunked.
 */
export interface SignedPut {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly expiresAt: Date;
}

export interface GetOptions {
  readonly expiresInSeconds: number;
  /** Any text: a browser then saves the object as a file of this name, and does not show it. */
  readonly downloadName?: string;
}

export interface ObjectFacts {
  readonly sizeBytes: number;
  readonly contentType: string;
}

/** A stored part of an object that is still arriving. */
export interface ObjectPart {
  /** From 1. */
  readonly partNumber: number;
  readonly sizeBytes: number;
  /** The store's name for exactly these bytes. */
  readonly etag: string;
  /** The SHA-256 of the bytes in Base64, where the object was begun with it; else null. */
  readonly sha256: string | null;
}

export interface MultipartFacts {
  readonly contentType: string;
  /** Whether each part comes by a URL that is signed for its SHA-256. The store then keeps it. By default not. */
  readonly hasSHA256?: boolean;
}

/** The limits of a URL for one part. */
export interface PartLimits {
  /** From 1. */
  readonly partNumber: number;
  /** A PUT of any other length is refused. */
  readonly contentLength: number;
  /** A PUT of other bytes is refused. Null exactly where the object was begun without. */
  readonly sha256: string | null;
  readonly expiresInSeconds: number;
}

/**
 * An object is whole or absent: readers never see a part of one, and a write that fails leaves what was there before.
 * A signed URL is for one HTTP method, so a URL for GET does not answer HEAD. Every method throws `InvalidObjectKey`
 * for a key that `assertObjectKey` refuses.
 */
export interface ObjectStore {
  /** @throws PayloadTooLarge if `contentLength` is given and larger than `maxBytes` or than `maxPutBytes` */
  presignPut(key: string, limits: PutLimits): Promise<SignedPut>;
  /**
   * A URL whose GET answers the object, or a single byte range of it. It is
   * made whether or not there is such an object.
   */
  presignGet(key: string, options: GetOptions): Promise<string>;
  head(key: string): Promise<ObjectFacts | null>;
  /**
   * @param range which bytes to read; the whole object where it is absent. Bytes
   * after the end of the object are left out.
   * @throws ObjectNotFound
   */
  read(key: string, range?: ByteRange): Promise<Readable>;
  /**
   * Replaces what was there. A stream is never held in memory as a whole. Where the stream fails,
   * its error is thrown and nothing is written.
   */
  write(key: string, body: Readable | Buffer, facts: { readonly contentType: string }): Promise<void>;
  /** Succeeds even where there is no such object. */
  delete(key: string): Promise<void>;

  /**
   * Begins an object that arrives in parts. Where its writer dies, another one can write the rest. The store may
   * discard what is not completed within `partsKeptDays` of domain/media/object-keys.ts.
   * @returns the id that the other methods take
   */
  createMultipart(key: string, facts: MultipartFacts): Promise<string>;
  /** A URL by which a client stores a part itself, or replaces it. It is made whether or not anything was begun. */
  presignPart(key: string, multipartID: string, limits: PartLimits): Promise<SignedPut>;
  /**
   * Stores a part, or replaces the part with this number. Every part but the last
   * has `partBytes` bytes, and none is empty.
   * @throws MultipartLost
   */
  putPart(key: string, multipartID: string, partNumber: number, body: Buffer): Promise<ObjectPart>;
  /** The stored parts, ordered by number. @throws MultipartLost */
  listParts(key: string, multipartID: string): Promise<ObjectPart[]>;
  /**
   * Makes the object of exactly these parts. It replaces what was there.
   * @throws MultipartLost also where one of the parts was replaced by other bytes after it was listed or stored
   */
  completeMultipart(key: string, multipartID: string, parts: readonly ObjectPart[]): Promise<void>;
  /** Deletes the parts. Succeeds even where there are none. */
  abortMultipart(key: string, multipartID: string): Promise<void>;
}

/** The largest object of a single PUT: 5 GiB, from the Amazon S3 user guide, "Uploading objects". */
export const maxPutBytes = 5 * 1024 ** 3;

/** Our fault: a key was built from something that it must not be built from. */
export class InvalidObjectKey extends Error {
  override readonly name = 'InvalidObjectKey';
}

/** There is no such object: the caller is wrong, or the object was deleted meanwhile. */
export class ObjectNotFound extends Error {
  override readonly name = 'ObjectNotFound';
  constructor(key: string) {
    super(`there is no object ${key}`);
  }
}

/** There is an object of this key already. */
export class ObjectExists extends Error {
  override readonly name = 'ObjectExists';
}

/** The caller wants to store more bytes than the limit. */
export class PayloadTooLarge extends Error {
  override readonly name = 'PayloadTooLarge';
  constructor(sizeBytes: number, limitBytes: number) {
    super(`${sizeBytes} bytes are more than the ${limitBytes} allowed`);
  }
}

/**
 * Keys are made by us, never from a user's file name: segments of letters, digits, `.`, `_`, `-` and `=`, of which none
 * begins with a dot, joined by `/`. So a key is a safe path of a file, a URL path that needs no escaping, and an S3 key
 * of the characters that S3 documents as safe.
 * @throws InvalidObjectKey
 */
export function assertObjectKey(key: string): void {
  const isValid = key.length <= 512 && /^[\w=-][\w.=-]{0,199}(?:\/[\w=-][\w.=-]{0,199})*$/.test(key);
  if (!isValid) throw new InvalidObjectKey(`not an object key: ${JSON.stringify(key.slice(0, 100))}`);
}

/** The header Content-Disposition of an answer that is saved as a file of this name (RFC 6266, RFC 8187). */
export function dispositionOf(downloadName: string): string {
  const escaped = encodeURIComponent(downloadName.toWellFormed()).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  );
  return `attachment; filename*=UTF-8''${escaped}`;
}

/** @throws PayloadTooLarge */
export function assertPutLimits({ contentLength, maxBytes }: Pick<PutLimits, 'contentLength' | 'maxBytes'>): void {
  const limitBytes = Math.min(maxBytes, maxPutBytes);
  if (contentLength !== undefined && contentLength > limitBytes) throw new PayloadTooLarge(contentLength, limitBytes);
}
