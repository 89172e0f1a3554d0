// The digests of the complex handshake, by which Flash Player 9 and its servers know each other.
import { createHmac } from 'node:crypto';

/** These and the places below: Adobe's RTMP 1.0 leaves them out; ffmpeg, librtmp and nginx-rtmp agree on them. */
const digestBytes = 32;
const adobe = Buffer.from('f0eec24a8068bee82e00d0d1029e7e576eec5d2d29806fab93b8e636cfeb31ae', 'hex');

/** Digests of first blocks are made with a name alone, those of second blocks with what both sides know of it. */
interface Maker {
  readonly name: Buffer;
  readonly key: Buffer;
}

const makerOf = (name: string): Maker => ({ name: Buffer.from(name), key: Buffer.concat([Buffer.from(name), adobe]) });
export const clientMaker = makerOf('Genuine Adobe Flash Player 001');
export const serverMaker = makerOf('Genuine Adobe Flash Media Server 001');

/** Where the four bytes are whose sum says where the digest is, among the 728 places after them. Clients use the first. */
const placeOffsets = [8, 772];
const places = 728;

/** Puts the digest into C1 or S1, 1536 random bytes but for the first eight. @returns it */
export function imprintDigest(block: Buffer, { name }: Maker): Buffer {
  const start = digestStart(block, placeOffsets[0]!);
  const digest = digestAround(block, start, name);
  digest.copy(block, start);
  return digest;
}

/** The digest in C1 or S1; null where the maker put none. */
export function findDigest(block: Buffer, { name }: Maker): Buffer | null {
  for (const offset of placeOffsets) {
    const start = digestStart(block, offset);
    const digest = block.subarray(start, start + digestBytes);
    if (digest.equals(digestAround(block, start, name))) return digest;
  }
  return null;
}

/** C2 or S2 in answer to a block with a digest. @param random 1504 bytes */
export function answerToDigest(digest: Buffer, random: Buffer, { key }: Maker): Buffer {
  return Buffer.concat([random, hmac(hmac(key, digest), random)]);
}

function digestStart(block: Buffer, offset: number): number {
  const sum = block.subarray(offset, offset + 4).reduce((total, byte) => total + byte, 0);
  return offset + 4 + (sum % places);
}

function digestAround(block: Buffer, start: number, name: Buffer): Buffer {
  return hmac(name, block.subarray(0, start), block.subarray(start + digestBytes));
}

function hmac(key: Buffer, ...parts: readonly Buffer[]): Buffer {
  const hash = createHmac('sha256', key);
  for (const part of parts) hash.update(part);
  return hash.digest();
}
