// The prepared backend from the API to the ingest: uploads are prepared once, and played without a process.
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Log } from '../../../lambda/log.ts';
import { NoEncoder } from '../../../lambda/publisher/media/choose-encoder.ts';
import { findMediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { assertSegment, segmentKey } from '../../../lambda/publisher/prepared/segment-format.ts';
import { contentHashOf, formatNamed } from '../../../lambda/domain/playout/rendition.ts';
import { actorsOn } from '../../support/actors.ts';
import { capacityFor } from '../../support/capacities.ts';
import { fastEncoder, mediaSample, mediaToolsFor, writtenFile } from '../../support/media-samples.ts';
import { descendantsOf } from '../../support/processes.ts';
import { testService } from '../../support/service.ts';
import { clearRenditions, objectKeyOf } from '../../support/stored-uploads.ts';
import { startTestAgent } from '../../support/test-agent.ts';
import type { TestAgent, TestAgentOptions } from '../../support/test-agent.ts';
import { samplesOfFile } from '../../support/test-samples.ts';
import { sinkOfTest } from '../../support/test-sink.ts';

const tools = await findMediaTools(process.env);
const service = testService();
const { call, causes, create, data, playlist, stream, upload } = actorsOn(service);
const format = { quality: 'q_720p', framerate: 'f_30', videoCodec: 'h264' } as const;

const samples = samplesOfFile();
const sink = sinkOfTest();
let clip: string;
beforeAll(async () => {
  clip = await mediaSample('plain.mp4');
});
beforeEach(() => clearRenditions(service));

const logged: { event: string; fields: Record<string, unknown> }[] = [];
const eventsOf = (name: string) => logged.filter(({ event }) => event === name);

/** Runs an agent that prepares and publishes until the end of the test, and must end without an error. */
function startAgent(
  agentID: string,
  source = clip,
  preparing: TestAgentOptions['preparing'] = { tools, encoderOf: async () => fastEncoder },
): TestAgent {
  logged.length = 0;
  const log: Log = (event, fields) => void logged.push({ event, fields });
  const mediaURL = () => samples.urlOf(source);
  const agent = startTestAgent(service, { agentID, capacity: capacityFor(10), tools, log, mediaURL, preparing });
  onTestFinished(async () => {
    await agent.stop();
    expect(await agent.ended).toBeNull();
  });
  return agent;
}

/** Gives an upload bytes that differ from those of all other uploads. */
async function giveOtherBytes(uploadID: string): Promise<void> {
  const key = await objectKeyOf(service, uploadID);
  await service.objects().write(key, Buffer.from('other'), { contentType: 'video/mp4' });
}

const statsOf = async (id: string) => (await call('GET', `/streams/${id}/stats`)).body;

/** Resolves once a stream plays an upload. */
function untilPlays(id: string, uploadID: string, timeout: number): Promise<void> {
  return expect.poll(async () => (await statsOf(id)).currentItem?.uploadID, { timeout }).toBe(uploadID);
}

/** Creates a stream of the prepared backend. @returns its id */
async function preparedStream(more: object): Promise<string> {
  const destinationID = await create('/destinations', {
    name: 'sink',
    rtmpURL: `rtmp://127.0.0.1:${sink().port}/live`,
    streamKey: `key-${Math.random()}`,
  });
  return create('/streams', { destinationID, streamBackend: 'manifest', ...format, ...more });
}

const start = (id: string) => call('POST', `/streams/${id}/start`);
function untilState(id: string, state: string): Promise<void> {
  return expect.poll(async () => (await stream(id)).state).toBe(state);
}

/** The content of an upload of these bytes, with pictures and sound. */
const contentOf = (bytes: string, durationSeconds: number) =>
  contentHashOf(createHash('sha256').update(bytes).digest('hex'), {
    kind: 'video',
    durationSeconds,
    hasAudio: true,
    dynamicRange: 'sdr',
  });

describe('the prepared backend', { timeout: 180_000 }, () => {
  it('prepares the same bytes once, whoever asks, and sends them without any process', async () => {
    // Both uploads have the same bytes, and both are needed at once.
    const streams = [
      await preparedStream({ videoUploadObjectID: await upload({ durationSeconds: 2 }) }),
      await preparedStream({ videoUploadObjectID: await upload({ durationSeconds: 2 }) }),
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
    const channelsWithFrames = () =>
      sink()
        .channels()
        .filter(({ videoFrames }) => videoFrames > 150);
    await expect.poll(channelsWithFrames).toHaveLength(2);
    for (const channel of sink().channels())
      expect(channel).toMatchObject({ live: true, connections: 1, timestampRegressions: 0, width: 1280, height: 720 });
    expect((await descendantsOf(process.pid)).filter(({ name }) => name.startsWith('ffmpeg'))).toEqual([]);
    expect(await statsOf(streams[0]!)).toMatchObject({ droppedFrames: 0, reconnects: 0 });

    // The upload is already prepared: a start need not wait.
    await call('POST', `/streams/${streams[0]}/stop`);
    await untilState(streams[0]!, 'stopped');
    expect((await start(streams[0]!)).body.state).toBe('activating');
    await untilState(streams[0]!, 'active');
  });

  it('takes over a playlist that was published while live, at an item boundary, once it is prepared', async () => {
    const id = await preparedStream({});
    const playlistID = await create('/playlists', { streamID: id, kind: 'video', mode: 'sequential' });
    const play = (uploadID: string) =>
      call('POST', `/playlists/${playlistID}/operations`, { operations: [{ op: 'clear' }, { op: 'add', uploadID }] });
    await play(await upload({ durationSeconds: 2 }));
    await start(id);
    startAgent('agent');
    await untilState(id, 'active');
    const next = await upload({ durationSeconds: 3 });
    // Its bytes are prepared while the stream runs.
    await giveOtherBytes(next);
    await play(next);
    await call('POST', `/playlists/${playlistID}/publish`);
    expect((await playlist(playlistID)).publishStatus).toBe('PREPARING');
    await expect.poll(async () => (await playlist(playlistID)).publishStatus).toBe('IDLE');
    expect(eventsOf('segment_prepared')).toHaveLength(2);
    await untilPlays(id, next, 20_000);
    expect(sink().channels()).toMatchObject([{ live: true, connections: 1, timestampRegressions: 0 }]);
    expect(await statsOf(id)).toMatchObject({ droppedFrames: 0, reconnects: 0 });
  });

  it('has nothing to wait for when the playlist was kept prepared', async () => {
    const id = await preparedStream({});
    const playlistID = await create('/playlists', { streamID: id, kind: 'video', mode: 'sequential' });
    await call('PATCH', `/streams/${id}`, { preparedPlaylistIDs: [playlistID] });
    await call('POST', `/playlists/${playlistID}/operations`, {
      operations: [{ op: 'add', uploadID: await upload({ durationSeconds: 2 }) }],
    });
    expect((await stream(id)).preparedShare).toBe(0);
    startAgent('agent');
    await expect.poll(async () => (await stream(id)).preparedShare).toBe(1);
    expect((await start(id)).body.state).toBe('activating');
    await untilState(id, 'active');
    expect(await causes(id)).toEqual(['start', 'media_accepted']);
    expect(eventsOf('segment_prepared')).toHaveLength(1);
  });

  it.each(['deleted', 'changed'] as const)(
    'goes on with the last good item when a segment is %s, and with the segment once it is made anew',
    async (how) => {
      const [good, bad] = [await upload({ durationSeconds: 6 }), await upload({ durationSeconds: 21 })];
      await giveOtherBytes(bad);
      const id = await preparedStream({});
      const playlistID = await create('/playlists', { streamID: id, kind: 'video', mode: 'sequential' });
      await call('POST', `/playlists/${playlistID}/operations`, {
        operations: [good, bad].map((uploadID) => ({ op: 'add', uploadID })),
      });
      startAgent('agent');
      // A stream starts with the first item that is ready: the other one must be ready as well.
      await call('PATCH', `/streams/${id}`, { preparedPlaylistIDs: [playlistID] });
      const stateOfBad = async () =>
        (await data().renditions.lockOfUploads([{ uploadID: bad, format: 'q_720p-f_30' }]))[0]?.state;
      await expect.poll(stateOfBad).toBe('ready');
      await start(id);
      await untilState(id, 'active');
      // The segment's turn has not come, so no cache has it.
      const key = segmentKey({ contentHash: contentOf('other', 21), format }, 0);
      const bytes = await buffer(await service.objects().read(key));
      const damaged = Buffer.from(bytes).fill(0x55, bytes.length >> 1);
      if (how === 'deleted') await service.objects().delete(key);
      else await service.objects().write(key, damaged, { contentType: 'application/octet-stream' });
      logged.length = 0;
      await expect.poll(() => eventsOf('segment_unreadable')[0]?.fields).toMatchObject({ uploadID: bad, segment: 0 });
      await expect.poll(() => eventsOf('segment_prepared').length).toBe(1);
      // Only this segment of two is made again. A start now need not wait for the other.
      expect(eventsOf('segment_prepared')[0]!.fields).toMatchObject({ uploadID: bad, segment: 0, of: 2 });
      expect(await stateOfBad()).toBe('ready');
      assertSegment(await buffer(await service.objects().read(key)));
      await untilPlays(id, bad, 30_000);
      expect(await causes(id)).toEqual(['start', 'media_accepted']);
      expect(sink().channels()).toMatchObject([{ live: true, connections: 1, timestampRegressions: 0 }]);
      expect(await statsOf(id)).toMatchObject({ droppedFrames: 0, reconnects: 0 });
    },
  );

  it('sends to outputs that are added and paused while live, and the others go on', async () => {
    const agent = startAgent('agent');
    const id = await preparedStream({ videoUploadObjectID: await upload({ durationSeconds: 2 }) });
    await start(id);
    await untilState(id, 'active');
    const added = await Promise.all(
      [1, 2].map(async (index) => {
        const destinationID = await create('/destinations', {
          name: 'sink',
          rtmpURL: `rtmp://127.0.0.1:${sink().port}/added-${index}`,
          streamKey: 'key',
        });
        return create(`/streams/${id}/outputs`, { destinationID });
      }),
    );
    const output = async (outputID: string) => (await call('GET', `/streams/${id}/outputs/${outputID}`)).body;
    const untilOutput = async (outputID: string, wanted: string) => {
      await expect.poll(async () => (await output(outputID)).state).toBe(wanted);
    };
    for (const outputID of added) await untilOutput(outputID, 'live');
    await expect.poll(async () => (await output(added[0]!)).stats.framesSent).toBeGreaterThan(30);
    await call('PATCH', `/streams/${id}/outputs/${added[1]}`, { enabled: false });
    await untilOutput(added[1]!, 'ended');
    const channelsOf = (...apps: string[]) =>
      sink()
        .channels()
        .filter(({ app }) => apps.includes(app));
    await expect.poll(() => channelsOf('added-2')[0]?.live).toBe(false);
    const others = channelsOf('live', 'added-1');
    for (const channel of others)
      expect(channel).toMatchObject({ live: true, connections: 1, timestampRegressions: 0 });
    expect(others).toHaveLength(2);
    // Another agent takes over all of them, and sends each to its own destination.
    await agent.stop();
    startAgent('second');
    await expect
      .poll(() => channelsOf('live', 'added-1'))
      .toMatchObject([
        { live: true, connections: 2 },
        { live: true, connections: 2 },
      ]);
    expect(await statsOf(id)).toMatchObject({ reconnects: 0 });
  });

  it('goes on at the present when another agent takes over', async () => {
    const first = startAgent('first');
    const id = await preparedStream({ videoUploadObjectID: await upload({ durationSeconds: 2 }) });
    await start(id);
    await untilState(id, 'active');
    const { anchored_at: anchoredAt } = await data().streams.anchor(id);
    await first.stop();
    startAgent('second');
    await expect.poll(() => sink().channels()[0]).toMatchObject({ live: true, connections: 2 });
    await untilState(id, 'active');
    await expect.poll(async () => (await statsOf(id)).loopCount).toBeGreaterThan(1);
    const { currentItem, loopCount, sampledAt } = await statsOf(id);
    const playedSeconds = loopCount * 2 + currentItem.positionSeconds;
    const runSeconds = (Date.parse(sampledAt) - anchoredAt.getTime()) / 1000;
    // Media is sent half a second ahead of its time.
    expect(Math.abs(playedSeconds - runSeconds - 0.5)).toBeLessThan(1);
  });

  it('lets a damaged segment be made anew, and goes on with it', async () => {
    const id = await preparedStream({ videoUploadObjectID: await upload({ durationSeconds: 2 }) });
    await start(id);
    const first = startAgent('first');
    await untilState(id, 'active');
    await first.stop();
    const key = segmentKey({ contentHash: contentOf('media', 2), format }, 0);
    const bytes = await buffer(await service.objects().read(key));
    bytes[bytes.length - 100]! ^= 1;
    await service.objects().write(key, bytes, { contentType: 'application/octet-stream' });
    // The second agent has no part of the segment in its cache.
    startAgent('second');
    await expect.poll(() => eventsOf('segment_unreadable').length).toBeGreaterThan(0);
    await expect.poll(() => eventsOf('segment_prepared').length).toBeGreaterThan(0);
    await untilState(id, 'active');
    await expect.poll(() => sink().channels()[0]).toMatchObject({ live: true });
  });

  it('fails a stream of which nothing can be prepared, and says so', async () => {
    const uploadID = await upload({ durationSeconds: 2 });
    const broken = await writtenFile('broken.mp4', 'no media at all');
    const id = await preparedStream({ videoUploadObjectID: uploadID });
    startAgent('agent', broken);
    await start(id);
    await untilState(id, 'failed');
    expect((await stream(id)).stateReason).toMatchObject({ code: 'preparation_failed' });
    expect(await causes(id)).toEqual(['start', 'preparation_needed', 'preparation_failed']);
  });

  it('plays in HEVC when HEVC is wanted', async ({ skip }) => {
    const capable = await mediaToolsFor('hevc');
    if (!capable) return skip('no ffmpeg of 6.1 or later with libx265 is installed');
    const id = await preparedStream({ videoUploadObjectID: await upload({ durationSeconds: 2 }), videoCodec: 'hevc' });
    startAgent('agent', clip, { tools: capable, encoderOf: async () => ({ codec: 'libx265', preset: 'ultrafast' }) });
    await start(id);
    await untilState(id, 'active');
    await expect
      .poll(() => sink().channels()[0])
      .toMatchObject({ live: true, videoCodec: 'hevc', width: 1280, height: 720, timestampRegressions: 0 });
    expect(eventsOf('segment_prepared').map(({ fields }) => fields['format'])).toEqual(['q_720p-f_30-hevc']);
  });

  it('fails a stream in a codec for which there is no encoder, and says so', async () => {
    const id = await preparedStream({ videoUploadObjectID: await upload({ durationSeconds: 2 }), videoCodec: 'av1' });
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
      const id = await preparedStream({});
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
    await data().renditions.begin('long', formatNamed('q_720p-f_30'), 3);
    const id = await playlistOf(long, short);
    await data().renditions.finishSegment('long', 'q_720p-f_30', 0);
    expect((await stream(id)).preparedShare).toBeCloseTo(1 / 6);
    await data().renditions.fail('short', formatNamed('q_720p-f_30'), { code: 'damaged', detail: 'It is.' });
    expect((await stream(id)).preparedShare).toBeCloseTo(4 / 6);
  });

  it('stops while it is being prepared', async () => {
    const id = await preparedStream({ videoUploadObjectID: await upload({ durationSeconds: 2 }) });
    await start(id);
    expect((await call('POST', `/streams/${id}/stop`)).body.state).toBe('stopped');
    startAgent('agent');
    await expect.poll(() => eventsOf('segment_prepared').length).toBe(1);
    expect((await stream(id)).state).toBe('stopped');
  });
});
