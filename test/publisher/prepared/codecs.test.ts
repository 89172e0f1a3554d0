// HEVC and AV1 from real encoders, sent as Enhanced RTMP and judged by the recordings of independent servers.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { EncoderSettings } from '../../../lambda/publisher/ffmpeg/encoder-arguments.ts';
import { readVideoTag } from '../../../lambda/publisher/ffmpeg/video-tag.ts';
import type { MediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { SegmentStore } from '../../../lambda/publisher/prepared/segment-store.ts';
import { connectPublisher } from '../../../lambda/publisher/rtmp/rtmp-client.ts';
import type { RtmpTarget } from '../../../lambda/publisher/rtmp/rtmp-client.ts';
import type { Publisher } from '../../../lambda/publisher/destination/publisher.ts';
import { startFfmpegIngest } from '../../support/ingests.ts';
import { mediaToolsFor } from '../../support/media-samples.ts';
import { deltas, steps } from '../../support/recording.ts';
import { relays, watch } from '../../support/relays.ts';
import { beeps, flashes, makeSyncClip } from '../../support/sync-clip.ts';
import { readFlv } from '../rtmp/flv-sample.ts';
import { CheckingIngest, frameTimes } from './checking-ingest.ts';
import {
  format as h264Format,
  item,
  mediaOptions,
  play,
  preparedClips,
  timelineOf,
  untilTaken,
} from './prepared-clips.ts';
import type { PreparedClips } from './prepared-clips.ts';
import { objectsOf, syntheticSegments } from './synthetic-renditions.ts';

/** Faster encoders than those that agents choose, because the quality of the pictures does not matter. */
const fast = { hevc: { codec: 'libx265', preset: 'ultrafast' }, av1: { codec: 'libsvtav1', preset: '12' } } as const;
/** Clips that last no whole number of AAC frames or stream frames. */
const clips = [
  { item: item('first', 1.37), framesPerSecond: 25, sampleRate: 44_100 },
  { item: item('second', 2.03), framesPerSecond: 30, sampleRate: 48_000 },
];
const items = clips.map((clip) => clip.item);
const seconds = 34;
/** Interval that sends media at twice real time, so that a viewer can keep up. */
const msPerTurn = 125;
const lackingTools = 'no ffmpeg of 6.1 or later with this encoder is installed';
/** Times of the flash: once a lap, half a second after the first picture of the second clip. */
const [lapSeconds, flashSeconds] = [102 / 30, 41 / 30 + 0.5];

describe.for(['hevc', 'av1'] as const)('%s', { timeout: 120_000 }, (videoCodec) => {
  const format = { ...h264Format, videoCodec };
  let tools: MediaTools | null;
  let folder: string;
  let prepared: PreparedClips;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'codecs-'));
    tools = await mediaToolsFor(videoCodec);
    if (!tools) return;
    prepared = await preparedClips(tools);
    for (const { item: each, ...clip } of clips) {
      const path = await makeSyncClip(tools, {
        ...clip,
        seconds: each.durationSeconds,
        path: join(folder, `${each.uploadID}.mp4`),
        size: '320x180',
        codecs: ['-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac'],
      });
      await prepared.prepare(each, path, format, fast[videoCodec] satisfies EncoderSettings);
    }
  }, 120_000);
  afterAll(async () => {
    await rm(folder, { recursive: true });
    await prepared?.[Symbol.asyncDispose]();
  });

  async function send(
    target: RtmpTarget,
    seconds: number,
    eachTurn: (publisher: Publisher) => Promise<void>,
  ): Promise<void> {
    const client = { allowPrivateAddresses: true, connectTimeoutMs: 5000, videoCodec };
    const publisher = await connectPublisher(target, client, new AbortController().signal);
    const made = mediaOptions(prepared.objects, () => ({ video: timelineOf(...items) }));
    const media = { ...made, options: { ...made.options, format } };
    await play(media, publisher, { seconds, eachTurn: () => eachTurn(publisher) });
    await publisher.close();
    expect(await publisher.ended).toBeNull();
  }

  it('reaches a viewer of node-media-server as it was prepared', async ({ skip }) => {
    skip(!tools, lackingTools);
    const relay = await relays['node-media-server']!(folder);
    if (!relay) return skip('there is no node-media-server');
    onTestFinished(() => relay[Symbol.dispose]());
    const file = join(folder, 'watched.flv');
    let watching: ReturnType<typeof watch> | null = null;
    await send(relay.target, 16, async () => {
      watching ??= watch(tools!, relay.target, file);
      await setTimeout(msPerTurn);
    });
    const viewer = await watching!;
    // The viewer does not end by itself: it would wait for the next publisher.
    relay[Symbol.dispose]();
    await viewer.ended;
    const messages = await readFlv(file);
    const video = messages.filter(({ type }) => type === 'video');
    const pictures = video.filter(({ payload }) => readVideoTag(payload).content === 'picture');
    expect(pictures.length).toBeGreaterThan(30 * 8);
    expect(steps(pictures.map(({ timestampMs }) => timestampMs))).toEqual([33, 34]);
    expect(await flashes(tools!, file, 30)).not.toEqual([]);
  });

  it('plays without a seam in a recording of ffmpeg', async ({ skip }) => {
    skip(!tools, lackingTools);
    const file = join(folder, 'recorded.flv');
    const ingest = await startFfmpegIngest(file, tools!);
    onTestFinished(() => ingest[Symbol.dispose]());
    await send(ingest.target, seconds, untilTaken);
    await ingest.finish();

    const messages = await readFlv(file);
    const video = messages
      .filter(({ type }) => type === 'video')
      .map(({ timestampMs, payload }) => ({ timestampMs, ...readVideoTag(payload), payload }));
    const pictures = video.filter(({ content }) => content === 'picture');
    const shown = pictures.map(({ timestampMs, compositionMs }) => timestampMs + compositionMs);
    shown.sort((a, b) => a - b);
    const headers = video.filter(({ content }) => content === 'sequence header');
    const sound = messages.filter(({ type, payload }) => type === 'audio' && payload[1] === 1);
    expect(new Set(headers.map(({ payload }) => payload.toString('hex'))).size).toBe(1);
    expect(video[0]!.payload.toString('latin1', 1, 5)).toBe(videoCodec === 'hevc' ? 'hvc1' : 'av01');
    expect(pictures.length).toBeGreaterThan((seconds - 1) * 30);
    expect(steps(pictures.map(({ timestampMs }) => timestampMs))).toEqual([33, 34]);
    expect(deltas(shown.slice(0, -4)).every((delta) => delta >= 32 && delta <= 35)).toBe(true);
    expect(steps(sound.map(({ timestampMs }) => timestampMs))).toEqual([21, 22]);
    const keyframes = pictures.filter(({ isKeyframe }) => isKeyframe);
    expect(keyframes.length).toBeGreaterThanOrEqual(2 * Math.floor(seconds / lapSeconds));

    const inSecondClip = (at: number) => Math.abs((at % lapSeconds) - flashSeconds) < 0.2;
    const seen = (await flashes(tools!, file, 30)).filter(inSecondClip);
    const heard = (await beeps(tools!, file)).filter(inSecondClip);
    expect(seen.length).toBeGreaterThanOrEqual(9);
    expect(heard).toHaveLength(seen.length);
    // Sound may deviate by half an AAC frame, and the position of a beep is found to about two milliseconds.
    seen.forEach((at, index) => expect(Math.abs(at - heard[index]!)).toBeLessThan(0.0107 + 0.002));
  });
});

it.each([0, 41, 102, 143, 204])('AV1 that begins at frame %i has its sound in its place', async (startFrame) => {
  const format = { ...h264Format, videoCodec: 'av1' } as const;
  const objects = objectsOf(syntheticSegments(items, format));
  const store = new SegmentStore({ objects, maxCachedBytes: 1024 ** 2 });
  const made = mediaOptions(store, () => ({ video: timelineOf(...items) }));
  const ingest = new CheckingIngest();
  await play({ ...made, options: { ...made.options, format } }, ingest, { startFrame, seconds: 5 });
  const [pictures, sound] = [frameTimes(ingest.video), frameTimes(ingest.audio)];
  expect(steps(pictures)).toEqual([33, 34]);
  expect(steps(sound)).toEqual([21, 22]);
  // Sound may deviate by half an AAC frame, and both times are rounded. Pictures of AV1 are shown in decoding order.
  expect(Math.abs(sound[0]! - pictures[0]!)).toBeLessThanOrEqual(10.7 + 1);
});
