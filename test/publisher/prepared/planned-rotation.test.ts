// A prepared stream whose connections end before a platform's time limit: no picture is lost, and it never fails.
import { createHash } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DestinationError } from '../../../lambda/publisher/destination/destination-error.ts';
import type { StreamMedia } from '../../../lambda/publisher/replica/stream-media.ts';
import { startFaultyIngest } from '../../support/faulty-ingest.ts';
import { startScriptedServer } from '../rtmp/scripted-server.ts';
import type { ScriptedServer } from '../rtmp/scripted-server.ts';
import { beginPrepared, preparedLoop } from './prepared-replica.ts';

const clipFrames = 60;

it(
  'a stream goes on over five connections, each begun when the one before has ended',
  { timeout: 60_000 },
  async () => {
    const pictures: string[] = [];
    const ingest = await startFaultyIngest({
      onPicture: (_path, _publication, { payload }) =>
        void pictures.push(createHash('sha1').update(payload).digest('base64')),
    });
    onTestFinished(() => ingest[Symbol.asyncDispose]());
    const loop = await preparedLoop();
    onTestFinished(() => loop[Symbol.asyncDispose]());
    const { run, reports, words } = beginPrepared(loop.media, ingest.rtmpURL, { connectionEndsAfterMs: () => 1500 });
    const publications = () => ingest.keys.get('live/key')?.publications ?? [];
    await expect.poll(() => publications()[4]?.pictures ?? 0).toBeGreaterThan(30);

    expect(new Set(words())).toEqual(new Set(['live']));
    expect(reports.every(({ reason, hopeless }) => reason === null && !hopeless)).toBe(true);
    expect(run.figures.sample(performance.now(), new Date(), 30)).toMatchObject({ reconnects: 0, droppedFrames: 0 });
    expect(ingest.keys.get('live/key')).toMatchObject({ mostAtOnce: 1 });
    const whole = publications().slice(0, 4);
    expect(whole.map((each) => each.pictures % clipFrames)).toEqual([0, 0, 0, 0]);
    expect(publications().map(({ longestStepMs }) => longestStepMs)).toEqual([34, 34, 34, 34, 34]);
    const lap = pictures.slice(0, clipFrames);
    expect(new Set(lap).size).toBe(clipFrames);
    expect(pictures.every((picture, index) => picture === lap[index % clipFrames])).toBe(true);
    const later = publications().slice(1);
    const gapsMs = later.map((each, index) =>
      Math.round(each.firstPictureAtMs! - publications()[index]!.lastPictureAtMs!),
    );
    console.log(`no picture for ${gapsMs.join(', ')} ms`);
  },
);

it(
  'a refused connection leaves none of its media open, although the network was once away',
  { timeout: 60_000 },
  async () => {
    const server: ScriptedServer = await startScriptedServer({
      connect: ({ reply, socket }, { transactionID }) => {
        if (server.connections.length === 2) socket.resetAndDestroy();
        else reply('_result', transactionID, {}, { level: 'status', code: 'NetConnection.Connect.Success' });
      },
    });
    onTestFinished(() => server[Symbol.asyncDispose]());
    const loop = await preparedLoop();
    onTestFinished(() => loop[Symbol.asyncDispose]());
    let [plans, open] = [0, 0];
    const media: StreamMedia = {
      ...loop.media,
      async open(...of) {
        const opened = await loop.media.open(...of);
        open++;
        return { ...opened, close: () => opened.close().then(() => void open--) };
      },
    };
    const { run } = beginPrepared(loop.media, server.rtmpURL, {
      connectionEndsAfterMs: () => 1500,
      loadPlan: async () => {
        if (++plans === 1) throw new DestinationError('unanswered');
        return {
          userID: 'usr',
          target: { way: 'rtmp' as const, url: server.rtmpURL, streamKey: 'key' },
          freeTarget: null,
          media,
          elapsedMs: null,
        };
      },
    });
    await expect.poll(() => server.connections[2]?.received.length ?? 0).toBeGreaterThan(10);
    await run.end();
    expect(open).toBe(0);
  },
);

it(
  'a stream can end while the database does not answer what its next connection needs',
  { timeout: 20_000 },
  async () => {
    const server = await startScriptedServer();
    onTestFinished(() => server[Symbol.asyncDispose]());
    const loop = await preparedLoop();
    onTestFinished(() => loop[Symbol.asyncDispose]());
    let plans = 0;
    const { run } = beginPrepared(loop.media, server.rtmpURL, {
      connectionEndsAfterMs: () => 500,
      loadPlan: async () => {
        if (++plans > 1) await new Promise(() => {});
        return {
          userID: 'usr',
          target: { way: 'rtmp' as const, url: server.rtmpURL, streamKey: 'key' },
          freeTarget: null,
          media: loop.media,
          elapsedMs: null,
        };
      },
    });
    await expect.poll(() => plans).toBe(2);
    await run.end();
    await server.connections[0]!.connection.ended;
  },
);

describe('a stream whose destination has a second URL', { timeout: 60_000 }, () => {
  it('is sent there while its connection is replaced', async () => {
    const ingest = await startFaultyIngest();
    onTestFinished(() => ingest[Symbol.asyncDispose]());
    const loop = await preparedLoop();
    onTestFinished(() => loop[Symbol.asyncDispose]());
    const { run, words } = beginPrepared(
      loop.media,
      ingest.rtmpURL,
      { connectionEndsAfterMs: () => 4000 },
      ingest.rtmpURL.replace(/live$/, 'backup'),
    );
    const at = (path: string) => ingest.keys.get(path)?.publications ?? [];
    await expect.poll(() => at('live/key')[2]?.pictures ?? 0).toBeGreaterThan(0);
    await expect.poll(() => at('backup/key')[1]?.endedAtMs ?? null).not.toBeNull();

    expect(new Set(words())).toEqual(new Set(['live']));
    expect(run.figures.sample(performance.now(), new Date(), 30)).toMatchObject({ reconnects: 0, droppedFrames: 0 });
    for (const path of ['live/key', 'backup/key']) expect(ingest.keys.get(path)).toMatchObject({ mostAtOnce: 1 });
    for (const [index, bridge] of at('backup/key').slice(0, 2).entries()) {
      const [before, after] = [at('live/key')[index]!, at('live/key')[index + 1]!];
      expect(bridge.firstPictureAtMs!).toBeLessThan(before.endedAtMs!);
      expect(bridge.endedAtMs!).toBeGreaterThan(after.firstPictureAtMs!);
    }
  });

  it('goes on without it when it takes nothing', async () => {
    const ingest = await startFaultyIngest();
    onTestFinished(() => ingest[Symbol.asyncDispose]());
    const refusing = await startFaultyIngest();
    onTestFinished(() => refusing[Symbol.asyncDispose]());
    await refusing.set('reject');
    const loop = await preparedLoop();
    onTestFinished(() => loop[Symbol.asyncDispose]());
    const logged: string[] = [];
    const { run, words } = beginPrepared(
      loop.media,
      ingest.rtmpURL,
      { connectionEndsAfterMs: () => 1500, log: (event) => void logged.push(event) },
      refusing.rtmpURL,
    );
    await expect.poll(() => ingest.keys.get('live/key')?.publications[2]?.pictures ?? 0).toBeGreaterThan(0);
    expect(new Set(words())).toEqual(new Set(['live']));
    expect(logged).toContain('session_not_bridged');
    expect(run.figures.sample(performance.now(), new Date(), 30)).toMatchObject({ reconnects: 0, droppedFrames: 0 });
  });
});
