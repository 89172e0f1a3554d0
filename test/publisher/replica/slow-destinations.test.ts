// A hundred streams of one process, some with bad destinations: the others lose nothing.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { audioFormat } from '../../../lambda/publisher/ffmpeg/profile.ts';
import { DeliveryMeter } from '../../../lambda/publisher/rtmp/delivery-meter.ts';
import type { Publisher } from '../../../lambda/publisher/destination/publisher.ts';
import type { StreamMedia } from '../../../lambda/publisher/replica/stream-media.ts';
import { makeCertificate } from '../../support/certificates.ts';
import { startFaultyIngest } from '../../support/faulty-ingest.ts';
import type { FaultyIngest, KeyFacts, Publication } from '../../support/faulty-ingest.ts';
import { beginPrepared, preparedLoop } from '../prepared/prepared-replica.ts';

const goodCount = 99;
const framesPerSecond = 30;
const minuteMs = 60_000;

let loop: Awaited<ReturnType<typeof preparedLoop>>;
beforeAll(async () => {
  loop = await preparedLoop();
});
afterAll(() => loop[Symbol.asyncDispose]());

const mediaBytesPerSecond = () => ((loop.media.profile.videoBitrateKbps + audioFormat.bitrateKbps) * 1000) / 8;
/** Null if openssl is missing: then no destination uses TLS. */
const certificate = await makeCertificate('IP:127.0.0.1');
const client = {
  allowPrivateAddresses: true,
  connectTimeoutMs: 10_000,
  meter: new DeliveryMeter(),
  ...(certificate && { tlsCa: certificate.cert }),
};

/** Starts an ingest in a separate process, so that its work takes no time from the publishers. */
async function goodIngest(): Promise<{ rtmpURL: string; facts(): Promise<KeyFacts[]> }> {
  const child = fork(join(import.meta.dirname, '../../support/faulty-ingest-process.ts'));
  onTestFinished(() => child.disconnect());
  const [{ rtmpURL }] = (await once(child, 'message')) as [{ rtmpURL: string }];
  const facts = async () => {
    child.send('facts');
    const [{ keys }] = (await once(child, 'message')) as [{ keys: [string, KeyFacts][] }];
    return keys.map(([, known]) => known);
  };
  return { rtmpURL, facts };
}

interface BadIngestOptions {
  readonly isSecure?: boolean;
  readonly onPicture?: (ingest: FaultyIngest, publication: Publication) => unknown;
}

/** Starts an ingest in this process that fails on command. */
async function badIngest({ isSecure = false, onPicture = () => {} }: BadIngestOptions = {}): Promise<FaultyIngest> {
  const ingest = await startFaultyIngest({
    ...(isSecure && certificate && { certificate }),
    throttledBytesPerSecond: 0.8 * mediaBytesPerSecond(),
    onPicture: (_path, publication) => void onPicture(ingest, publication),
  });
  onTestFinished(() => ingest[Symbol.asyncDispose]());
  return ingest;
}

/** Media with a probe. @returns it, and the peak number of bytes that waited for its destination */
function watched(media: StreamMedia): { media: StreamMedia; most: { inSocket: number; undelivered: number } } {
  const most = { inSocket: 0, undelivered: 0 };
  const look = ({ bytesSent, bytesQueued, bytesDelivered }: Publisher) => {
    most.inSocket = Math.max(most.inSocket, bytesQueued);
    most.undelivered = Math.max(most.undelivered, bytesSent - (bytesDelivered ?? bytesSent));
  };
  const open: StreamMedia['open'] = async (...from) => {
    const opened = await media.open(...from);
    const send: typeof opened.send = async (sending) => {
      const looking = setInterval(() => look(sending.publisher), 50);
      await opened.send(sending).finally(() => clearInterval(looking));
    };
    return { ...opened, send };
  };
  return { media: { ...media, open }, most };
}

/** Begins to publish to a bad destination. */
function beginBad(ingest: FaultyIngest) {
  const { media, most } = watched(loop.media);
  const publications = () => ingest.keys.get('live/key')?.publications ?? [];
  return { ...beginPrepared(media, ingest.rtmpURL, { client }), ingest, most, publications };
}

async function until(isSo: () => boolean | Promise<boolean>, timeout: number): Promise<void> {
  await expect.poll(isSo, { interval: 100, timeout }).toBe(true);
}

it(
  '99 streams lose no frame by others whose destinations read nothing, read too slowly, or reset every 10 s',
  { timeout: 5 * minuteMs },
  async () => {
    const good = await goodIngest();
    const beginGood = (index: number) => beginPrepared(loop.media, `${good.rtmpURL}${index}`, { client });
    const goodRuns = Array.from({ length: goodCount }, (_, index) => beginGood(index));
    const stalls = beginBad(await badIngest());
    const drips = beginBad(await badIngest());
    const dripsSecurely = beginBad(await badIngest({ isSecure: true }));
    const resetEvery10Seconds: BadIngestOptions['onPicture'] = (ingest, { timestampMs }) => {
      if (timestampMs > 10_000) ingest.reset();
    };
    const resets = beginBad(await badIngest({ onPicture: resetEvery10Seconds }));
    const bad = [stalls, drips, dripsSecurely, resets];
    await until(() => bad.every(({ publications }) => (publications()[0]?.pictures ?? 0) > 150), 30_000);
    await until(async () => (await good.facts()).length === goodCount, 30_000);

    await stalls.ingest.set('stall');
    await drips.ingest.set('throttle');
    await dripsSecurely.ingest.set('throttle');
    const fromMs = Math.max(...(await good.facts()).map(({ publications }) => publications[0]!.timestampMs));
    const isMinuteOver = async () =>
      (await good.facts()).every(({ publications }) => publications.at(-1)!.timestampMs > fromMs + minuteMs);
    await until(isMinuteOver, 2 * minuteMs);
    await stalls.ingest.set('none');
    await until(() => stalls.publications().length === 2 && stalls.words().at(-1) === 'live', minuteMs);
    await until(() => [drips, dripsSecurely].every(({ words }) => words().includes('too_slow')), 2 * minuteMs);

    for (const { run, words } of goodRuns) {
      expect(words()).toEqual(['live']);
      expect(run.sampleFigures(new Date()).stats).toMatchObject({ droppedFrames: 0, reconnects: 0 });
    }
    for (const { publications } of await good.facts()) {
      expect(publications).toHaveLength(1);
      const { pictures, timestampMs, longestStepMs } = publications[0]!;
      expect(longestStepMs).toBeLessThanOrEqual(34);
      expect(pictures).toBe(Math.round((timestampMs * framesPerSecond) / 1000) + 1);
    }
    expect(stalls.words().slice(0, 2)).toEqual(['live', 'stalled']);
    for (const { words, publications } of [drips, dripsSecurely]) {
      // Reports repeat the word, each time that parts are left out and that pictures are taken again.
      expect(words().filter((word, index, all) => word !== all[index - 1])).toEqual(['live', 'too_slow']);
      expect(publications()).toHaveLength(1);
    }
    // The stream returns at once after each reset.
    expect(resets.publications().length).toBeGreaterThanOrEqual(5);
    for (const { most } of bad) {
      expect(most.inSocket).toBeLessThan(1.6 * mediaBytesPerSecond());
      expect(most.undelivered).toBeLessThan(3.1 * mediaBytesPerSecond());
    }
  },
);
