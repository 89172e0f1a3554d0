// Parts of an object: an interruption costs one part at most.
// The object store knows which parts exist: a record of our own could differ from it.

/**
 * Size of every part but the last. An object has at most 10,000 parts (Amazon S3 user guide, "Multipart upload
 * limits"), so at most 156 GiB.
 */
export const partBytes = 16 * 1024 ** 2;

/** Maximum bytes of an upload in parts. */
export const maxBytesInParts = 100 * 1024 ** 3;

/** Maximum parts of an upload. */
export const maxParts = partCount(maxBytesInParts);

/** Number of parts of an object of this size. */
export function partCount(sizeBytes: number): number {
  return Math.ceil(sizeBytes / partBytes);
}

/** Size of one part of an object. @param partNumber from 1 to `partCount` */
export function sizeOfPart(partNumber: number, sizeBytes: number): number {
  return Math.min(partBytes, sizeBytes - (partNumber - 1) * partBytes);
}

/**
 * Numbers of the parts that are missing or too short.
 * @param sizeBytes size of the whole object
 */
export function missingParts(
  stored: readonly { readonly partNumber: number; readonly sizeBytes: number }[],
  sizeBytes: number,
): number[] {
  const sizes = new Map(stored.map((part) => [part.partNumber, part.sizeBytes]));
  const numbers = Array.from({ length: partCount(sizeBytes) }, (_, index) => index + 1);
  return numbers.filter((partNumber) => sizes.get(partNumber) !== sizeOfPart(partNumber, sizeBytes));
}

/**
 * Another process completed, aborted or replaced the parts. The writer checks for the object, and otherwise begins
 * again.
 */
export class MultipartLost extends Error {
  override readonly name = 'MultipartLost';
  constructor(key: string, options?: ErrorOptions) {
    super(`the parts of ${key} are no longer there as they were`, options);
  }
}
