// Encrypts what goes over SRT with a key that is made for the connection.
import { createCipheriv, pbkdf2, randomBytes } from 'node:crypto';
import type { Cipheriv } from 'node:crypto';
import { promisify } from 'node:util';
import { maxPayloadBytes } from './packet.ts';

const saltBytes = 16;
const blockBytes = 16;
/** Where a counter has the sequence number of its packet, and where the number of its block in the packet. */
const [sequenceOffset, blockNumberOffset] = [10, 14];
const iterations = 2048;
/** The integrity check of AES key wrap begins with this (RFC 3394, 2.2.3.1). */
const wrapStart = Buffer.alloc(8, 0xa6);
const wrapBytes = 8;

export type KeyBytes = 16 | 24 | 32;

/**
 * The cipher of one connection: AES in counter mode. Its counters are the sequence numbers, which may not come round
 * under one key. A cipher of Node's own for each packet would take many times as long as the encryption.
 */
export class SrtCipher {
  readonly keyMaterial: Buffer;
  readonly #blocks: Cipheriv;
  /** The counters of the blocks of one packet, but for its sequence number. */
  readonly #counters: Buffer;
  /** The four bytes of the salt to which sequence numbers are added. */
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

  /** Makes a key, which goes to the other side wrapped by one that is derived from the passphrase. */
  static async make(passphrase: string, keyBytes: KeyBytes): Promise<SrtCipher> {
    const salt = randomBytes(saltBytes);
    const key = randomBytes(keyBytes);
    const wrapping = await promisify(pbkdf2)(passphrase, salt.subarray(saltBytes / 2), iterations, keyBytes, 'sha1');
    const wrap = createCipheriv(`id-aes${8 * keyBytes}-wrap`, wrapping, wrapStart);
    const wrapped = Buffer.concat([wrap.update(key), wrap.final()]);
    return new SrtCipher(Buffer.concat([keyMaterialHeader(keyBytes), salt, wrapped]), salt, key);
  }

  /** @param sequence that of the packet whose payload it is */
  encrypt(payload: Buffer, sequence: number): Buffer {
    const counters = this.#counters.subarray(0, Math.ceil(payload.length / blockBytes) * blockBytes);
    const counter = (this.#saltOfSequence ^ sequence) >>> 0;
    for (let at = sequenceOffset; at < counters.length; at += blockBytes) counters.writeUInt32BE(counter, at);
    const encrypted = this.#blocks.update(counters).subarray(0, payload.length);
    for (let at = 0; at < payload.length; at++) encrypted[at]! ^= payload[at]!;
    return encrypted;
  }
}

/** Whether an answer to our key material says that the other side could unwrap it: then it repeats all of it. */
export function isKeyTaken(answer: Buffer, keyBytes: KeyBytes): boolean {
  return answer.length >= keyMaterialHeader(keyBytes).length + saltBytes + keyBytes + wrapBytes;
}

/** Version 1, of the type of key material, signed as all of them; the even key; AES-CTR of a transport stream. */
function keyMaterialHeader(keyBytes: KeyBytes): Buffer {
  return Buffer.of(0x12, 0x20, 0x29, 0x01, 0, 0, 0, 0, 2, 0, 2, 0, 0, 0, saltBytes / 4, keyBytes / 4);
}
