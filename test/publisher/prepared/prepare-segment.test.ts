// Segments continue each other exactly, whatever is in them.
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { firstSoundFrameFrom } from '../../../lambda/domain/prepared-play-out.ts';
import { renditionOf, segmentCount } from '../../../lambda/domain/rendition.ts';
import { MediaError } from '../../../lambda/publisher/media/media-error.ts';
import { findMediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { prepareSegment } from '../../../lambda/publisher/prepared/prepare-segment.ts';
import { maxHeaderBytes, readSegmentHeader, segmentKey } from '../../../lambda/publisher/prepared/segment-format.ts';
import { mediaSample, textFile } from '../../support/media-samples.ts';
import { deltas, tally } from '../../support/recording.ts';
import { CheckingIngest, frameTimes, isKeyframe } from './checking-ingest.ts';
import { format, item, mediaOptions, play, preparedClips, timelineOf } from './prepared-clips.ts';

const tools = await findMediaTools(process.env);
const encoder = { codec: 'libx264', preset: 'ultrafast' } as const;
const { signal } = new AbortController();

describe('preparing', { timeout: 180_000 }, () => {
  it('cuts a long upload into segments that continue each other exactly', async () => {
    await using prepared = await preparedClips(tools);
    // Eight seconds of pictures, and the last one held.
    const long = item('long', 41);
    await prepared.prepare(long, await mediaSample('front-index.mp4'));
    const headers = [0, 1, 2].map(async (segment) =>
      readSegmentHeader(
        await buffer(await prepared.objects.read(segmentKey({ contentHash: 'long', format }, segment))),
      ),
    );
    expect((await Promise.all(headers)).map(({ groupCount }) => groupCount)).toEqual([600, 600, 30]);
    const ingest = new CheckingIngest();
    await play(
      mediaOptions(prepared.objects, () => ({ video: timelineOf(long) })),
      ingest,
      { seconds: 83 },
    );
    expect([...tally(deltas(frameTimes(ingest.video))).keys()].sort()).toEqual([33, 34]);
    expect([...tally(deltas(frameTimes(ingest.audio))).keys()].sort()).toEqual([21, 22]);
    const keyframes = ingest.video
      .filter(({ payload }) => payload[1] === 1)
      .flatMap((message, index) => (isKeyframe(message) ? [index % (41 * 30)] : []));
    expect(keyframes.every((index) => index % 60 === 0)).toBe(true);
  });

  it('of sound alone fills its segments and covers the item at every framerate', async () => {
    const path = await mediaSample('plain.mp4');
    const rendition = renditionOf('hash', { kind: 'audio', durationSeconds: 41 }, 'sound');
    const counts: number[] = [];
    for (let segment = 0; segment < segmentCount(rendition); segment++) {
      const bytes = await prepareSegment(
        tools,
        { rendition, segment, sourceURL: path, kind: 'audio', hasAudio: true, encoder },
        signal,
      );
      const header = readSegmentHeader(bytes.subarray(0, maxHeaderBytes));
      counts.push(header.groupCount);
      expect(header.mediaStart + header.mediaBytes).toBe(bytes.length);
    }
    expect(counts).toEqual([1000, 924]);
    for (const rate of [24, 25, 30, 60])
      expect(rendition.groupCount).toBeGreaterThanOrEqual(firstSoundFrameFrom(41 * rate, rate));
  });

  it('says of a file without media that it is damaged', async () => {
    const path = await textFile('nothing.mp4', 'no media at all');
    const request = {
      rendition: renditionOf('hash', item('nothing', 2), format),
      segment: 0,
      sourceURL: path,
      kind: 'video',
      hasAudio: true,
      encoder,
    } as const;
    await expect(prepareSegment(tools, request, signal)).rejects.toBeInstanceOf(MediaError);
  });
});
