// Wraps data keys for the database with a key that never is in one: KMS in AWS, a key file on one machine.
import { DecryptCommand, EncryptCommand } from '@aws-sdk/client-kms';
import type { KMSClient } from '@aws-sdk/client-kms';
import { decrypt, encrypt } from './authenticated-encryption.ts';

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

/** @param masterKey 32 bytes, the content of the key file */
export function createFileKeyWrapper(masterKey: Buffer): KeyWrapper {
  return {
    wrap: async (dataKey) => encrypt(masterKey, dataKey, purpose),
    unwrap: async (wrappedKey) => decrypt(masterKey, wrappedKey, purpose),
  };
}
