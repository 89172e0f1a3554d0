// The decryption of one contributor's SRT packets. The passphrase is used once, in the handshake.
import { PacketCipher } from '../publisher/srt/encryption.ts';
import { parseKeyMaterial, unwrapKeys, wrappingKey } from '../publisher/srt/key-material.ts';
import type { KeyMaterial, KeyName } from '../publisher/srt/key-material.ts';
import type { ContributionEncryption, EncryptionFault } from './contribution.ts';

/** The encryption that a caller asks for in its handshake. */
export class CallerEncryption implements ContributionEncryption {
  readonly #material: KeyMaterial | null;
  #decryption: SrtDecryption | null = null;

  /** @param material null: the caller does not encrypt */
  constructor(material: KeyMaterial | null) {
    this.#material = material;
  }

  /** Null unless the passphrase was the right one. */
  get decryption(): SrtDecryption | null {
    return this.#decryption;
  }

  async faultFor(passphrase: string | null): Promise<EncryptionFault | null> {
    if (passphrase === null) return this.#material ? 'encrypted' : null;
    if (!this.#material) return 'unencrypted';
    this.#decryption = await SrtDecryption.open(this.#material, passphrase);
    return this.#decryption ? null : 'wrong_passphrase';
  }
}

export class SrtDecryption {
  readonly #wrapping: Buffer;
  /** The salt that the wrapping key was derived with. */
  readonly #salt: Buffer;
  readonly #ciphers = new Map<KeyName, PacketCipher>();
  #taken: Buffer | null = null;

  private constructor(wrapping: Buffer, salt: Buffer) {
    this.#wrapping = wrapping;
    this.#salt = salt;
  }

  /** @returns null if another passphrase has wrapped the keys */
  static async open(material: KeyMaterial, passphrase: string): Promise<SrtDecryption | null> {
    const wrapping = await wrappingKey(passphrase, material.salt, material.keyBytes);
    const decryption = new SrtDecryption(wrapping, material.salt);
    return decryption.#take(material) ? decryption : null;
  }

  /**
   * Takes further keys of the connection, under the same passphrase, salt and key length, as encoders send them. Others
   * would need the passphrase again.
   * @returns whether they were taken, or had been before
   */
  refresh(bytes: Buffer): boolean {
    if (this.#taken?.equals(bytes)) return true;
    const material = parseKeyMaterial(bytes);
    if (material?.keyBytes !== this.#wrapping.length || !material.salt.equals(this.#salt)) return false;
    return this.#take(material);
  }

  /** @returns null for a packet that a key encrypts which is not known, and for one that is too large */
  decrypt(payload: Buffer, sequence: number, name: KeyName): Buffer | null {
    return this.#ciphers.get(name)?.apply(payload, sequence) ?? null;
  }

  #take(material: KeyMaterial): boolean {
    const keys = unwrapKeys(material, this.#wrapping);
    if (!keys) return false;
    for (const [name, key] of keys) this.#ciphers.set(name, new PacketCipher(key, this.#salt));
    this.#taken = material.bytes;
    return true;
  }
}
