// The object store of AWS keeps the contract.
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { beforeAll } from 'vitest';
import { createS3ObjectStore } from '../../lambda/ports/object-store/s3-object-store.ts';
import { describeWithAWS } from '../support/aws-emulator.ts';
import { objectStoreContract } from './object-store-contract.ts';

await describeWithAWS('S3 object store', ({ clientConfig }) => {
  const bucket = 'object-store-contract';
  const client = { ...clientConfig, forcePathStyle: true };
  beforeAll(async () => {
    await new S3Client(client).send(new CreateBucketCommand({ Bucket: bucket }));
  });
  objectStoreContract(() => ({
    store: createS3ObjectStore({ bucket, client }),
    anHourAgo: createS3ObjectStore({ bucket, client, now: () => new Date(Date.now() - 3_600_000) }),
  }));
});
