// How the bytes of an object are cut into parts, so that no more than one has to be sent again after an interruption.

/**
 * The size of every part but the last. An object has at most 10,000 parts (Amazon S3 user guide, "Multipart
 * upload limits"), so it has at most 156 GiB.
 */
export const partBytes = 16 * 1024 ** 2;

/** The most bytes of an upload that is sent in parts. */
export const maxBytesInParts = 100 * 1024 ** 3;

/** The most parts of an upload. */
export const maxParts = partCount(maxBytesInParts);

/** How many parts an object of this size has. */
export function partCount(sizeBytes: number): number {
  return Math.ceil(sizeBytes / partBytes);
}

/** The size of one part of an object. @param partNumber from 1 to `partCount` */
export function sizeOfPart(partNumber: number, sizeBytes: number): number {
  return Math.min(partBytes, sizeBytes - (partNumber - 1) * partBytes);
}

/**
 * The numbers of the parts that are not there, or not as long as they have to be.
 * @param sizeBytes of the whole object
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
 * Somebody else has completed, aborted or replaced the parts. The writer has to look whether the
 * object is there, and else to begin again.
 */
export class MultipartLost extends Error {
  override readonly name = 'MultipartLost';
  constructor(key: string, options?: ErrorOptions) {
    super(`the parts of ${key} are no longer there as they were`, options);
  }
}
