// The built-in ingest accepts one publisher for each key, lets viewers watch, and is not harmed by other programs.
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, get } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Channel } from '../../bin/local/rtmp-sink/channel.ts';
import { startRtmpSink } from '../../bin/local/rtmp-sink/rtmp-sink.ts';
import type { RtmpSink } from '../../bin/local/rtmp-sink/rtmp-sink.ts';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import type { MediaMessage } from '../../lambda/publisher/rtmp/message.ts';
import { connectPublisher } from '../../lambda/publisher/rtmp/rtmp-client.ts';
import type { Publisher } from '../../lambda/publisher/destination/publisher.ts';
import { fileFacts, makeFlv, readFlv } from '../publisher/rtmp/flv-sample.ts';

const { ffmpegPath } = await findMediaTools(process.env);
const streamKey = 'my-secret-key';
const mib = 1024 * 1024;

let folder: string;
let sampleFile: string;
let sample: MediaMessage[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rtmp-sink-'));
  sampleFile = join(folder, 'sample.flv');
  await makeFlv(sampleFile, { seconds: 3 });
  sample = await readFlv(sampleFile);
});
afterAll(() => rm(folder, { recursive: true }));

async function startSink(): Promise<RtmpSink> {
  const sink = await startRtmpSink({ port: 0 });
  onTestFinished(() => sink.close());
  return sink;
}

function publish(sink: RtmpSink, key = streamKey, app = 'live'): Promise<Publisher> {
  const target = { url: `rtmp://127.0.0.1:${sink.port}/${app}`, streamKey: key };
  const options = { allowPrivateAddresses: true, connectTimeoutMs: 5000 };
  return connectPublisher(target, options, new AbortController().signal);
}

/** Resolves with the only channel once it is as expected. */
async function untilChannel(sink: RtmpSink, expected: Partial<Channel>): Promise<Channel> {
  await expect.poll(() => sink.channels()).toMatchObject([expected]);
  return sink.channels()[0]!;
}

interface Site {
  /** Requests a channel as a viewer does. */
  watch(channelID: string): Promise<IncomingMessage>;
  /** The server's side of each request. */
  readonly responses: ServerResponse[];
}

/** Starts an HTTP server that serves the channels of a sink at /{id}. */
async function startSite(sink: RtmpSink): Promise<Site> {
  const responses: ServerResponse[] = [];
  const server = createServer((request, response) => {
    responses.push(response);
    sink.serveFlv(request.url!.slice(1), request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    responses,
    watch: (channelID) =>
      new Promise((resolve, reject) => {
        get({ port, path: `/${channelID}`, agent: false }, resolve).on('error', reject);
      }),
  };
}

const keyframe = 0x17;
const interFrame = 0x27;

/** An empty picture of 1 MiB. */
function largePicture(firstByte: number, timestampMs: number): MediaMessage {
  return { type: 'video', timestampMs, payload: Buffer.concat([Buffer.of(firstByte, 1, 0, 0, 0), Buffer.alloc(mib)]) };
}

function framesOf(messages: readonly MediaMessage[], type: MediaMessage['type']): MediaMessage[] {
  return messages.filter((message) => message.type === type && message.payload[1] === 1);
}

describe('a publisher', () => {
  test('that is ffmpeg is shown with its facts, and without its key', async () => {
    const sink = await startSink();
    const rtmpURL = `rtmp://127.0.0.1:${sink.port}/live/${streamKey}`;
    for (const connections of [1, 2]) {
      const copy = ['-i', sampleFile, '-c', 'copy', '-f', 'flv', rtmpURL];
      await promisify(execFile)(ffmpegPath, ['-nostdin', '-v', 'error', ...copy]);
      const picture = { width: 640, height: 360, framerate: 30, videoCodec: 'h264' } as const;
      const channel = await untilChannel(sink, {
        ...picture,
        app: 'live',
        live: false,
        audioCodec: 'aac',
        timestampRegressions: 0,
        connections,
        videoFrames: framesOf(sample, 'video').length,
        audioFrames: framesOf(sample, 'audio').length,
      });
      expect(channel.id).toMatch(/^[0-9a-f]{12}$/);
      expect(channel.firstVideoAt!.getTime()).toBeGreaterThanOrEqual(channel.connectedAt.getTime());
      expect(channel.lastTimestampMs).toBeGreaterThan(2900);
      expect(JSON.stringify(sink.channels())).not.toContain(streamKey);
    }
  });

  test('keeps its key to itself while it is live', async () => {
    const sink = await startSink();
    const first = await publish(sink);
    await expect(publish(sink)).rejects.toThrow(expect.objectContaining({ code: 'already_publishing' }));
    const other = await publish(sink, 'another-key');
    expect(sink.channels().map(({ live, connections }) => [live, connections])).toEqual([
      [true, 1],
      [true, 1],
    ]);
    await Promise.all([first.close(), other.close()]);
    await publish(sink);
    expect(sink.channels().map(({ live, connections }) => [live, connections])).toEqual([
      [true, 2],
      [false, 1],
    ]);
  });

  test('that is killed is no longer live', async () => {
    const sink = await startSink();
    const rtmpURL = `rtmp://127.0.0.1:${sink.port}/live/${streamKey}`;
    const loop = ['-re', '-stream_loop', '-1', '-i', sampleFile, '-c', 'copy', '-f', 'flv', rtmpURL];
    const ffmpeg = spawn(ffmpegPath, ['-nostdin', '-v', 'error', ...loop]);
    onTestFinished(() => void ffmpeg.kill('SIGKILL'));
    await expect.poll(() => sink.channels()).toMatchObject([{ live: true, videoCodec: 'h264' }]);
    ffmpeg.kill('SIGKILL');
    await expect.poll(() => sink.channels()).toMatchObject([{ live: false }]);
  });

  test('that sends no metadata is shown with the size and rate that its video has, even fractions', async () => {
    const file = join(folder, 'odd-size.flv');
    await makeFlv(file, { seconds: 1, size: '638x358', framerate: '24000/1001' });
    const sink = await startSink();
    const publisher = await publish(sink);
    publisher.send((await readFlv(file)).filter(({ type }) => type !== 'data'));
    const { framerate } = await untilChannel(sink, { width: 638, height: 358 });
    expect(framerate).toBeCloseTo(23.976, 3);
  });

  test('that goes back in time is shown as such, but not one whose time passes 32 bits', async () => {
    const sink = await startSink();
    const publisher = await publish(sink);
    const [video] = framesOf(sample, 'video');
    const videoAt = (timestampMs: number) => ({ type: 'video', timestampMs, payload: video!.payload }) as const;
    publisher.send([videoAt(2 ** 32 - 20), videoAt(2 ** 32 + 13)]);
    await untilChannel(sink, { lastTimestampMs: 2 ** 32 + 13, timestampRegressions: 0 });
    // A connection carries 32 bits: 2^33 - 1 arrives as 2^32 - 1, 14 ms before the last frame.
    publisher.send([videoAt(2 ** 33 - 1)]);
    await expect.poll(() => sink.channels()).toMatchObject([{ lastTimestampMs: 2 ** 32 - 1, timestampRegressions: 1 }]);
  });

  test('may carry a token in its application, which is not shown', async () => {
    const sink = await startSink();
    await publish(sink, streamKey, 'live?token=t0ken');
    expect(sink.channels()).toMatchObject([{ app: 'live' }]);
  });
});

describe('a viewer', () => {
  test('who joins late gets a clean file from the last keyframe on, which ends with the broadcast', async () => {
    const sink = await startSink();
    const site = await startSite(sink);
    const publisher = await publish(sink);
    const half = sample.findIndex(({ type, timestampMs }) => type === 'video' && timestampMs >= 1500);
    publisher.send(sample.slice(0, half));
    const { id } = await untilChannel(sink, { videoFrames: framesOf(sample.slice(0, half), 'video').length });

    const response = await site.watch(id);
    const file = join(folder, 'viewer.flv');
    const saved = pipeline(response, createWriteStream(file));
    publisher.send(sample.slice(half));
    await publisher.close();
    await saved;

    expect(response.headers['content-type']).toBe('video/x-flv');
    const { video, audio, decodeErrors } = await fileFacts(file);
    expect(decodeErrors).toBe('');
    // Keyframes are at 0, 1 and 2 s: the viewer misses the first second.
    expect(video).toEqual({ packets: framesOf(sample, 'video').length - 30, dtsRises: true, startsWithKeyframe: true });
    expect(audio.dtsRises).toBe(true);
  });

  test('who does not read is dropped, and others lose nothing', async () => {
    const sink = await startSink();
    const site = await startSite(sink);
    const publisher = await publish(sink);
    publisher.send(sample.slice(0, 3));
    const { id } = await untilChannel(sink, { videoCodec: 'h264' });
    const [stalled, reading] = [await site.watch(id), await site.watch(id)];
    stalled.pause();
    stalled.on('error', () => {});
    let bytesRead = 0;
    reading.on('data', (data: Buffer) => {
      bytesRead += data.length;
    });

    const dropped = once(site.responses[0]!, 'close');
    for (let index = 0; index < 48; index++) {
      publisher.send([largePicture(keyframe, 1000 + index * 33)]);
      await expect.poll(() => bytesRead, { interval: 1 }).toBeGreaterThan((index + 1) * mib);
    }
    await dropped;
    expect(site.responses[1]!.destroyed).toBe(false);
  });

  test('waits for a keyframe of a publisher that stopped sending them, since memory is bounded', async () => {
    const sink = await startSink();
    const site = await startSite(sink);
    const publisher = await publish(sink);
    publisher.send([...sample.slice(0, 3), largePicture(keyframe, 1000)]);
    for (let index = 1; index <= 20; index++) publisher.send([largePicture(interFrame, 1000 + index * 33)]);
    const { id } = await untilChannel(sink, { videoFrames: 21 });
    const response = await site.watch(id);
    const body = buffer(response);
    publisher.send([largePicture(interFrame, 2000), largePicture(keyframe, 2033), largePicture(interFrame, 2066)]);
    await publisher.close();
    expect(Math.floor((await body).length / mib)).toBe(2);
  });

  test('of a channel that is not live, or of none, gets 404', async () => {
    const sink = await startSink();
    const site = await startSite(sink);
    const publisher = await publish(sink);
    await publisher.close();
    const { id } = await untilChannel(sink, { live: false });
    for (const channelID of [id, 'ffffffffffff']) {
      const response = await site.watch(channelID);
      expect(response.statusCode).toBe(404);
      response.resume();
    }
  });
});

test.for([
  ['noise', randomBytes(5000)],
  ['a request of a web browser', Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')],
  ['a handshake and then noise', Buffer.concat([Buffer.of(3), randomBytes(2 * 1536), Buffer.alloc(500, 0xff)])],
  [
    'a command that is cut off',
    Buffer.concat([Buffer.of(3), randomBytes(2 * 1536), Buffer.from('03000000000005140000000002ffff6162', 'hex')]),
  ],
] as const)('a program that sends %s is cut off, and publishers are still served', async ([, bytes]) => {
  const sink = await startSink();
  const stranger = connect(sink.port, '127.0.0.1').on('error', () => {});
  stranger.resume().write(bytes);
  await once(stranger, 'close');
  await expect(publish(sink)).resolves.toBeDefined();
});

test('the sink does not start on a port that is in use', async () => {
  const { port } = await startSink();
  await expect(startRtmpSink({ port })).rejects.toThrow(expect.objectContaining({ code: 'EADDRINUSE' }));
});
