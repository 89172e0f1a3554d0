// Imports into S3 in parts: another worker can continue one, and a deleted import leaves nothing behind.
import { CreateBucketCommand, ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { partBytes } from '../../lambda/domain/media/upload-parts.ts';
import { createS3ObjectStore } from '../../lambda/ports/object-store/s3-object-store.ts';
import { anyBytes, sendFile, startSource } from '../imports/source-server.ts';
import { requestImport, startWorker } from '../imports/worker.ts';
import { findAWSEmulator } from '../support/aws-emulator.ts';
import { testService } from '../support/service.ts';
import { objectKeyOf } from '../support/stored-uploads.ts';

const emulator = await findAWSEmulator();
const service = testService();
const patiently = { timeout: 20_000, interval: 20 };

describe.skipIf(emulator.missing)(`imports into S3 ${emulator.note}`, { timeout: 60_000 }, () => {
  const Bucket = 'imports';
  const client = { ...emulator.clientConfig, forcePathStyle: true };
  const s3 = new S3Client(client);
  const objects = createS3ObjectStore({ bucket: Bucket, client });
  beforeAll(async () => {
    await s3.send(new CreateBucketCommand({ Bucket }));
  });
  afterAll(() => emulator.stop());

  const multiparts = async () => (await s3.send(new ListMultipartUploadsCommand({ Bucket }))).Uploads?.length ?? 0;

  test('go on after the last whole part', async () => {
    const bytes = anyBytes(3 * partBytes + 1000);
    await using source = await startSource((request, response, number) => {
      if (number > 1) return sendFile(bytes, request, response);
      response
        .writeHead(200, { 'content-length': bytes.length, etag: '"one"' })
        .write(bytes.subarray(0, 2 * partBytes + 500));
    });
    const user = await service.user();
    const id = await requestImport(user, source.url('/a'));
    const look = async () => (await user.call('GET', `/uploads/${id}`)).body.externalSource;
    const first = startWorker(service.pool(), objects);
    await expect.poll(look, patiently).toMatchObject({ bytesReceived: 2 * partBytes + 500 });
    await first.stop();
    const second = startWorker(service.pool(), objects);
    await expect.poll(look, patiently).toMatchObject({ state: 'completed', bytesReceived: bytes.length });
    await second.stop();
    expect(source.requests.map(({ range }) => range)).toEqual([undefined, `bytes=${2 * partBytes}-`]);
    const stored = await buffer(await objects.read(await objectKeyOf(service, id)));
    expect(stored.equals(bytes)).toBe(true);
    expect(await multiparts()).toBe(0);
  });

  test('leave no parts when they are deleted', async () => {
    await using source = await startSource((_, response) =>
      response.writeHead(200, { 'content-length': 2 * partBytes, etag: '"x"' }).write(anyBytes(partBytes + 5)),
    );
    const user = await service.user();
    const id = await requestImport(user, source.url('/a'));
    const worker = startWorker(service.pool(), objects);
    await expect.poll(multiparts, patiently).toBe(1);
    expect((await user.call('DELETE', `/uploads/${id}`)).status).toBe(204);
    await expect.poll(multiparts, patiently).toBe(0);
    await worker.stop();
  });
});
