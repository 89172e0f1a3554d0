// Key material of SRT: the keys of a connection, wrapped by a key that is derived from the passphrase.
import { createCipheriv, createDecipheriv, pbkdf2 } from 'node:crypto';
import { promisify } from 'node:util';

export const saltBytes = 16;
export type KeyBytes = 16 | 24 | 32;
const headerBytes = 16;
const iterations = 2048;
/** The integrity check of AES key wrap begins with this (RFC 3394, 2.2.3.1). */
const wrapStart = Buffer.alloc(8, 0xa6);
const wrapBytes = 8;
/** Version 1, type key material, the signature of SRT. */
const signature = Buffer.of(0x12, 0x20, 0x29);
/** AES in counter mode, without authentication, of a transport stream. */
const cipher = Buffer.of(2, 0, 2);
const cipherOffset = 8;

/** Two keys take turns, so that the next one is known before it is used. */
export type KeyName = 'even' | 'odd';
const nameBits = { even: 1, odd: 2 } as const;

export interface KeyMaterial {
  /** All of it, as an answer repeats it. */
  readonly bytes: Buffer;
  readonly salt: Buffer;
  readonly keyBytes: KeyBytes;
  /** The keys in their order, at least one. */
  readonly names: readonly KeyName[];
  readonly wrapped: Buffer;
}

/** @param key the even key @param wrapping as `wrappingKey` derives it */
export function writeKeyMaterial(key: Buffer, salt: Buffer, wrapping: Buffer): Buffer {
  const wrap = createCipheriv(`id-aes${8 * wrapping.length}-wrap`, wrapping, wrapStart);
  const header = Buffer.alloc(headerBytes);
  signature.copy(header);
  header[signature.length] = nameBits.even;
  cipher.copy(header, cipherOffset);
  header[headerBytes - 2] = saltBytes / 4;
  header[headerBytes - 1] = key.length / 4;
  return Buffer.concat([header, salt, wrap.update(key), wrap.final()]);
}

/** @returns null for bytes that are no key material, and for another cipher than AES in counter mode */
export function parseKeyMaterial(bytes: Buffer): KeyMaterial | null {
  if (bytes.length < headerBytes || !bytes.subarray(0, signature.length).equals(signature)) return null;
  if (!bytes.subarray(cipherOffset, cipherOffset + cipher.length).equals(cipher)) return null;
  const bits = bytes[signature.length]!;
  const names = (['even', 'odd'] as const).filter((name) => (bits & nameBits[name]) !== 0);
  const keyBytes = 4 * bytes[headerBytes - 1]!;
  if (names.length === 0 || !isKeyBytes(keyBytes) || 4 * bytes[headerBytes - 2]! !== saltBytes) return null;
  const wrappedAt = headerBytes + saltBytes;
  if (bytes.length !== wrappedAt + names.length * keyBytes + wrapBytes) return null;
  const salt = bytes.subarray(headerBytes, wrappedAt);
  return { bytes, salt, keyBytes, names, wrapped: bytes.subarray(wrappedAt) };
}

export function isKeyBytes(count: number): count is KeyBytes {
  return count === 16 || count === 24 || count === 32;
}

/** Derives the key that wraps keys, in about a millisecond of another thread. */
export function wrappingKey(passphrase: string, salt: Buffer, keyBytes: KeyBytes): Promise<Buffer> {
  return promisify(pbkdf2)(passphrase, salt.subarray(saltBytes / 2), iterations, keyBytes, 'sha1');
}

/** The keys by their names; null if another key has wrapped them. */
export function unwrapKeys(
  { names, keyBytes, wrapped }: KeyMaterial,
  wrapping: Buffer,
): ReadonlyMap<KeyName, Buffer> | null {
  try {
    const unwrap = createDecipheriv(`id-aes${8 * keyBytes}-wrap`, wrapping, wrapStart);
    const keys = Buffer.concat([unwrap.update(wrapped), unwrap.final()]);
    return new Map(names.map((name, index) => [name, keys.subarray(index * keyBytes, (index + 1) * keyBytes)]));
  } catch {
    return null;
  }
}

/** True if the other side could unwrap our key: then its answer repeats all of the key material. */
export function isKeyTaken(answer: Buffer, keyBytes: KeyBytes): boolean {
  return answer.length >= headerBytes + saltBytes + keyBytes + wrapBytes;
}
