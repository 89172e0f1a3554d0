// The object store port: media and other large bytes by key, with signed URLs that let clients move bytes without passing through us.
import type { Readable } from 'node:stream';
import type { ByteRange } from './byte-range.ts';

/** What an upload URL is good for. Sizes in bytes, times in seconds. */
export interface PutLimits {
  /** The media type that the PUT must name, byte for byte. */
  readonly contentType: string;
  /** When given it is signed: a PUT of any other length is refused. */
  readonly contentLength?: number;
  /** The largest object wanted. S3 cannot enforce it unless `contentLength` is given, so check `head` once the upload is said to be complete. */
  readonly maxBytes: number;
  readonly expiresInSeconds: number;
}

/**
 * An upload URL for exactly one key that holds nothing yet: the first PUT makes the object, and a later one is refused with 412, so a URL
 * that was handed out cannot change what is there. The client sends one PUT with `headers` and a Content-Length (never chunked).
 */
export interface SignedPut {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly expiresAt: Date;
}

export interface ObjectFacts {
  readonly sizeBytes: number;
  readonly contentType: string;
}

/** A part of an object that is still arriving, as the store has it. */
export interface ObjectPart {
  /** From 1. */
  readonly partNumber: number;
  readonly sizeBytes: number;
  /** The store's name for exactly these bytes. */
  readonly etag: string;
}

/**
 * Objects are whole or absent: readers never see a part of one, and a failed write leaves what was there before.
 * Signed URLs are for one method, so a GET URL does not answer HEAD. Every method throws `InvalidObjectKey` for a key that `assertObjectKey` refuses.
 */
export interface ObjectStore {
  /** @throws PayloadTooLarge if `contentLength` is given and larger than `maxBytes` or than `maxPutBytes` */
  presignPut(key: string, limits: PutLimits): Promise<SignedPut>;
  /** A URL whose GET answers with the object and takes single byte ranges. It is made whether or not the object is there. */
  presignGet(key: string, options: { readonly expiresInSeconds: number }): Promise<string>;
  head(key: string): Promise<ObjectFacts | null>;
  /**
   * @param range what to read of it, the whole object if not given. What lies behind the object's end is left out
   * @throws ObjectNotFound
   */
  read(key: string, range?: ByteRange): Promise<Readable>;
  /** Replaces what was there. A stream is never held in memory whole; if it fails, the error is its own and nothing is written. */
  write(key: string, body: Readable | Buffer, facts: { readonly contentType: string }): Promise<void>;
  /** Succeeds as well when there is nothing. */
  delete(key: string): Promise<void>;

  /**
   * Begins an object that arrives in parts, whose writer may die and leave the rest to another. One that is not completed within a day
   * may be given up by the store.
   * @returns the id that the other methods know it by
   */
  createMultipart(key: string, facts: { readonly contentType: string }): Promise<string>;
  /**
   * Every part but the last has `partBytes` bytes, and none is empty. The same number again replaces what was there.
   * @throws MultipartLost
   */
  putPart(key: string, multipartID: string, partNumber: number, body: Buffer): Promise<ObjectPart>;
  /** By number. @throws MultipartLost */
  listParts(key: string, multipartID: string): Promise<ObjectPart[]>;
  /**
   * Makes the object of exactly these parts; it replaces what was there.
   * @throws MultipartLost also when one of them has been replaced by other bytes meanwhile
   */
  completeMultipart(key: string, multipartID: string, parts: readonly ObjectPart[]): Promise<void>;
  /** Throws the parts away. Succeeds as well when there are none. */
  abortMultipart(key: string, multipartID: string): Promise<void>;
}

/** Of every part but the last. At most 10,000 parts an object (Amazon S3 user guide, "Multipart upload limits"), so objects up to 156 GiB. */
export const partBytes = 16 * 1024 ** 2;

/** The largest object of a single PUT: 5 GiB, from the Amazon S3 user guide, "Uploading objects". */
export const maxPutBytes = 5 * 1024 ** 3;

/** Our fault: the key was built from something that it must not be built from. */
export class InvalidObjectKey extends Error {
  override readonly name = 'InvalidObjectKey';
}

/** The caller's fault, or the object was deleted meanwhile. */
export class ObjectNotFound extends Error {
  override readonly name = 'ObjectNotFound';
  constructor(key: string) {
    super(`there is no object ${key}`);
  }
}

/** The caller's fault: the key holds an object already. */
export class ObjectExists extends Error {
  override readonly name = 'ObjectExists';
}

/** The parts were completed, aborted or replaced by somebody else: look whether the object is there, else begin anew. */
export class MultipartLost extends Error {
  override readonly name = 'MultipartLost';
  constructor(key: string, options?: ErrorOptions) {
    super(`the parts of ${key} are no longer there as they were`, options);
  }
}

/** The caller's fault: more bytes than the limit. */
export class PayloadTooLarge extends Error {
  override readonly name = 'PayloadTooLarge';
  constructor(sizeBytes: number, limitBytes: number) {
    super(`${sizeBytes} bytes are more than the ${limitBytes} allowed`);
  }
}

/**
 * Keys are ours, never a user's file name: segments of letters, digits, `.`, `_`, `-`, `=`, none beginning with a dot, joined by `/`.
 * So a key is at once a safe path, a URL path that needs no escaping, and an S3 key of the documented safe characters.
 * @throws InvalidObjectKey
 */
export function assertObjectKey(key: string): void {
  const isValid = key.length <= 512 && /^[\w=-][\w.=-]{0,199}(?:\/[\w=-][\w.=-]{0,199})*$/.test(key);
  if (!isValid) throw new InvalidObjectKey(`not an object key: ${JSON.stringify(key.slice(0, 100))}`);
}

/** @throws PayloadTooLarge */
export function assertPutLimits({ contentLength, maxBytes }: Pick<PutLimits, 'contentLength' | 'maxBytes'>): void {
  const limitBytes = Math.min(maxBytes, maxPutBytes);
  if (contentLength !== undefined && contentLength > limitBytes) throw new PayloadTooLarge(contentLength, limitBytes);
}
