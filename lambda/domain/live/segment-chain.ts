// The chain of a session's segments: proves which bytes were stored, also when they are gone.
import { createHash } from 'node:crypto';

/** Whole segments of a session that are stored, from its first one on. */
export interface StoredSegments {
  readonly count: number;
  /** The chain of their hashes; null: there are none, or it is not known. */
  readonly sha256: Buffer | null;
}

export const noSegments: StoredSegments = { count: 0, sha256: null };

/** The stored segments with one more: the hash of the former chain and of the SHA-256 of the segment's bytes. */
export function withSegment({ count, sha256 }: StoredSegments, bytes: Buffer): StoredSegments {
  const chain = createHash('sha256');
  if (sha256) chain.update(sha256);
  return { count: count + 1, sha256: chain.update(createHash('sha256').update(bytes).digest()).digest() };
}
