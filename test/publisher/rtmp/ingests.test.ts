// Independent RTMP servers record the media of our client.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { MediaMessage } from '../../../lambda/publisher/rtmp/message.ts';
import { connectPublisher } from '../../../lambda/publisher/rtmp/rtmp-client.ts';
import type { Publisher } from '../../../lambda/publisher/destination/publisher.ts';
import { startFfmpegIngest, startNginxIngest } from '../../support/ingests.ts';
import type { Ingest } from '../../support/ingests.ts';
import { fileFacts, makeFlv, readFlv } from './flv-sample.ts';
import type { FileFacts } from './flv-sample.ts';

let folder: string;
let sample: MediaMessage[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rtmp-ingests-'));
  const file = join(folder, 'sample.flv');
  await makeFlv(file, { seconds: 4 });
  sample = await readFlv(file);
});
afterAll(() => rm(folder, { recursive: true }));

/** Sends the sample with all times later by `startMs`, and leaves the connection open. */
async function publishSample(ingest: Ingest, startMs: number): Promise<Publisher> {
  onTestFinished(() => ingest[Symbol.dispose]());
  const client = { allowPrivateAddresses: true, connectTimeoutMs: 5000 };
  const publisher = await connectPublisher(ingest.target, client, new AbortController().signal);
  publisher.send(sample.map((message) => ({ ...message, timestampMs: message.timestampMs + startMs })));
  return publisher;
}

function completeRecording(): FileFacts {
  const track = { dtsRises: true, startsWithKeyframe: true };
  return {
    video: { ...track, packets: frameCount('video') },
    audio: { ...track, packets: frameCount('audio') },
    decodeErrors: '',
  };
}

/** Messages of H.264 and AAC with packet type 1 are frames. The others are headers and ends. */
function frameCount(type: MediaMessage['type']): number {
  return sample.filter((message) => message.type === type && message.payload[1] === 1).length;
}

describe('nginx-rtmp records the stream whole', () => {
  test.for([
    ['at 0', 0],
    ['over the border of 24 bits', 0xff_ff_ff - 2000],
    ['over the wrap at 32 bits', 2 ** 32 - 2000],
  ] as const)('starting %s', async ([, startMs], { skip }) => {
    const ingest = await startNginxIngest({ recordFolder: await mkdtemp(join(folder, 'nginx-')) });
    skip(!ingest, 'nginx with its RTMP module is not installed');
    const publisher = await publishSample(ingest!, startMs);
    await expect.poll(() => publisher.bytesAcknowledged).toBeGreaterThan(publisher.bytesSent - 2 * 256 * 1024);
    await publisher.close();
    expect(await publisher.ended).toBeNull();
    expect(await fileFacts(await ingest!.finish())).toEqual(completeRecording());
  });
});

test('nginx-rtmp refuses a key in use, and an application that it does not have', async ({ skip }) => {
  const ingest = await startNginxIngest({ recordFolder: await mkdtemp(join(folder, 'nginx-')) });
  if (!ingest) return skip('nginx with its RTMP module is not installed');
  const publisher = await publishSample(ingest, 0);
  await expect(publishSample(ingest, 0)).rejects.toMatchObject({ code: 'already_publishing' });
  const { url } = ingest.target;
  const target = { url: url.replace('live', 'other'), streamKey: 'key' };
  await expect(publishSample({ ...ingest, target }, 0)).rejects.toMatchObject({ code: 'app_refused' });
  await publisher.close();
  expect(await publisher.ended).toBeNull();
});

test('ffmpeg that listens records the stream whole', async () => {
  const ingest = await startFfmpegIngest(join(folder, 'ffmpeg.flv'));
  const publisher = await publishSample(ingest, 0);
  await publisher.close();
  expect(await fileFacts(await ingest.finish())).toEqual(completeRecording());
});
