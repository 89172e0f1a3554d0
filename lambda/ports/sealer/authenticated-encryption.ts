// AES-256-GCM as everything here is encrypted with it. Layout: nonce (12 bytes), tag (16 bytes), ciphertext.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const nonceBytes = 12;
const tagBytes = 16;

/** @param key 32 bytes @param boundTo what the ciphertext belongs to: with anything else it does not decrypt */
export function encrypt(key: Buffer, plaintext: Buffer, boundTo: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(boundTo));
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
}

/** @throws when it was encrypted with another key, bound to something else, or altered */
export function decrypt(key: Buffer, encrypted: Buffer, boundTo: string): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, encrypted.subarray(0, nonceBytes), { authTagLength: tagBytes })
    .setAAD(Buffer.from(boundTo))
    .setAuthTag(encrypted.subarray(nonceBytes, nonceBytes + tagBytes));
  return Buffer.concat([decipher.update(encrypted.subarray(nonceBytes + tagBytes)), decipher.final()]);
}
