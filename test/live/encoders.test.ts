// Encoders of other vendors publish to the listener: over RTMP, RTMPS, and behind a load balancer.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { ContributionClaim } from '../../lambda/live/contribution.ts';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import type { MediaMessage } from '../../lambda/publisher/rtmp/message.ts';
import { makeFlv, readFlv } from '../publisher/rtmp/flv-sample.ts';
import { makeCertificate } from '../support/certificates.ts';
import { goodKey, RawClient, testListener } from './test-listener.ts';
import type { TestListener } from './test-listener.ts';

const run = promisify(execFile);
const { ffmpegPath } = await findMediaTools(process.env);
const certificate = await makeCertificate('DNS:localhost');
const hasGStreamer = await run('gst-inspect-1.0', ['rtmp2sink']).then(
  () => true,
  () => false,
);
const signature = '0d0a0d0a000d0a515549540a';
const header4 = Buffer.from(`${signature}2111000ccb007105c6336402c35e078f`, 'hex');
const header6 = Buffer.from(`${signature}21210024${'20010db8'.repeat(8)}c35e078f`, 'hex');

let folder: string;
let file: string;
let sample: MediaMessage[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'encoders-'));
  file = join(folder, 'sample.flv');
  await makeFlv(file, { seconds: 2 });
  sample = await readFlv(file);
});
afterAll(() => rm(folder, { recursive: true }));

const publish = (url: string, ...pace: string[]) =>
  run(ffmpegPath, ['-v', 'error', ...pace, '-i', file, '-c', 'copy', '-f', 'flv', url]);

/** Bodies of one kind, without the mark of the end, which ffmpeg adds. */
function bodies(messages: readonly { type: string; body: Buffer }[], type: string): string[] {
  const isEnd = (body: Buffer) => type === 'video' && body[1] === 2;
  return messages.filter((tag) => tag.type === type && !isEnd(tag.body)).map(({ body }) => body.toString('base64'));
}

interface Outcome {
  readonly claims: readonly ContributionClaim[];
  readonly video: readonly string[];
  readonly audio: readonly string[];
  readonly reachesItsEnd: boolean;
}

/** The outcome of one publication of the whole sample. */
function outcome({ protocol, address }: Omit<ContributionClaim, 'key'>): Outcome {
  const sent = sample.map(({ type, payload }) => ({ type, body: payload }));
  const claims = [{ protocol, address, key: goodKey }];
  return { claims, video: bodies(sent, 'video'), audio: bodies(sent, 'audio'), reachesItsEnd: true };
}

/** Waits for the end of the only contribution. */
async function received({ door, events }: TestListener): Promise<Outcome> {
  await expect.poll(() => events).toMatchObject([{ event: 'contributor_ended', reason: 'unpublished' }]);
  const tags = door.contributions.flatMap((contribution) => contribution.tags);
  expect(door.contributions.map(({ ends }) => ends)).toEqual([1]);
  const times = tags.filter(({ type }) => type === 'video').map(({ timestampMs }) => timestampMs);
  return {
    claims: door.claims,
    video: bodies(tags, 'video'),
    audio: bodies(tags, 'audio'),
    reachesItsEnd: times.at(-1)! > 1800,
  };
}

/** A load balancer that begins each connection with a header, in pieces. */
async function startBalancer(port: number, header: Buffer): Promise<number> {
  const server = createServer((client) => {
    const upstream = connect({ port, host: '127.0.0.1', noDelay: true });
    upstream.write(header.subarray(0, 7));
    setImmediate(() => {
      upstream.write(header.subarray(7));
      client.pipe(upstream).pipe(client);
    });
    client.on('error', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

describe('ffmpeg publishes', () => {
  test('over RTMP', async () => {
    const tested = await testListener();
    await publish(`rtmp://127.0.0.1:${tested.listener.port}/live/${goodKey}`);
    expect(await received(tested)).toEqual(outcome({ protocol: 'rtmp', address: '127.0.0.1' }));
  });

  test('with a query behind its key', async () => {
    const tested = await testListener();
    await publish(`rtmp://127.0.0.1:${tested.listener.port}/live/${goodKey}?token=1&x=2`);
    expect(await received(tested)).toEqual(outcome({ protocol: 'rtmp', address: '127.0.0.1' }));
  });

  test.skipIf(certificate === null)('over RTMPS, in real time', async () => {
    const tested = await testListener({}, { tls: certificate });
    await publish(`rtmps://127.0.0.1:${tested.listener.port}/live/${goodKey}`, '-re');
    expect(await received(tested)).toEqual(outcome({ protocol: 'rtmps', address: '127.0.0.1' }));
  });

  test.each([
    ['IPv4', header4, '203.0.113.5'],
    ['IPv6', header6, '2001:db8:2001:db8:2001:db8:2001:db8'],
  ])('behind a load balancer, from an address of %s', async (_, header, address) => {
    const tested = await testListener({}, { proxyProtocol: true });
    const port = await startBalancer(tested.listener.port, header);
    await publish(`rtmp://127.0.0.1:${port}/live/${goodKey}`);
    expect(await received(tested)).toEqual(outcome({ protocol: 'rtmp', address }));
  });

  test.skipIf(certificate === null)('over RTMPS behind a load balancer that leaves TLS to us', async () => {
    const tested = await testListener({}, { tls: certificate, proxyProtocol: true });
    const port = await startBalancer(tested.listener.port, header4);
    await publish(`rtmps://127.0.0.1:${port}/live/${goodKey}`);
    expect(await received(tested)).toEqual(outcome({ protocol: 'rtmps', address: '203.0.113.5' }));
  });

  test('behind a load balancer that decrypts RTMPS', async () => {
    const tested = await testListener({}, { proxyProtocol: true, protocol: 'rtmps' });
    const port = await startBalancer(tested.listener.port, header4);
    await publish(`rtmp://127.0.0.1:${port}/live/${goodKey}`);
    expect(await received(tested)).toEqual(outcome({ protocol: 'rtmps', address: '203.0.113.5' }));
  });

  test('not with a wrong key, and fails', async () => {
    const tested = await testListener({ firstDelaySeconds: 0.1 });
    await expect(publish(`rtmp://127.0.0.1:${tested.listener.port}/live/wrong`)).rejects.toThrow('/live/wrong');
    expect(tested.door.contributions).toEqual([]);
    await expect.poll(() => tested.events).toMatchObject([{ event: 'contributor_refused', reason: 'unknown_key' }]);
  });
});

describe('behind a load balancer', () => {
  test('a connection without a header ends', async () => {
    const tested = await testListener({}, { proxyProtocol: true });
    const client = await RawClient.open(tested.listener.port);
    client.publish(goodKey);
    await client.ended;
    expect(tested.door.claims).toEqual([]);
    expect(tested.listener.figures().refusedByReason).toEqual({ proxy_header: 1 });
  });

  test('a header comes in time, or the connection ends', async () => {
    const tested = await testListener({ keyWithinSeconds: 0.3 }, { proxyProtocol: true });
    const client = await RawClient.open(tested.listener.port);
    client.socket.write(header4.subarray(0, 20));
    await client.ended;
    await expect
      .poll(() => tested.listener.figures())
      .toMatchObject({ connections: 0, refusedByReason: { too_slow: 1 } });
  });

  test('a health check is no refusal', async () => {
    const tested = await testListener({}, { proxyProtocol: true });
    const silent = await RawClient.open(tested.listener.port);
    silent.socket.end();
    const local = await RawClient.open(tested.listener.port);
    local.socket.end(Buffer.from(`${signature}20000000`, 'hex'));
    await Promise.all([silent.ended, local.ended]);
    await expect.poll(() => tested.listener.figures()).toMatchObject({ connections: 0, refused: 0 });
    expect(tested.events).toEqual([]);
  });

  test('connections are counted by the address in the header', async () => {
    const tested = await testListener({ mostConnectionsPerAddress: 1 }, { proxyProtocol: true });
    const open = async (header: Buffer) => {
      const client = await RawClient.open(tested.listener.port);
      client.socket.write(header);
      return client;
    };
    const other = await open(header4);
    const first = await open(header6);
    const second = await open(header6);
    await first.ended;
    expect([other.socket.destroyed, second.socket.destroyed]).toEqual([false, false]);
    await expect
      .poll(() => tested.events)
      .toMatchObject([{ reason: 'made_room', address: '2001:db8:2001:db8:2001:db8:2001:db8' }]);
  });
});

test.skipIf(!hasGStreamer)('GStreamer publishes (needs rtmp2sink)', async () => {
  const tested = await testListener();
  const location = `location=rtmp://127.0.0.1:${tested.listener.port}/live/${goodKey}`;
  const source = ['filesrc', `location=${file}`, '!', 'flvdemux', 'name=d', 'flvmux', 'name=m', 'streamable=true'];
  const tracks = [
    'd.video',
    '!',
    'h264parse',
    '!',
    'queue',
    '!',
    'm.',
    'd.audio',
    '!',
    'aacparse',
    '!',
    'queue',
    '!',
    'm.',
  ];
  await run('gst-launch-1.0', [...source, ...tracks, 'm.', '!', 'rtmp2sink', location]);
  await expect.poll(() => tested.door.contributions).toMatchObject([{ ends: 1 }]);
  expect(bodies(tested.door.contributions[0]!.tags, 'video').length).toBeGreaterThan(50);
});
