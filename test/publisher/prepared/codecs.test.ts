// HEVC and AV1: prepared by real encoders, sent as Enhanced RTMP to ffmpeg's own server, and looked at in what it recorded.
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
import type { PublishTarget } from '../../../lambda/publisher/rtmp/rtmp-client.ts';
import type { RtmpPublisher } from '../../../lambda/publisher/rtmp/rtmp-publisher.ts';
import { startFfmpegIngest } from '../../support/ingests.ts';
import { mediaToolsFor } from '../../support/media-samples.ts';
import { deltas, tally } from '../../support/recording.ts';
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

/** Cheaper than those that are chosen: nobody looks at the pictures. */
const fast = { hevc: { codec: 'libx265', preset: 'ultrafast' }, av1: { codec: 'libsvtav1', preset: '12' } } as const;
/** Neither a multiple of an AAC frame, nor of the frames of the stream. */
const clips = [
  { item: item('first', 1.37), framesPerSecond: 25, sampleRate: 44_100 },
  { item: item('second', 2.03), framesPerSecond: 30, sampleRate: 48_000 },
];
const items = clips.map((clip) => clip.item);
const seconds = 34;
/** Twice real time, where a viewer has to keep up. */
const msPerTurn = 125;
const lackingTools = 'no ffmpeg of 6.1 or later with this encoder is installed';
/** The flash of the second clip comes half a second after its first picture, once a lap. */
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
    target: PublishTarget,
    seconds: number,
    eachTurn: (publisher: RtmpPublisher) => Promise<void>,
  ): Promise<void> {
    const publisher = await connectPublisher(
      target,
      { allowPrivateAddresses: true, connectTimeoutMs: 5000, videoCodec },
      new AbortController().signal,
    );
    const made = mediaOptions(prepared.objects, () => ({ video: timelineOf(...items) }));
    await play({ ...made, options: { ...made.options, format } }, publisher, {
      seconds,
      eachTurn: () => eachTurn(publisher),
    });
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
    // It would wait for the next publisher.
    relay[Symbol.dispose]();
    await viewer.ended;
    const messages = await readFlv(file);
    const pictures = messages.filter(
      ({ type, payload }) => type === 'video' && readVideoTag(payload).content === 'picture',
    );
    expect(pictures.length).toBeGreaterThan(30 * 8);
    expect([...tally(deltas(pictures.map(({ timestampMs }) => timestampMs))).keys()].sort()).toEqual([33, 34]);
    expect(await flashes(tools!, file, 30)).not.toEqual([]);
  });

  it('plays without a seam', async ({ skip }) => {
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
    const shown = pictures
      .map(({ timestampMs, compositionMs }) => timestampMs + compositionMs)
      .toSorted((a, b) => a - b);
    const headers = video
      .filter(({ content }) => content === 'sequence header')
      .map(({ payload }) => payload.toString('hex'));
    const sound = messages
      .filter(({ type, payload }) => type === 'audio' && payload[1] === 1)
      .map(({ timestampMs }) => timestampMs);
    expect(new Set(headers).size).toBe(1);
    expect(video[0]!.payload.toString('latin1', 1, 5)).toBe(videoCodec === 'hevc' ? 'hvc1' : 'av01');
    expect(pictures.length).toBeGreaterThan((seconds - 1) * 30);
    expect([...tally(deltas(pictures.map(({ timestampMs }) => timestampMs))).keys()].sort()).toEqual([33, 34]);
    expect([...tally(deltas(shown.slice(0, -4))).keys()].every((delta) => delta >= 32 && delta <= 35)).toBe(true);
    expect([...tally(deltas(sound)).keys()].sort()).toEqual([21, 22]);
    expect(pictures.filter(({ isKeyframe }) => isKeyframe).length).toBeGreaterThanOrEqual(
      2 * Math.floor(seconds / lapSeconds),
    );

    const inSecondClip = (at: number) => Math.abs((at % lapSeconds) - flashSeconds) < 0.2;
    const [seen, heard] = [
      (await flashes(tools!, file, 30)).filter(inSecondClip),
      (await beeps(tools!, file)).filter(inSecondClip),
    ];
    expect(seen.length).toBeGreaterThanOrEqual(9);
    expect(heard).toHaveLength(seen.length);
    // Half an AAC frame, and what looking for a beep in milliseconds is off by.
    seen.forEach((at, index) => expect(Math.abs(at - heard[index]!)).toBeLessThan(0.0107 + 0.002));
  });
});

it.each([0, 41, 102, 143, 204])(
  'AV1, whose pictures are shown as they are decoded, begins with its sound in place at frame %i',
  async (startFrame) => {
    const format = { ...h264Format, videoCodec: 'av1' } as const;
    const objects = objectsOf(syntheticSegments(items, format));
    const made = mediaOptions(new SegmentStore({ objects, maxCachedBytes: 1024 ** 2 }), () => ({
      video: timelineOf(...items),
    }));
    const ingest = new CheckingIngest();
    await play({ ...made, options: { ...made.options, format } }, ingest, { startFrame, seconds: 5 });
    const [pictures, sound] = [frameTimes(ingest.video), frameTimes(ingest.audio)];
    expect([...tally(deltas(pictures)).keys()].sort()).toEqual([33, 34]);
    expect([...tally(deltas(sound)).keys()].sort()).toEqual([21, 22]);
    // Half an AAC frame, and a rounding of each.
    expect(Math.abs(sound[0]! - pictures[0]!)).toBeLessThanOrEqual(10.7 + 1);
  },
);
