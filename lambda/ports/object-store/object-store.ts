// Port of the object store: media and other large bytes by key.
// Signed URLs let clients send and get bytes without our processes in between.
import type { Readable } from 'node:stream';
import type { ByteRange } from './byte-range.ts';

/** Limits of an upload URL. */
export interface PutLimits {
  /** Exact media type of the PUT. */
  readonly contentType: string;
  /** If present, a PUT of any other length is refused. */
  readonly contentLength?: number;
  /**
   * Maximum size of the object. S3 cannot enforce it without `contentLength`, so callers check `head()` after the
   * upload is reported complete.
   */
  readonly maxBytes: number;
  readonly expiresInSeconds: number;
}

/**
 * Upload URL for one key without an object. The first PUT creates the object. A later PUT is refused with 412, so an
 * issued URL cannot change an object. The client sends one PUT with `headers` and a Content-Length, never chunked.
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

/** A stored part of an arriving object. */
export interface ObjectPart {
  /** From 1. */
  readonly partNumber: number;
  readonly sizeBytes: number;
  /** The store's name for exactly these bytes. */
  readonly etag: string;
  /** SHA-256 of the bytes in Base64; null if the object was begun without. */
  readonly sha256: string | null;
}

export interface MultipartFacts {
  readonly contentType: string;
  /** Whether each part's URL is signed for its SHA-256, which the store then keeps. Default: false. */
  readonly hasSHA256?: boolean;
}

/** Limits of a URL for one part. */
export interface PartLimits {
  /** From 1. */
  readonly partNumber: number;
  /** A PUT of any other length is refused. */
  readonly contentLength: number;
  /** A PUT of other bytes is refused. Null exactly if the object was begun without SHA-256. */
  readonly sha256: string | null;
  readonly expiresInSeconds: number;
}

/**
 * An object is whole or absent: readers never see a part of one, and a failed write changes nothing. A signed URL is
 * for one HTTP method, so a URL for GET does not answer HEAD. Every method throws `InvalidObjectKey` for a key that
 * `assertObjectKey` refuses.
 */
export interface ObjectStore {
  /** @throws PayloadTooLarge if `contentLength` is given and larger than `maxBytes` or than `maxPutBytes` */
  presignPut(key: string, limits: PutLimits): Promise<SignedPut>;
  /** URL whose GET returns the object, or one byte range of it. It is created even without an object. */
  presignGet(key: string, options: GetOptions): Promise<string>;
  head(key: string): Promise<ObjectFacts | null>;
  /**
   * @param range bytes to read; absent for the whole object. Bytes after its end are left out.
   * @throws ObjectNotFound
   */
  read(key: string, range?: ByteRange): Promise<Readable>;
  /**
   * Replaces an existing object. A stream is never held in memory as a whole. If it fails, its error is thrown and
   * nothing is written.
   */
  write(key: string, body: Readable | Buffer, facts: { readonly contentType: string }): Promise<void>;
  /** Succeeds without an object too. */
  delete(key: string): Promise<void>;

  /**
   * Begins an object that arrives in parts. If its writer dies, another one can write the rest. The store may discard
   * an object that is not completed within `partsKeptDays` of domain/media/object-keys.ts.
   * @returns id for the other methods
   */
  createMultipart(key: string, facts: MultipartFacts): Promise<string>;
  /** URL for a client to store or replace a part. It is created even if nothing was begun. */
  presignPart(key: string, multipartID: string, limits: PartLimits): Promise<SignedPut>;
  /**
   * Stores a part, or replaces the part with this number. Every part but the last has `partBytes` bytes, and none is
   * empty.
   * @throws MultipartLost
   */
  putPart(key: string, multipartID: string, partNumber: number, body: Buffer): Promise<ObjectPart>;
  /** Stored parts, ordered by number. @throws MultipartLost */
  listParts(key: string, multipartID: string): Promise<ObjectPart[]>;
  /**
   * Creates the object from exactly these parts, or replaces it.
   * @throws MultipartLost also if a part was replaced by other bytes after it was listed or stored
   */
  completeMultipart(key: string, multipartID: string, parts: readonly ObjectPart[]): Promise<void>;
  /** Deletes the parts. Succeeds without parts too. */
  abortMultipart(key: string, multipartID: string): Promise<void>;
}

/** Largest object of a single PUT: 5 GiB, from the Amazon S3 user guide, "Uploading objects". */
export const maxPutBytes = 5 * 1024 ** 3;

/** Our fault: a key was built from forbidden text. */
export class InvalidObjectKey extends Error {
  override readonly name = 'InvalidObjectKey';
}

/** The object is missing: the caller is wrong, or it was deleted meanwhile. */
export class ObjectNotFound extends Error {
  override readonly name = 'ObjectNotFound';
  constructor(key: string) {
    super(`there is no object ${key}`);
  }
}

/** An object with this key exists already. */
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
 * Asserts that a key has segments of letters, digits, `.`, `_`, `-` and `=`, joined by `/`. No segment begins with a
 * dot. Keys never come from a user's file name. Such a key is a safe file path, a URL path without escapes, and an S3
 * key of the characters that S3 documents as safe.
 * @throws InvalidObjectKey
 */
export function assertObjectKey(key: string): void {
  const isValid = key.length <= 512 && /^[\w=-][\w.=-]{0,199}(?:\/[\w=-][\w.=-]{0,199})*$/.test(key);
  if (!isValid) throw new InvalidObjectKey(`not an object key: ${JSON.stringify(key.slice(0, 100))}`);
}

/** Header Content-Disposition that makes a client save the answer under this name (RFC 6266, RFC 8187). */
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
