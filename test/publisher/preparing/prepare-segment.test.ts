// Prepared segments continue each other exactly, whatever they contain.
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { firstSoundFrameFrom } from '../../../lambda/domain/playout/prepared-play-out.ts';
import { renditionOf, segmentCount } from '../../../lambda/domain/playout/rendition.ts';
import { MediaError } from '../../../lambda/publisher/media/media-error.ts';
import { findMediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { prepareSegment } from '../../../lambda/publisher/preparing/prepare-segment.ts';
import { maxHeaderBytes, readSegmentHeader, segmentKey } from '../../../lambda/publisher/prepared/segment-format.ts';
import { fastEncoder, mediaSample, writtenFile } from '../../support/media-samples.ts';
import { steps } from '../../support/recording.ts';
import { CheckingIngest, frameTimes, isKeyframe } from '../prepared/checking-ingest.ts';
import { format, item, mediaOptions, play, preparedClips, timelineOf } from '../prepared/prepared-clips.ts';

const tools = await findMediaTools(process.env);
const { signal } = new AbortController();

describe('preparing an upload', { timeout: 180_000 }, () => {
  it('cuts a long upload into segments that continue each other exactly', async () => {
    await using prepared = await preparedClips(tools);
    // The media has eight seconds of pictures, and the last one is held.
    const long = item('long', 41);
    await prepared.prepare(long, await mediaSample('front-index.mp4'));
    const groupCountOf = async (segment: number) => {
      const stored = await prepared.objects.read(segmentKey({ contentHash: 'long', format }, segment));
      return readSegmentHeader(await buffer(stored)).groupCount;
    };
    expect(await Promise.all([0, 1, 2].map(groupCountOf))).toEqual([600, 600, 30]);
    const ingest = new CheckingIngest();
    const options = mediaOptions(prepared.objects, () => ({ video: timelineOf(long) }));
    await play(options, ingest, { seconds: 83 });
    expect(steps(frameTimes(ingest.video))).toEqual([33, 34]);
    expect(steps(frameTimes(ingest.audio))).toEqual([21, 22]);
    const keyframes = ingest.video
      .filter(({ payload }) => payload[1] === 1)
      .flatMap((message, index) => (isKeyframe(message) ? [index % (41 * 30)] : []));
    expect(keyframes.every((index) => index % 60 === 0)).toBe(true);
  });

  it('as sound alone fills its segments, and covers the item at every framerate', async () => {
    const path = await mediaSample('plain.mp4');
    const rendition = renditionOf('hash', { kind: 'audio', durationSeconds: 41 }, 'sound');
    const counts: number[] = [];
    for (let segment = 0; segment < segmentCount(rendition); segment++) {
      const request = {
        rendition,
        segment,
        sourceURL: path,
        kind: 'audio',
        hasAudio: true,
        encoder: fastEncoder,
      } as const;
      const bytes = await prepareSegment(tools, request, signal);
      const header = readSegmentHeader(bytes.subarray(0, maxHeaderBytes));
      counts.push(header.groupCount);
      expect(header.mediaStart + header.mediaBytes).toBe(bytes.length);
    }
    expect(counts).toEqual([1000, 924]);
    for (const rate of [24, 25, 30, 60])
      expect(rendition.groupCount).toBeGreaterThanOrEqual(firstSoundFrameFrom(41 * rate, rate));
  });

  it('fails with a MediaError for a file without media', async () => {
    const path = await writtenFile('nothing.mp4', 'no media at all');
    const request = {
      rendition: renditionOf('hash', item('nothing', 2), format),
      segment: 0,
      sourceURL: path,
      kind: 'video',
      hasAudio: true,
      encoder: fastEncoder,
    } as const;
    await expect(prepareSegment(tools, request, signal)).rejects.toBeInstanceOf(MediaError);
  });
});
