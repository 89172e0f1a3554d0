// Uploads of every sort become segments that fit each other: exact counts, one set of parameters, a decoder without complaints.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { flvHeader, flvTag } from '../../../bin/local/rtmp-sink/flv-writer.ts';
import { firstSoundFrameFrom } from '../../../lambda/domain/prepared-play-out.ts';
import type { TimelineItem } from '../../../lambda/domain/play-out.ts';
import { renditionOf, segmentCount } from '../../../lambda/domain/rendition.ts';
import { MediaError } from '../../../lambda/publisher/media/media-error.ts';
import { findMediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { prepareSegment } from '../../../lambda/publisher/prepared/prepare-segment.ts';
import { maxHeaderBytes, readSegmentHeader, segmentKey } from '../../../lambda/publisher/prepared/segment-format.ts';
import { mediaSample, serveSamples, textFile, uprightSample } from '../../support/media-samples.ts';
import type { SampleName } from '../../support/media-samples.ts';
import { deltas, judgeRecording, tally } from '../../support/recording.ts';
import { CheckingIngest, frameTimes, isKeyframe } from './checking-ingest.ts';
import { format, item, mediaOptions, play, preparedClips, timelineOf } from './prepared-clips.ts';

const tools = await findMediaTools(process.env);
const encoder = { codec: 'libx264', preset: 'ultrafast' } as const;
const { signal } = new AbortController();

/** Seconds of each, and whether it has sound. */
const torture: readonly (readonly [SampleName, number, boolean])[] = [
  ['silent-24.mov', 2, false], ['fast-60.mp4', 1, true], ['vp9.webm', 2, true], ['44100.mp4', 2, true], ['anamorphic.mp4', 1, false],
  ['interlaced.ts', 1, true], ['variable.mkv', 4, false], ['ten-bit.mp4', 1, false], ['no-subsampling.mkv', 1, false], ['hdr.mkv', 1, false],
  ['surround.mkv', 1, true], ['telephone.mkv', 1, true], ['one-frame.mp4', 0.033, false], ['long-sound.mp4', 4, true], ['short-sound.mp4', 2, true],
  ['late-sound.mkv', 2, true], ['recorded.webm', 6, true],
];

async function flvOf({ video, audio }: CheckingIngest, folder: string): Promise<string> {
  const tags = [...video, ...audio].sort((a, b) => a.timestampMs - b.timestampMs);
  const path = join(folder, 'stream.flv');
  await writeFile(path, Buffer.concat([flvHeader({ hasVideo: true, hasAudio: true }), ...tags.map(({ type, timestampMs, payload }) => flvTag(type, timestampMs, payload))]));
  return path;
}

describe('preparing', { timeout: 180_000 }, () => {
  it('makes one stream of uploads of every sort', async () => {
    await using prepared = await preparedClips(tools);
    await using samples = await serveSamples();
    const folder = await mkdtemp(join(tmpdir(), 'torture-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const items: TimelineItem[] = [];
    const add = async (it: TimelineItem, path: string) => {
      await prepared.prepare(it, samples.urlOf(path));
      items.push(it);
    };
    for (const [name, seconds, hasAudio] of torture) await add(item(name.replace('.', '-'), seconds, { hasAudio }), await mediaSample(name));
    await add(item('upright', 1), await uprightSample());
    for (const name of ['still.png', 'still.jpg', 'still.webp', 'transparent.png'] as const) {
      await add(item(name.replace('.', '-'), 10, { kind: 'image', hasAudio: false }), await mediaSample(name));
    }
    const ingest = new CheckingIngest();
    const seconds = 36 + 4 * 10;
    const run = mediaOptions(prepared.objects, () => ({ video: timelineOf(...items) }));
    await play(run, ingest, { seconds });
    expect(run.unreadable).toEqual([]);
    expect([...tally(deltas(frameTimes(ingest.video))).keys()].sort()).toEqual([33, 34]);
    expect([...tally(deltas(frameTimes(ingest.audio))).keys()].sort()).toEqual([21, 22]);
    // One sequence header for the whole of it.
    expect(ingest.video.filter(({ payload }) => payload[1] === 0)).toHaveLength(1);
    expect(ingest.audio.filter(({ payload }) => payload[1] === 0)).toHaveLength(1);
    const { decodeErrors, video } = await judgeRecording(tools, await flvOf(ingest, folder));
    expect(decodeErrors).toBe('');
    expect(video).toMatchObject({ codec: 'h264', width: 1280, height: 720 });
  });

  it('cuts a long upload into segments that continue each other exactly', async () => {
    await using prepared = await preparedClips(tools);
    // Eight seconds of pictures, and the last one held.
    const long = item('long', 41);
    await prepared.prepare(long, await mediaSample('front-index.mp4'));
    const headers = [0, 1, 2].map(async (segment) => readSegmentHeader(await buffer(await prepared.objects.read(segmentKey({ contentHash: 'long', format }, segment)))));
    expect((await Promise.all(headers)).map(({ groupCount }) => groupCount)).toEqual([600, 600, 30]);
    const ingest = new CheckingIngest();
    await play(mediaOptions(prepared.objects, () => ({ video: timelineOf(long) })), ingest, { seconds: 83 });
    expect([...tally(deltas(frameTimes(ingest.video))).keys()].sort()).toEqual([33, 34]);
    expect([...tally(deltas(frameTimes(ingest.audio))).keys()].sort()).toEqual([21, 22]);
    const keyframes = ingest.video.filter(({ payload }) => payload[1] === 1).flatMap((message, index) => (isKeyframe(message) ? [index % (41 * 30)] : []));
    expect(keyframes.every((index) => index % 60 === 0)).toBe(true);
  });

  it('of sound alone fills its segments and covers the item at every framerate', async () => {
    const path = await mediaSample('plain.mp4');
    const rendition = renditionOf('hash', { kind: 'audio', durationSeconds: 41 }, 'sound');
    const counts: number[] = [];
    for (let segment = 0; segment < segmentCount(rendition); segment++) {
      const bytes = await prepareSegment(tools, { rendition, segment, sourceURL: path, kind: 'audio', hasAudio: true, encoder }, signal);
      const header = readSegmentHeader(bytes.subarray(0, maxHeaderBytes));
      counts.push(header.groupCount);
      expect(header.mediaStart + header.mediaBytes).toBe(bytes.length);
    }
    expect(counts).toEqual([1000, 924]);
    for (const rate of [24, 25, 30, 60]) expect(rendition.groupCount).toBeGreaterThanOrEqual(firstSoundFrameFrom(41 * rate, rate));
  });

  it('says of a file without media that it is damaged', async () => {
    const path = await textFile('nothing.mp4', 'no media at all');
    const request = { rendition: renditionOf('hash', item('nothing', 2), format), segment: 0, sourceURL: path, kind: 'video', hasAudio: true, encoder } as const;
    await expect(prepareSegment(tools, request, signal)).rejects.toBeInstanceOf(MediaError);
  });
});
