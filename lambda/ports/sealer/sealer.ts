// Keeps secrets unreadable at rest: what is sealed can only be opened in the place that it was sealed for.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

export interface Sealer {
  /** @param place where the secret is kept, such as `destination/ID`; a sealed secret moved elsewhere does not open */
  seal(secret: string, place: string): Buffer;
  /** @throws when the bytes were altered, moved, or sealed with another key */
  open(sealed: Buffer, place: string): string;
}

const nonceBytes = 12;
const tagBytes = 16;

/** AES-256-GCM with a key derived from the service's secret. Layout: nonce (12 bytes), tag (16 bytes), ciphertext. */
export function createSealer(serviceSecret: string): Sealer {
  const key = Buffer.from(hkdfSync('sha256', serviceSecret, '', 'sealer', 32));
  return {
    seal(secret, place) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(place));
      const ciphertext = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
    },
    open(sealed, place) {
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes })
        .setAAD(Buffer.from(place))
        .setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
      return Buffer.concat([decipher.update(sealed.subarray(nonceBytes + tagBytes)), decipher.final()]).toString('utf8');
    },
  };
}
