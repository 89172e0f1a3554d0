// The digests of the complex handshake. Flash Player 9 and its servers recognize each other by them.
import { createHmac } from 'node:crypto';

/** Adobe's RTMP 1.0 does not describe digests. These constants are those of ffmpeg, librtmp and nginx-rtmp. */
const digestBytes = 32;
const adobe = Buffer.from('f0eec24a8068bee82e00d0d1029e7e576eec5d2d29806fab93b8e636cfeb31ae', 'hex');

/** A side that makes digests: client or server. */
interface Maker {
  /** The HMAC key for C1 and S1. */
  readonly name: Buffer;
  /** The HMAC key for C2 and S2, with the digest that they answer. */
  readonly key: Buffer;
}

const makerOf = (name: string): Maker => ({ name: Buffer.from(name), key: Buffer.concat([Buffer.from(name), adobe]) });
export const clientMaker = makerOf('Genuine Adobe Flash Player 001');
export const serverMaker = makerOf('Genuine Adobe Flash Media Server 001');

/**
 * Four bytes at one of these offsets hold the place of the digest: their sum, modulo 728, is its distance from them.
 * Clients use the first offset.
 */
const placeOffsets = [8, 772];
const places = 728;

/** Writes the digest into C1 or S1: 1536 bytes, random but for the first eight. @returns the digest */
export function imprintDigest(block: Buffer, { name }: Maker): Buffer {
  const start = digestStart(block, placeOffsets[0]!);
  const digest = digestAround(block, start, name);
  digest.copy(block, start);
  return digest;
}

/** The digest in C1 or S1; null without one of this maker. */
export function findDigest(block: Buffer, { name }: Maker): Buffer | null {
  for (const offset of placeOffsets) {
    const start = digestStart(block, offset);
    const digest = block.subarray(start, start + digestBytes);
    if (digest.equals(digestAround(block, start, name))) return digest;
  }
  return null;
}

/** The C2 or S2 that answers a block with a digest. @param random 1504 bytes */
export function answerToDigest(digest: Buffer, random: Buffer, { key }: Maker): Buffer {
  return Buffer.concat([random, hmac(hmac(key, digest), random)]);
}

function digestStart(block: Buffer, offset: number): number {
  const sum = block.subarray(offset, offset + 4).reduce((total, byte) => total + byte, 0);
  return offset + 4 + (sum % places);
}

/** The digest of all bytes of a block but those that hold the digest. */
function digestAround(block: Buffer, start: number, name: Buffer): Buffer {
  return hmac(name, block.subarray(0, start), block.subarray(start + digestBytes));
}

function hmac(key: Buffer, ...parts: readonly Buffer[]): Buffer {
  const hash = createHmac('sha256', key);
  for (const part of parts) hash.update(part);
  return hash.digest();
}
