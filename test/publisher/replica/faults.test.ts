// Destinations that refuse, reset, stall, drip or reject a key: the replica notices and reports each in time.
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { messageType } from '../../../lambda/publisher/rtmp/message.ts';
import { startFaultyIngest } from '../../support/faulty-ingest.ts';
import type { FaultyIngest } from '../../support/faulty-ingest.ts';
import { beginPrepared, preparedLoop, steadyClock } from '../prepared/prepared-replica.ts';
import { startScriptedServer } from '../rtmp/scripted-server.ts';
import type { ServedConnection } from '../rtmp/scripted-server.ts';

let loop: Awaited<ReturnType<typeof preparedLoop>>;
let ingest: FaultyIngest;
beforeAll(async () => {
  loop = await preparedLoop();
});
afterAll(() => loop[Symbol.asyncDispose]());
beforeEach(async () => {
  ingest = await startFaultyIngest();
  onTestFinished(() => ingest[Symbol.asyncDispose]());
});

const begin = () => beginPrepared(loop.media, ingest.rtmpURL);
const publications = () => ingest.keys.get('live/key')?.publications ?? [];
async function until(isSo: () => boolean, timeout = 20_000): Promise<void> {
  await expect.poll(isSo, { interval: 10, timeout }).toBe(true);
}
const untilPictures = (count: number, of: number) => until(() => (publications()[of]?.pictures ?? 0) > count);

/** The pictures that a scripted server received over a connection. */
const pictures = (served: ServedConnection | undefined) =>
  (served?.received ?? []).filter(({ type, payload }) => type === messageType.video && payload[1] === 1);

/** The database's plan of a stream to a server. */
const planOf = (url: string, streamKey = 'key') => ({
  userID: 'usr',
  target: { way: 'rtmp' as const, url, streamKey },
  freeTarget: null,
  media: loop.media,
  elapsedMs: null,
});

describe('a destination', { timeout: 60_000 }, () => {
  it('that stops reading is given up within 5 s, and live again within 3 s of its return', async () => {
    const { reports, words } = begin();
    await untilPictures(150, 0);
    const stalledAtMs = steadyClock();
    await ingest.set('stall');
    await until(() => words().includes('stalled'));
    expect(reports.find(({ reason }) => reason?.code === 'stalled')!.atMs - stalledAtMs).toBeLessThan(5500);
    await ingest.set('none');
    const healedAtMs = steadyClock();
    await untilPictures(10, 1);
    expect(publications()[1]!.firstPictureAtMs! - healedAtMs).toBeLessThan(3000);
    expect(ingest.keys.get('live/key')).toMatchObject({ mostAtOnce: 1 });
    await until(() => words().join() === 'live,stalled,live');
  });

  it('that is away for a while is reported as unreachable meanwhile', async () => {
    const { words } = begin();
    await untilPictures(90, 0);
    await ingest.set('refuse');
    await until(() => words().includes('unreachable'));
    await ingest.set('none');
    await untilPictures(30, 1);
    expect([...new Set(words())]).toEqual([
      'live',
      expect.stringMatching(/connection_lost|ended_by_destination/),
      'unreachable',
    ]);
    expect(words().at(-1)).toBe('live');
  });

  it('that resets is live again from the present on', async () => {
    const { words } = begin();
    await untilPictures(30, 0);
    ingest.reset();
    await untilPictures(30, 1);
    expect(words()).toEqual(['live', 'connection_lost', 'live']);
  });

  it('that reads only drop by drop is noticed', async () => {
    const { words } = begin();
    await untilPictures(30, 0);
    await ingest.set('throttle');
    await until(() => words().length > 1, 55_000);
    expect(words()[1]).toMatch(/too_slow|stalled/);
  });

  it('that rejects the key is reported as such, and not asked again at once', async () => {
    await ingest.set('reject');
    const { words } = begin();
    await until(() => words().length > 0);
    expect(words()).toEqual(['key_refused']);
  });

  it('that asks for a connection elsewhere gets it at a keyframe, without a failure', async () => {
    await using here = await startScriptedServer();
    await using there = await startScriptedServer();
    const { run, words } = beginPrepared(loop.media, here.rtmpURL);
    await until(() => pictures(here.connections[0]).length > 0);
    const info = { level: 'status', code: 'NetConnection.Connect.ReconnectRequest', tcUrl: `${there.rtmpURL}/room` };
    here.connections[0]!.reply('onStatus', 0, null, info);
    await until(() => pictures(there.connections[0]).length > 90, 30_000);
    expect([here.connections.length, there.connections.length]).toEqual([1, 1]);
    expect(here.commands().at(-1)!.name).toBe('deleteStream');
    // Every GOP has 60 pictures.
    expect(pictures(here.connections[0]).length % 60).toBe(0);
    expect(pictures(there.connections[0])[0]!.payload[0]! >> 4).toBe(1);
    expect(new Set(words())).toEqual(new Set(['live']));
    const { loopCount, currentItem, framesSent, droppedFrames, reconnects } = run.sampleFigures(new Date()).stats;
    expect([droppedFrames, reconnects]).toEqual([0, 0]);
    expect(framesSent).toBe(loopCount * 60 + Math.round(currentItem!.positionSeconds * 30) + 1);
    // The destination redirected one connection. The next one uses the user's address.
    there.connections[0]!.socket.resetAndDestroy();
    await until(() => pictures(here.connections[1]).length > 0);
  });

  describe('that asks for a new connection', () => {
    const request = { level: 'status', code: 'NetConnection.Connect.ReconnectRequest' };

    it('keeps the one it has while the database does not answer', async () => {
      await using server = await startScriptedServer();
      let isAway = false;
      const { run, words } = beginPrepared(loop.media, server.rtmpURL, {
        loadPlan: async () => {
          if (isAway) await setTimeout(6000).then(() => Promise.reject(new Error('no answer')));
          return planOf(server.rtmpURL);
        },
      });
      await until(() => words().length > 0);
      isAway = true;
      server.connections[0]!.reply('onStatus', 0, null, request);
      await until(() => pictures(server.connections[1]).length > 30, 30_000);
      expect(run.sampleFigures(new Date()).stats).toMatchObject({ reconnects: 0, droppedFrames: 0 });
    });

    it('at its other URL has only one there when the time of that connection is over', async () => {
      await using server = await startScriptedServer();
      const backupURL = server.rtmpURL.replace(/live$/, 'backup');
      let connections = 0;
      const connectionEndsAfterMs = () => (++connections === 2 ? 3000 : Infinity);
      beginPrepared(loop.media, server.rtmpURL, { connectionEndsAfterMs }, backupURL);
      await until(() => pictures(server.connections[0]).length > 0);
      server.connections[0]!.reply('onStatus', 0, null, { ...request, tcUrl: backupURL });
      await until(() => pictures(server.connections[2]).length > 30, 30_000);
      const connects = server.commands().filter(({ name }) => name === 'connect');
      expect(connects.map(({ values }) => (values[0] as { app: string }).app)).toEqual(['live', 'backup', 'live']);
    });

    it('gets it with the key that is valid now', async () => {
      await using server = await startScriptedServer();
      let [connections, streamKey] = [0, 'key'];
      beginPrepared(loop.media, server.rtmpURL, {
        connectionEndsAfterMs: () => (++connections === 1 ? 2000 : Infinity),
        loadPlan: async () => planOf(server.rtmpURL, streamKey),
      });
      await until(() => pictures(server.connections[1]).length > 0);
      streamKey = 'changed';
      server.connections[1]!.reply('onStatus', 0, null, request);
      await until(() => pictures(server.connections[2]).length > 0, 30_000);
      const publishes = server.commands().filter(({ name }) => name === 'publish');
      expect(publishes.map(({ values }) => values[1])).toEqual(['key', 'key', 'changed']);
    });
  });
});
