// The chain of a session's segments: proves which bytes were stored, also when they are gone.
import { hash } from 'node:crypto';

/** Whole segments of a session that are stored, from its first one on. */
export interface StoredSegments {
  readonly count: number;
  /** The chain of their hashes; null: there are none, or it is not known. */
  readonly sha256: Buffer | null;
}

export const noSegments: StoredSegments = { count: 0, sha256: null };

/** The stored segments with one more: the hash of the former chain and of the SHA-256 of the segment's bytes. */
export function withSegment({ count, sha256 }: StoredSegments, bytes: Buffer): StoredSegments {
  const own = hash('sha256', bytes, 'buffer');
  return { count: count + 1, sha256: hash('sha256', sha256 ? Buffer.concat([sha256, own]) : own, 'buffer') };
}
