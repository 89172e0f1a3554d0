// Wrapper of the data keys in the database. Its own key is never in a database: it is in KMS in AWS, in a file here.
import { callAws, regionOf } from '../aws/call-aws.ts';
import type { AwsPlace } from '../aws/call-aws.ts';
import { keyContext } from '../../domain/shared/sealed-places.ts';
import type { KeyPurpose } from '../../domain/shared/sealed-places.ts';
import { decrypt, encrypt } from './authenticated-encryption.ts';

export interface KeyWrapper {
  /** Purpose of the data keys that it wraps and unwraps; it takes no others. */
  readonly purpose: KeyPurpose;
  wrap(dataKey: Buffer): Promise<Buffer>;
  /** @throws {Error} if the data key was wrapped by another key, or changed */
  unwrap(wrappedKey: Buffer): Promise<Buffer>;
}

/** @param place default: the place of the key */
export function createKMSKeyWrapper(
  keyARN: string,
  purpose: KeyPurpose,
  place: AwsPlace = { region: regionOf(keyARN) },
): KeyWrapper {
  const key = { KeyId: keyARN, EncryptionContext: keyContext(purpose) };
  return {
    purpose,
    async wrap(dataKey) {
      const input = { ...key, Plaintext: dataKey.toString('base64') };
      const { CiphertextBlob } = await callAws<{ CiphertextBlob: string }>('kms', 'Encrypt', input, place);
      return Buffer.from(CiphertextBlob, 'base64');
    },
    async unwrap(wrappedKey) {
      const input = { ...key, CiphertextBlob: wrappedKey.toString('base64') };
      const { Plaintext } = await callAws<{ Plaintext: string }>('kms', 'Decrypt', input, place);
      return Buffer.from(Plaintext, 'base64');
    },
  };
}

/** @param masterKey 32 bytes, the content of the key file */
export function createFileKeyWrapper(masterKey: Buffer, purpose: KeyPurpose): KeyWrapper {
  return {
    purpose,
    wrap: async (dataKey) => encrypt(masterKey, dataKey, purpose),
    unwrap: async (wrappedKey) => decrypt(masterKey, wrappedKey, purpose),
  };
}
