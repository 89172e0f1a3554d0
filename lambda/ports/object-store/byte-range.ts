// Reads the Range header of a request (RFC 9110, section 14).

export interface ByteRange {
  /** First and last byte, both included. */
  readonly start: number;
  readonly end: number;
}

/**
 * Range in a header. Several ranges, other units and malformed headers are ignored, as the RFC allows and as S3 does.
 * @returns null for the whole object
 */
export function byteRange(header: string | undefined, sizeBytes: number): ByteRange | 'unsatisfiable' | null {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return null;
  if (first !== '' && last !== '' && Number(last) < Number(first)) return null;
  const start = first === '' ? Math.max(sizeBytes - Number(last), 0) : Number(first);
  const end = first === '' || last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1);
  return start > end ? 'unsatisfiable' : { start, end };
}
