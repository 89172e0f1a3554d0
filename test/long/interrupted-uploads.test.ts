// Multipart uploads over a dropping connection by a client that is killed: into a local run, and into S3.
import { CreateBucketCommand, ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3';
import { getRequestListener } from '@hono/node-server';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { partBytes } from '../../lambda/domain/media/upload-parts.ts';
import { createS3ObjectStore } from '../../lambda/ports/object-store/s3-object-store.ts';
import { createRestHandler } from '../../lambda/surfaces/rest/rest-handler.ts';
import { findAWSEmulator } from '../support/aws-emulator.ts';
import { sendInterrupted, writeNoise } from '../support/interrupted-upload.ts';
import type { InterruptedUpload } from '../support/interrupted-upload.ts';
import { until } from '../support/local-run.ts';
import { testService } from '../support/service.ts';
import { testLocalRun } from '../support/test-local-run.ts';

/** Size of the file. `PARTS_MEBIBYTES=1024` makes it longer. */
const sizeBytes = Number(process.env['PARTS_MEBIBYTES'] ?? 200) * 1024 ** 2 + 12_345;
const options = { dropEveryMs: 700, kills: 3, parallel: 1 };
const emulator = await findAWSEmulator();
let folder: string;
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'interrupted-'));
  file = join(folder, 'noise.wav');
  await writeNoise(file, sizeBytes);
});
afterAll(async () => {
  await emulator.stop();
  await rm(folder, { recursive: true });
});

async function sha256Of(body: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(body, hash);
  return hash.digest('hex');
}

/** Each interruption repeats at most one part; requests of the API and headers add to that. */
function expectLittleTwice({ bytesSent, drops, kills }: InterruptedUpload): void {
  const interruptions = drops + kills;
  const small = (Math.ceil(sizeBytes / partBytes) + interruptions) * 4096;
  expect(kills).toBe(options.kills);
  expect(drops).toBeGreaterThan(0);
  expect(bytesSent - sizeBytes).toBeLessThanOrEqual(interruptions * partBytes + small);
}

describe('a local run', () => {
  const run = testLocalRun();

  test('gets the file byte by byte, and examines it', async () => {
    const sent = await sendInterrupted(file, sizeBytes, run.connection, options);
    expectLittleTwice(sent);
    const { url } = await run.api('POST', `/uploads/${sent.uploadID}/download-url`);
    expect(await sha256Of((await fetch(url)).body!)).toBe(await sha256Of(createReadStream(file)));
    const look = () => run.api('GET', `/uploads/${sent.uploadID}`);
    await until(async () => (await look()).probeState !== 'pending');
    expect(await look()).toMatchObject({
      probeState: 'completed',
      durationSeconds: expect.closeTo(sizeBytes / 192_000, 0),
    });
  });
});

describe.skipIf(emulator.missing)(`S3 ${emulator.note}`, () => {
  const service = testService();
  const Bucket = 'interrupted';
  const client = { ...emulator.clientConfig, forcePathStyle: true };
  const s3 = new S3Client(client);

  test('gets the file byte by byte, and keeps no parts', async () => {
    await rm(`${file}.upload`, { force: true });
    await s3.send(new CreateBucketCommand({ Bucket }));
    const objects = createS3ObjectStore({ bucket: Bucket, client });
    const handler = createRestHandler({ ...service.service(), objects });
    const listener = getRequestListener((request) => handler(request, '127.0.0.1'));
    const server = createServer((request, response) => void listener(request, response));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    try {
      const apiURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
      const user = await service.user();
      const sent = await sendInterrupted(file, sizeBytes, { apiURL, apiKey: user.apiKey }, options);
      expectLittleTwice(sent);
      const stored = await objects.read(`uploads/${user.id}/${sent.uploadID}`);
      expect(await sha256Of(stored)).toBe(await sha256Of(createReadStream(file)));
      expect((await s3.send(new ListMultipartUploadsCommand({ Bucket }))).Uploads ?? []).toEqual([]);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
