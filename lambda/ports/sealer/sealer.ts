// Keeps secrets unreadable at rest: what is sealed can only be opened in the place that it was sealed for.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

export interface Sealer {
  /** @param place where the secret is kept, such as `destination/ID`; a sealed secret moved elsewhere does not open */
  seal(secret: string, place: string): Buffer;
  /** @throws when the bytes were altered, moved, or sealed with a key that is not here */
  open(sealed: Buffer, place: string): string;
}

/** A key that secrets are sealed with. */
export interface DataKey {
  /** 1 to 255: stands before everything that was sealed with it. */
  readonly id: number;
  /** 32 bytes. */
  readonly key: Buffer;
}

const idBytes = 1;
const nonceBytes = 12;
const tagBytes = 16;

/**
 * AES-256-GCM. Layout: id of the data key (1 byte), nonce (12 bytes), tag (16 bytes), ciphertext.
 * @param dataKeys all there are; the last one seals
 */
export function createSealer(dataKeys: readonly [...DataKey[], DataKey]): Sealer {
  const newest = dataKeys.at(-1)!;
  return {
    seal(secret, place) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', newest.key, nonce).setAAD(Buffer.from(place));
      const ciphertext = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return Buffer.concat([Buffer.from([newest.id]), nonce, cipher.getAuthTag(), ciphertext]);
    },
    open(sealed, place) {
      const dataKey = dataKeys.find(({ id }) => id === sealed[0]);
      if (!dataKey) throw new Error('sealed with a data key that is not here');
      const afterNonce = idBytes + nonceBytes;
      const decipher = createDecipheriv('aes-256-gcm', dataKey.key, sealed.subarray(idBytes, afterNonce), { authTagLength: tagBytes })
        .setAAD(Buffer.from(place))
        .setAuthTag(sealed.subarray(afterNonce, afterNonce + tagBytes));
      return Buffer.concat([decipher.update(sealed.subarray(afterNonce + tagBytes)), decipher.final()]).toString('utf8');
    },
  };
}
