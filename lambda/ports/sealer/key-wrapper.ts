// Wraps data keys for the database with a key that never is in one: KMS in AWS, a key file on one machine.
import { callAws, regionOf } from '../call-aws.ts';
import type { AwsPlace } from '../call-aws.ts';
import { decrypt, encrypt } from './authenticated-encryption.ts';

export interface KeyWrapper {
  wrap(dataKey: Buffer): Promise<Buffer>;
  /** @throws when it was wrapped with another key, or altered */
  unwrap(wrappedKey: Buffer): Promise<Buffer>;
}

/** Bound to what is wrapped: KMS unwraps with the same context only, and writes it into CloudTrail. */
const purpose = 'data key';

/** @param place default: where the key is */
export function createKMSKeyWrapper(keyARN: string, place: AwsPlace = { region: regionOf(keyARN) }): KeyWrapper {
  const key = { KeyId: keyARN, EncryptionContext: { purpose } };
  return {
    async wrap(dataKey) {
      const { CiphertextBlob } = await callAws<{ CiphertextBlob: string }>(
        'kms',
        'Encrypt',
        { ...key, Plaintext: dataKey.toString('base64') },
        place,
      );
      return Buffer.from(CiphertextBlob, 'base64');
    },
    async unwrap(wrappedKey) {
      const { Plaintext } = await callAws<{ Plaintext: string }>(
        'kms',
        'Decrypt',
        { ...key, CiphertextBlob: wrappedKey.toString('base64') },
        place,
      );
      return Buffer.from(Plaintext, 'base64');
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
