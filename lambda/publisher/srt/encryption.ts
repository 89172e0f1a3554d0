// Encrypts what goes over SRT with a key that is made for the connection.
import { createCipheriv, pbkdf2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';

const saltBytes = 16;
const iterations = 2048;
/** The integrity check of AES key wrap begins with this (RFC 3394, 2.2.3.1). */
const wrapStart = Buffer.alloc(8, 0xa6);
const wrapBytes = 8;

export type KeyBytes = 16 | 24 | 32;

/** The cipher of one connection. Its counters are the sequence numbers, which may not come round under one key. */
export class SrtCipher {
  readonly keyMaterial: Buffer;
  readonly #salt: Buffer;
  readonly #key: Buffer;

  private constructor(keyMaterial: Buffer, salt: Buffer, key: Buffer) {
    this.keyMaterial = keyMaterial;
    this.#salt = salt;
    this.#key = key;
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
    const counter = Buffer.alloc(16);
    this.#salt.copy(counter, 0, 0, 14);
    counter.writeUInt32BE((counter.readUInt32BE(10) ^ sequence) >>> 0, 10);
    return createCipheriv(`aes-${8 * this.#key.length}-ctr`, this.#key, counter).update(payload);
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
