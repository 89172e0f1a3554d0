// The manifest backend from a start through the API to the ingest: prepared once, played without a process, made anew when damaged.
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { startRtmpSink } from '../../../bin/local/rtmp-sink/rtmp-sink.ts';
import type { RtmpSink } from '../../../bin/local/rtmp-sink/rtmp-sink.ts';
import { createPool } from '../../../lambda/data/queryable.ts';
import { createPostgresCommandQueue } from '../../../lambda/ports/command-queue/postgres-command-queue.ts';
import { createSealer } from '../../../lambda/ports/sealer/sealer.ts';
import { runAgent } from '../../../lambda/publisher/agent.ts';
import { createMediaWorker } from '../../../lambda/publisher/media-worker.ts';
import type { MediaWorkerParts } from '../../../lambda/publisher/media-worker.ts';
import { NoEncoder } from '../../../lambda/publisher/media/choose-encoder.ts';
import { findMediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { assertSegment, segmentKey } from '../../../lambda/publisher/prepared/segment-format.ts';
import { actorsOn, onLoopback, starting } from '../../orchestration/actors.ts';
import { mediaSample, mediaToolsFor, serveSamples, textFile } from '../../support/media-samples.ts';
import type { SampleServer } from '../../support/media-samples.ts';
import { descendantsOf } from '../../support/processes.ts';
import { testDataKey, testService } from '../../support/service.ts';

const tools = await findMediaTools(process.env);
const service = testService();
const { call, causes, create, data, playlist, stream, upload } = actorsOn(service);
const encoder = { codec: 'libx264', preset: 'ultrafast' } as const;
const format = { quality: 'q_720p', framerate: 'f_30', videoCodec: 'h264' } as const;

let samples: SampleServer;
let clip: string;
let sink: RtmpSink;
beforeAll(async () => {
  samples = await serveSamples();
  clip = await mediaSample('plain.mp4');
});
afterAll(() => samples[Symbol.asyncDispose]());
beforeEach(async () => {
  await service.pool().query('truncate renditions');
  sink = await startRtmpSink({ port: 0 });
  onTestFinished(() => sink.close());
});

const logged: { event: string; fields: Record<string, unknown> }[] = [];
const eventsOf = (name: string) => logged.filter(({ event }) => event === name);

/** An agent that prepares and publishes, until the end of the test at the latest. */
function startAgent(
  agentID: string,
  source = clip,
  preparing: Pick<MediaWorkerParts, 'tools' | 'encoderOf'> = { tools, encoderOf: async () => encoder },
): { stop(): Promise<void> } {
  logged.length = 0;
  const log = (event: string, fields: Record<string, unknown>) => void logged.push({ event, fields });
  const pool = createPool({ connectionString: service.pool().options.connectionString!, max: 6 });
  const objects = Object.assign(Object.create(service.objects()), { presignGet: async () => samples.urlOf(source) });
  const { settings, ...rest } = starting;
  const stopping = new AbortController();
  const running = runAgent(
    {
      agentID,
      pool,
      tools,
      log,
      settings,
      objects,
      encoder,
      slots: 10,
      supervisor: agentID,
      release: 'test',
      zone: null,
      peering: onLoopback,
      backends: ['manifest'],
      queue: createPostgresCommandQueue({ pool, log }),
      sealer: createSealer([testDataKey]),
      handleMedia: createMediaWorker({ pool, objects, ...preparing, random: () => 0.5, log }),
      starting: rest,
      steadyClock: () => performance.now(),
    },
    stopping.signal,
  );
  const stop = async () => {
    stopping.abort();
    await running;
  };
  onTestFinished(async () => {
    await stop();
    await pool.end();
  });
  return { stop };
}

async function manifestStream(more: object): Promise<string> {
  const destinationID = await create('/destinations', {
    name: 'sink',
    rtmpURL: `rtmp://127.0.0.1:${sink.port}/live`,
    streamKey: `key-${Math.random()}`,
  });
  return create('/streams', { destinationID, streamBackend: 'manifest', ...format, ...more });
}

const start = (id: string) => call('POST', `/streams/${id}/start`);
function untilState(id: string, state: string): Promise<void> {
  return expect.poll(async () => (await stream(id)).state, { timeout: 60_000 }).toBe(state);
}

const contentHash = createHash('sha256').update('media').digest('hex');

describe('the manifest backend', { timeout: 180_000 }, () => {
  it('prepares what is needed once, whoever asks, and sends it without any process', async () => {
    // The same bytes twice, and both wanted at once.
    const streams = [
      await manifestStream({ videoUploadObjectID: await upload({ durationSeconds: 2 }) }),
      await manifestStream({ videoUploadObjectID: await upload({ durationSeconds: 2 }) }),
    ];
    const answers = await Promise.all(streams.map(start));
    expect(answers.map(({ body }) => [body.state, body.preparedShare])).toEqual([
      ['preparing', 0],
      ['preparing', 0],
    ]);
    startAgent('agent');
    for (const id of streams) await untilState(id, 'active');
    expect(await causes(streams[0]!)).toEqual(['start', 'preparation_needed', 'preparation_done', 'media_accepted']);
    expect(eventsOf('segment_prepared')).toHaveLength(1);
    await expect
      .poll(() => sink.channels().filter(({ videoFrames }) => videoFrames > 150), { timeout: 10_000 })
      .toHaveLength(2);
    for (const channel of sink.channels())
      expect(channel).toMatchObject({ live: true, connections: 1, timestampRegressions: 0, width: 1280, height: 720 });
    expect((await descendantsOf(process.pid)).filter(({ name }) => name.startsWith('ffmpeg'))).toEqual([]);
    expect((await call('GET', `/streams/${streams[0]}/stats`)).body).toMatchObject({ droppedFrames: 0, reconnects: 0 });

    // Prepared already: no detour.
    await call('POST', `/streams/${streams[0]}/stop`);
    await untilState(streams[0]!, 'stopped');
    expect((await start(streams[0]!)).body.state).toBe('activating');
    await untilState(streams[0]!, 'active');
  });

  it('takes a playlist that is published while live over at an item boundary, once it is prepared', async () => {
    const id = await manifestStream({});
    const playlistID = await create('/playlists', { streamID: id, kind: 'video', mode: 'sequential' });
    const play = (uploadID: string) =>
      call('POST', `/playlists/${playlistID}/operations`, { operations: [{ op: 'clear' }, { op: 'add', uploadID }] });
    await play(await upload({ durationSeconds: 2 }));
    await start(id);
    startAgent('agent');
    await untilState(id, 'active');
    const next = await upload({ durationSeconds: 3 });
    // Other bytes: they are prepared while the stream goes on.
    await service
      .objects()
      .write((await data().uploads.findAny(next))!.object_key, Buffer.from('other'), { contentType: 'video/mp4' });
    await play(next);
    await call('POST', `/playlists/${playlistID}/publish`);
    expect((await playlist(playlistID)).publishStatus).toBe('PREPARING');
    await expect.poll(async () => (await playlist(playlistID)).publishStatus, { timeout: 20_000 }).toBe('IDLE');
    expect(eventsOf('segment_prepared')).toHaveLength(2);
    await expect
      .poll(async () => (await call('GET', `/streams/${id}/stats`)).body.currentItem?.uploadID, { timeout: 20_000 })
      .toBe(next);
    expect(sink.channels()).toMatchObject([{ live: true, connections: 1, timestampRegressions: 0 }]);
    expect((await call('GET', `/streams/${id}/stats`)).body).toMatchObject({ droppedFrames: 0, reconnects: 0 });
  });

  it('has nothing to wait for where a playlist was kept prepared', async () => {
    const id = await manifestStream({});
    const playlistID = await create('/playlists', { streamID: id, kind: 'video', mode: 'sequential' });
    await call('PATCH', `/streams/${id}`, { preparedPlaylistIDs: [playlistID] });
    await call('POST', `/playlists/${playlistID}/operations`, {
      operations: [{ op: 'add', uploadID: await upload({ durationSeconds: 2 }) }],
    });
    expect((await stream(id)).preparedShare).toBe(0);
    startAgent('agent');
    await expect.poll(async () => (await stream(id)).preparedShare, { timeout: 20_000 }).toBe(1);
    expect((await start(id)).body.state).toBe('activating');
    await untilState(id, 'active');
    expect(await causes(id)).toEqual(['start', 'media_accepted']);
    expect(eventsOf('segment_prepared')).toHaveLength(1);
  });

  it.each(['deleted', 'changed'] as const)(
    'goes on with the last good item where a segment is %s under it, and with the segment once it is made anew',
    async (how) => {
      const [good, bad] = [await upload({ durationSeconds: 6 }), await upload({ durationSeconds: 21 })];
      await service
        .objects()
        .write((await data().uploads.findAny(bad))!.object_key, Buffer.from('other'), { contentType: 'video/mp4' });
      const id = await manifestStream({});
      const playlistID = await create('/playlists', { streamID: id, kind: 'video', mode: 'sequential' });
      await call('POST', `/playlists/${playlistID}/operations`, {
        operations: [good, bad].map((uploadID) => ({ op: 'add', uploadID })),
      });
      await start(id);
      startAgent('agent');
      await untilState(id, 'active');
      // Before it is its turn, so it is in no cache.
      const key = segmentKey({ contentHash: createHash('sha256').update('other').digest('hex'), format }, 0);
      const bytes = await buffer(await service.objects().read(key));
      if (how === 'deleted') await service.objects().delete(key);
      else
        await service
          .objects()
          .write(key, Buffer.from(bytes).fill(0x55, bytes.length >> 1), { contentType: 'application/octet-stream' });
      logged.length = 0;
      await expect
        .poll(() => eventsOf('segment_unreadable')[0]?.fields, { timeout: 20_000 })
        .toMatchObject({ uploadID: bad, segment: 0 });
      await expect.poll(() => eventsOf('segment_prepared').length, { timeout: 20_000 }).toBe(1);
      // Only this one of two: whoever starts now need not wait for the other.
      expect(eventsOf('segment_prepared')[0]!.fields).toMatchObject({ uploadID: bad, segment: 0, of: 2 });
      expect((await data().renditions.ofUploads([bad], 'q_720p-f_30'))[0]!.state).toBe('ready');
      assertSegment(await buffer(await service.objects().read(key)));
      await expect
        .poll(async () => (await call('GET', `/streams/${id}/stats`)).body.currentItem?.uploadID, { timeout: 30_000 })
        .toBe(bad);
      expect(await causes(id)).toEqual(['start', 'preparation_needed', 'preparation_done', 'media_accepted']);
      expect(sink.channels()).toMatchObject([{ live: true, connections: 1, timestampRegressions: 0 }]);
      expect((await call('GET', `/streams/${id}/stats`)).body).toMatchObject({ droppedFrames: 0, reconnects: 0 });
    },
  );

  it('goes on where the time is when another agent takes over', async () => {
    const first = startAgent('first');
    const id = await manifestStream({ videoUploadObjectID: await upload({ durationSeconds: 2 }) });
    await start(id);
    await untilState(id, 'active');
    const { anchored_at: anchoredAt } = await data().streams.anchor(id);
    await first.stop();
    startAgent('second');
    await expect.poll(() => sink.channels()[0], { timeout: 10_000 }).toMatchObject({ live: true, connections: 2 });
    await untilState(id, 'active');
    await expect
      .poll(async () => (await call('GET', `/streams/${id}/stats`)).body.loopCount, { timeout: 10_000 })
      .toBeGreaterThan(1);
    const { currentItem, loopCount, sampledAt } = (await call('GET', `/streams/${id}/stats`)).body;
    const playedSeconds = loopCount * 2 + currentItem.positionSeconds;
    // Sent ahead of its time by half a second.
    expect(Math.abs(playedSeconds - (Date.parse(sampledAt) - anchoredAt.getTime()) / 1000 - 0.5)).toBeLessThan(1);
  });

  it('has a segment that is damaged made anew, and goes on with it', async () => {
    const id = await manifestStream({ videoUploadObjectID: await upload({ durationSeconds: 2 }) });
    await start(id);
    const first = startAgent('first');
    await untilState(id, 'active');
    await first.stop();
    const key = segmentKey({ contentHash, format }, 0);
    const bytes = await buffer(await service.objects().read(key));
    bytes[bytes.length - 100]! ^= 1;
    await service.objects().write(key, bytes, { contentType: 'application/octet-stream' });
    // It has nothing of it in its cache.
    startAgent('second');
    await expect.poll(() => eventsOf('segment_unreadable').length, { timeout: 10_000 }).toBeGreaterThan(0);
    await expect.poll(() => eventsOf('segment_prepared').length, { timeout: 20_000 }).toBeGreaterThan(0);
    await untilState(id, 'active');
    await expect.poll(() => sink.channels()[0], { timeout: 10_000 }).toMatchObject({ live: true });
  });

  it('fails a stream of which nothing can be prepared, and says so', async () => {
    const uploadID = await upload({ durationSeconds: 2 });
    const broken = await textFile('broken.mp4', 'no media at all');
    const id = await manifestStream({ videoUploadObjectID: uploadID });
    startAgent('agent', broken);
    await start(id);
    await untilState(id, 'failed');
    expect((await stream(id)).stateReason).toMatchObject({ code: 'preparation_failed' });
    expect(await causes(id)).toEqual(['start', 'preparation_needed', 'preparation_failed']);
  });

  it('plays in HEVC what is wanted in HEVC', async ({ skip }) => {
    const capable = await mediaToolsFor('hevc');
    if (!capable) return skip('no ffmpeg of 6.1 or later with libx265 is installed');
    const id = await manifestStream({ videoUploadObjectID: await upload({ durationSeconds: 2 }), videoCodec: 'hevc' });
    startAgent('agent', clip, { tools: capable, encoderOf: async () => ({ codec: 'libx265', preset: 'ultrafast' }) });
    await start(id);
    await untilState(id, 'active');
    await expect
      .poll(() => sink.channels()[0], { timeout: 10_000 })
      .toMatchObject({ live: true, videoCodec: 'hevc', width: 1280, height: 720, timestampRegressions: 0 });
    expect(eventsOf('segment_prepared').map(({ fields }) => fields['format'])).toEqual(['q_720p-f_30-hevc']);
  });

  it('fails a stream in a codec for which there is no encoder, and says so', async () => {
    const id = await manifestStream({ videoUploadObjectID: await upload({ durationSeconds: 2 }), videoCodec: 'av1' });
    startAgent('agent', clip, {
      tools,
      encoderOf: (videoCodec) => Promise.reject(new NoEncoder(videoCodec, 'none here')),
    });
    await start(id);
    await untilState(id, 'failed');
    expect((await stream(id)).stateReason).toMatchObject({
      code: 'preparation_failed',
      detail: expect.stringContaining('no encoder for av1. Set videoCodec to h264'),
    });
  });

  it('says how much is prepared', async () => {
    const playlistOf = async (...ids: string[]) => {
      const id = await manifestStream({});
      const playlistID = await create('/playlists', { streamID: id, kind: 'video', mode: 'sequential' });
      await call('POST', `/playlists/${playlistID}/operations`, {
        operations: ids.map((uploadID) => ({ op: 'add', uploadID })),
      });
      await start(id);
      return id;
    };
    const [long, short] = [await upload({ durationSeconds: 50 }), await upload({ durationSeconds: 2 })];
    await data().uploads.recordContentHash(long, 'long');
    await data().uploads.recordContentHash(short, 'short');
    await data().renditions.begin('long', 'q_720p-f_30', 3);
    const id = await playlistOf(long, short);
    await data().renditions.finishSegment('long', 'q_720p-f_30', 0);
    expect((await stream(id)).preparedShare).toBeCloseTo(1 / 6);
    await data().renditions.fail('short', 'q_720p-f_30', { code: 'damaged', detail: 'It is.' });
    expect((await stream(id)).preparedShare).toBeCloseTo(4 / 6);
  });

  it('stops while it is being prepared', async () => {
    const id = await manifestStream({ videoUploadObjectID: await upload({ durationSeconds: 2 }) });
    await start(id);
    expect((await call('POST', `/streams/${id}/stop`)).body.state).toBe('stopped');
    startAgent('agent');
    await expect.poll(() => eventsOf('segment_prepared').length, { timeout: 20_000 }).toBe(1);
    expect((await stream(id)).state).toBe('stopped');
  });
});
