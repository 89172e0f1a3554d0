// The object store of AWS fulfils the contract.
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

describe('upload URLs of S3', () => {
  const store = createS3ObjectStore({ bucket: 'bucket', client: emulator.clientConfig });
  const limits = { contentType: 'video/mp4', maxBytes: 100, expiresInSeconds: 60 };

  test.each([
    [{ ...limits, contentLength: 10 }, 'content-length;content-type;host;if-none-match'],
    [limits, 'content-type;host;if-none-match'],
  ])('sign type and length, and no checksum, as there is no body yet: %j', async (given, signedHeaders) => {
    const { url, headers } = await store.presignPut('a/b', given);
    expect(headers).toEqual({ 'content-type': 'video/mp4', 'if-none-match': '*' });
    const { searchParams } = new URL(url);
    expect(searchParams.get('X-Amz-SignedHeaders')).toBe(signedHeaders);
    expect(searchParams.get('X-Amz-Expires')).toBe('60');
    expect([...searchParams.keys()].filter((name) => /checksum/i.test(name))).toEqual([]);
  });

  test.each([null, 'mHn7hnC9N8Iy+8HG1lE5uH8Y9ZkCZ0Ftr1A7M0xiK8E='])(
    'of a part sign its length, and its checksum where it has one: %s',
    async (sha256) => {
      const limits = { partNumber: 7, contentLength: 10, sha256, expiresInSeconds: 60 };
      const { url, headers } = await store.presignPart('a/b', 'an-id', limits);
      expect(headers).toEqual({});
      const { searchParams } = new URL(url);
      expect(searchParams.get('X-Amz-SignedHeaders')).toBe('content-length;host');
      expect([searchParams.get('partNumber'), searchParams.get('uploadId')]).toEqual(['7', 'an-id']);
      expect(searchParams.get('x-amz-checksum-sha256')).toBe(sha256);
      expect([...searchParams.keys()].filter((name) => /checksum/i.test(name))).toHaveLength(sha256 === null ? 0 : 1);
    },
  );
});
