// The object store of AWS keeps the contract.
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe } from 'vitest';
import { createS3ObjectStore } from '../../lambda/ports/object-store/s3-object-store.ts';
import { findAWSEmulator } from '../support/aws-emulator.ts';
import { objectStoreContract } from './object-store-contract.ts';

const emulator = await findAWSEmulator();

describe.skipIf(emulator.missing)(`S3 object store ${emulator.note}`, { timeout: 30_000 }, () => {
  const bucket = 'object-store-contract';
  const client = { ...emulator.clientConfig, forcePathStyle: true };
  beforeAll(async () => {
    await new S3Client(client).send(new CreateBucketCommand({ Bucket: bucket }));
  });
  afterAll(() => emulator.stop());

  objectStoreContract(() => ({
    store: createS3ObjectStore({ bucket, client }),
    anHourAgo: createS3ObjectStore({ bucket, client, now: () => new Date(Date.now() - 3_600_000) }),
  }));
});
