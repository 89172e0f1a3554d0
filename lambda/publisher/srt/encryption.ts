// Encrypts and decrypts the payloads of SRT: AES in counter mode, with a key that is made for the connection.
import { createCipheriv, randomBytes } from 'node:crypto';
import type { Cipheriv } from 'node:crypto';
import { saltBytes, wrappingKey, writeKeyMaterial } from './key-material.ts';
import type { KeyBytes } from './key-material.ts';

const blockBytes = 16;
/** Offsets in a counter of the packet's sequence number, and of the block's number in the packet. */
const [sequenceOffset, blockNumberOffset] = [10, 14];
/** The largest payload of a packet in a frame of an Ethernet. */
const mostPayloadBytes = 1456;

/**
 * The cipher of one key. Its counters are the sequence numbers, which may not repeat under one key. Making a cipher
 * object of Node for each packet would take many times as long as the encryption.
 */
export class PacketCipher {
  readonly #blocks: Cipheriv;
  /** The counters of the blocks of one packet, without its sequence number. */
  readonly #counters: Buffer;
  /** Four bytes of the salt. They are combined with sequence numbers. */
  readonly #saltOfSequence: number;

  constructor(key: Buffer, salt: Buffer) {
    this.#blocks = createCipheriv(`aes-${8 * key.length}-ecb`, key, null).setAutoPadding(false);
    this.#saltOfSequence = salt.readUInt32BE(sequenceOffset);
    this.#counters = Buffer.alloc(Math.ceil(mostPayloadBytes / blockBytes) * blockBytes);
    for (let at = 0; at < this.#counters.length; at += blockBytes) {
      salt.copy(this.#counters, at, 0, blockNumberOffset);
      this.#counters.writeUInt16BE(at / blockBytes, at + blockNumberOffset);
    }
  }

  /**
   * Encrypts a payload, or decrypts one that was encrypted.
   * @param sequence the sequence number of the payload's packet
   * @returns null for a payload that is too large for a packet
   */
  apply(payload: Buffer, sequence: number): Buffer | null {
    if (payload.length > mostPayloadBytes) return null;
    const counters = this.#counters.subarray(0, Math.ceil(payload.length / blockBytes) * blockBytes);
    const counter = (this.#saltOfSequence ^ sequence) >>> 0;
    for (let at = sequenceOffset; at < counters.length; at += blockBytes) counters.writeUInt32BE(counter, at);
    const applied = this.#blocks.update(counters).subarray(0, payload.length);
    for (let at = 0; at < payload.length; at++) applied[at]! ^= payload[at]!;
    return applied;
  }
}

/** The cipher of a connection of ours, and the key material that tells the other side its key. */
export class SrtCipher {
  readonly keyMaterial: Buffer;
  readonly #cipher: PacketCipher;

  private constructor(keyMaterial: Buffer, cipher: PacketCipher) {
    this.keyMaterial = keyMaterial;
    this.#cipher = cipher;
  }

  /** Makes a key. `keyMaterial` holds it, wrapped by a key that is derived from the passphrase. */
  static async make(passphrase: string, keyBytes: KeyBytes): Promise<SrtCipher> {
    const [salt, key] = [randomBytes(saltBytes), randomBytes(keyBytes)];
    const wrapping = await wrappingKey(passphrase, salt, keyBytes);
    return new SrtCipher(writeKeyMaterial(key, salt, wrapping), new PacketCipher(key, salt));
  }

  /** @param payload at most `maxPayloadBytes` @param sequence the sequence number of the payload's packet */
  encrypt(payload: Buffer, sequence: number): Buffer {
    return this.#cipher.apply(payload, sequence)!;
  }
}
