// Encrypts the payloads of SRT with a key that is made for the connection.
import { createCipheriv, pbkdf2, randomBytes } from 'node:crypto';
import type { Cipheriv } from 'node:crypto';
import { promisify } from 'node:util';
import { maxPayloadBytes } from './packet.ts';

const saltBytes = 16;
const blockBytes = 16;
/** Offsets in a counter of the packet's sequence number, and of the block's number in the packet. */
const [sequenceOffset, blockNumberOffset] = [10, 14];
const iterations = 2048;
/** The integrity check of AES key wrap begins with this (RFC 3394, 2.2.3.1). */
const wrapStart = Buffer.alloc(8, 0xa6);
const wrapBytes = 8;

export type KeyBytes = 16 | 24 | 32;

/**
 * The cipher of one connection: AES in counter mode. Its counters are the sequence numbers, which may not repeat under
 * one key. Making a cipher object of Node for each packet would take many times as long as the encryption.
 */
export class SrtCipher {
  readonly keyMaterial: Buffer;
  readonly #blocks: Cipheriv;
  /** The counters of the blocks of one packet, without its sequence number. */
  readonly #counters: Buffer;
  /** Four bytes of the salt. They are combined with sequence numbers. */
  readonly #saltOfSequence: number;

  private constructor(keyMaterial: Buffer, salt: Buffer, key: Buffer) {
    this.keyMaterial = keyMaterial;
    this.#blocks = createCipheriv(`aes-${8 * key.length}-ecb`, key, null).setAutoPadding(false);
    this.#saltOfSequence = salt.readUInt32BE(sequenceOffset);
    this.#counters = Buffer.alloc(Math.ceil(maxPayloadBytes / blockBytes) * blockBytes);
    for (let at = 0; at < this.#counters.length; at += blockBytes) {
      salt.copy(this.#counters, at, 0, blockNumberOffset);
      this.#counters.writeUInt16BE(at / blockBytes, at + blockNumberOffset);
    }
  }

  /** Makes a key. `keyMaterial` holds it, wrapped by a key that is derived from the passphrase. */
  static async make(passphrase: string, keyBytes: KeyBytes): Promise<SrtCipher> {
    const salt = randomBytes(saltBytes);
    const key = randomBytes(keyBytes);
    const wrapping = await promisify(pbkdf2)(passphrase, salt.subarray(saltBytes / 2), iterations, keyBytes, 'sha1');
    const wrap = createCipheriv(`id-aes${8 * keyBytes}-wrap`, wrapping, wrapStart);
    const wrapped = Buffer.concat([wrap.update(key), wrap.final()]);
    return new SrtCipher(Buffer.concat([keyMaterialHeader(keyBytes), salt, wrapped]), salt, key);
  }

  /** @param sequence the sequence number of the payload's packet */
  encrypt(payload: Buffer, sequence: number): Buffer {
    const counters = this.#counters.subarray(0, Math.ceil(payload.length / blockBytes) * blockBytes);
    const counter = (this.#saltOfSequence ^ sequence) >>> 0;
    for (let at = sequenceOffset; at < counters.length; at += blockBytes) counters.writeUInt32BE(counter, at);
    const encrypted = this.#blocks.update(counters).subarray(0, payload.length);
    for (let at = 0; at < payload.length; at++) encrypted[at]! ^= payload[at]!;
    return encrypted;
  }
}

/** True if the other side could unwrap our key: then its answer repeats all of the key material. */
export function isKeyTaken(answer: Buffer, keyBytes: KeyBytes): boolean {
  return answer.length >= keyMaterialHeader(keyBytes).length + saltBytes + keyBytes + wrapBytes;
}

/** Version 1, type key material, the signature of SRT; the even key; AES-CTR of a transport stream. */
function keyMaterialHeader(keyBytes: KeyBytes): Buffer {
  return Buffer.of(0x12, 0x20, 0x29, 0x01, 0, 0, 0, 0, 2, 0, 2, 0, 0, 0, saltBytes / 4, keyBytes / 4);
}
