// The synthetic stream's ingest in AWS: the objects in the bucket show whether pictures have arrived.
import { randomUUID } from 'node:crypto';
import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hlsFileURL, parseHlsURL } from '../../lambda/domain/destinations/ways/hls.ts';
import { createS3Ingest } from '../../lambda/synthetic/s3-ingest.ts';
import { findAWSEmulator } from '../support/aws-emulator.ts';

const emulator = await findAWSEmulator();
const bucket = `ingest-${randomUUID()}`;

test('its address is one of HLS by PUT, with another key for each start', async () => {
  const origin = `https://${bucket}.s3.eu-central-1.amazonaws.com/`;
  const ingest = createS3Ingest({ bucket, region: 'eu-central-1', client: emulator.clientConfig });
  const places: string[] = [];
  for (let start = 0; start < 2; start++) {
    await using open = await ingest.open();
    const { url, streamKey } = open.destination;
    expect(parseHlsURL(url)).not.toBeNull();
    expect(hlsFileURL(url, streamKey, '1.ts')).toBe(`${origin}${streamKey}/1.ts`);
    places.push(streamKey);
  }
  expect(new Set(places).size).toBe(2);
});

describe.skipIf(emulator.missing)(`the bucket ${emulator.note}`, { timeout: 30_000 }, () => {
  const client = { ...emulator.clientConfig, forcePathStyle: true };
  const s3 = new S3Client(client);
  beforeAll(() => s3.send(new CreateBucketCommand({ Bucket: bucket })).then(() => {}));
  afterAll(() => emulator.stop());

  test('has pictures of a start once a segment of that one is in it, and not by its playlist', async () => {
    const ingest = createS3Ingest({ bucket, region: 'us-east-1', client });
    await using before = await ingest.open();
    await using open = await ingest.open();
    const put = (file: string) =>
      s3.send(new PutObjectCommand({ Bucket: bucket, Key: `${open.destination.streamKey}/${file}`, Body: 'bytes' }));
    expect(await open.hasPictures()).toBe(false);
    await put('live.m3u8');
    expect(await open.hasPictures()).toBe(false);
    await put('0a1b2c-0.ts');
    expect(await open.hasPictures()).toBe(true);
    expect(await before.hasPictures()).toBe(false);
  });
});
