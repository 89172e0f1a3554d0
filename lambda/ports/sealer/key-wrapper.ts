// Wraps data keys for the database with a key that never is in one: KMS in AWS, a key file on one machine.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { DecryptCommand, EncryptCommand } from '@aws-sdk/client-kms';
import type { KMSClient } from '@aws-sdk/client-kms';

export interface KeyWrapper {
  wrap(dataKey: Buffer): Promise<Buffer>;
  /** @throws when it was wrapped with another key, or altered */
  unwrap(wrappedKey: Buffer): Promise<Buffer>;
}

/** Bound to what is wrapped: KMS unwraps with the same context only, and writes it into CloudTrail. */
const purpose = 'data key';

export function createKMSKeyWrapper(kms: Pick<KMSClient, 'send'>, keyARN: string): KeyWrapper {
  const key = { KeyId: keyARN, EncryptionContext: { purpose } };
  return {
    async wrap(dataKey) {
      const { CiphertextBlob } = await kms.send(new EncryptCommand({ ...key, Plaintext: dataKey }));
      return Buffer.from(CiphertextBlob!);
    },
    async unwrap(wrappedKey) {
      const { Plaintext } = await kms.send(new DecryptCommand({ ...key, CiphertextBlob: wrappedKey }));
      return Buffer.from(Plaintext!);
    },
  };
}

const nonceBytes = 12;
const tagBytes = 16;

/** AES-256-GCM. Layout: nonce (12 bytes), tag (16 bytes), ciphertext. @param masterKey 32 bytes, the content of the key file */
export function createFileKeyWrapper(masterKey: Buffer): KeyWrapper {
  return {
    async wrap(dataKey) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', masterKey, nonce).setAAD(Buffer.from(purpose));
      const ciphertext = Buffer.concat([cipher.update(dataKey), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
    },
    async unwrap(wrappedKey) {
      const decipher = createDecipheriv('aes-256-gcm', masterKey, wrappedKey.subarray(0, nonceBytes), { authTagLength: tagBytes })
        .setAAD(Buffer.from(purpose))
        .setAuthTag(wrappedKey.subarray(nonceBytes, nonceBytes + tagBytes));
      return Buffer.concat([decipher.update(wrappedKey.subarray(nonceBytes + tagBytes)), decipher.final()]);
    },
  };
}
