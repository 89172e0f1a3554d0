// Contributions of any form become segments with exact groups, in sync, with the parameter sets of prepared media.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { firstSoundFrameFrom } from '../../lambda/domain/playout/prepared-play-out.ts';
import { renditionOf } from '../../lambda/domain/playout/rendition.ts';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { readVideoTag } from '../../lambda/publisher/ffmpeg/video-tag.ts';
import { assertSegment, maxHeaderBytes, readSegmentHeader } from '../../lambda/publisher/prepared/segment-format.ts';
import { prepareSegment } from '../../lambda/publisher/preparing/prepare-segment.ts';
import { measuredLoudness } from '../support/loudness.ts';
import { fastEncoder, mediaSample } from '../support/media-samples.ts';
import { beeps, flashes } from '../support/sync-clip.ts';
import { clip, format, messagesOf, onTime, send, writeFLV } from './contributor.ts';
import type { ClipOptions, Encoded } from './contributor.ts';

const tools = await findMediaTools(process.env);
const folder = await mkdtemp(join(tmpdir(), 'live-'));
afterAll(() => rm(folder, { recursive: true }));

const gopFrames = 60;
const frameSeconds = 1 / 30;
const syncSeconds = 0.021;

/** Requires all segments of a session to have exactly the groups of their numbers. */
function expectExact({ segments, failure }: Encoded, count: number): void {
  expect(failure).toBeNull();
  expect(segments.map(({ number }) => number)).toEqual(Array.from({ length: count }, (_, number) => number));
  for (const { number, bytes, soundBytes } of segments) {
    assertSegment(bytes);
    assertSegment(soundBytes);
    const firstSound = firstSoundFrameFrom(number * gopFrames, 30);
    expect(readSegmentHeader(soundBytes.subarray(0, maxHeaderBytes))).toMatchObject({
      firstGroup: firstSound,
      groupCount: firstSoundFrameFrom((number + 1) * gopFrames, 30) - firstSound,
      gopFrames: 1,
    });
    const { header, groups } = messagesOf({ bytes });
    expect(header).toMatchObject({
      firstGroup: number * gopFrames,
      groupCount: gopFrames,
      gopFrames,
      framesPerSecond: 30,
    });
    const tags = groups.map(({ picture }) => readVideoTag(picture));
    expect(tags.map(({ isKeyframe }) => isKeyframe)).toEqual(tags.map((_, index) => index === 0));
    expect(new Set(tags.map(({ compositionMs }) => compositionMs))).toEqual(new Set([33]));
    for (const [group, { sound }] of groups.entries()) {
      const picture = number * gopFrames + group;
      expect(sound).toHaveLength(firstSoundFrameFrom(picture + 1, 30) - firstSoundFrameFrom(picture, 30));
    }
  }
}

/** The colour of a pixel of the first picture: red, green and blue. */
async function colourAt(file: string, x: number, y: number): Promise<number[]> {
  const pixel = ['-vf', `crop=2:2:${x}:${y}`, '-frames:v', '1', '-pix_fmt', 'rgb24', '-f', 'rawvideo', '-'];
  const { stdout } = await promisify(execFile)(tools.ffmpegPath, ['-v', 'error', '-i', file, ...pixel], {
    encoding: 'buffer',
  });
  return [...stdout.subarray(0, 3)];
}

const isNear = (wanted: readonly number[]) => (colour: readonly number[]) =>
  colour.every((value, index) => Math.abs(value - wanted[index]!) < 12);

/** Requires each flash to be with its beep, and at its time. */
async function expectSync({ segments }: Encoded, name: string, atMost = syncSeconds): Promise<void> {
  const file = await writeFLV(join(folder, `${name}.flv`), segments);
  const [seen, heard] = await Promise.all([flashes(tools, file, 30), beeps(tools, file)]);
  expect(seen).toHaveLength(segments.length * 2);
  for (const [second, time] of seen.entries()) {
    expect(Math.abs(time - heard[second]!)).toBeLessThanOrEqual(atMost);
    expect(Math.abs(time - second - 0.4)).toBeLessThan(2 * frameSeconds);
  }
}

const shapes: readonly [string, ClipOptions, Partial<Encoded['sources'][number]>][] = [
  [
    '29.97 with B-frames',
    { seconds: 6.5, rate: '30000/1001', video: ['-preset', 'veryfast', '-bf', '3', '-g', '60'] },
    { framerate: 29.97, audioCodec: 'aac', width: 320, height: 180 },
  ],
  [
    '25 with mono sound at 44.1 kHz, and an odd size',
    { seconds: 6.5, rate: '25', size: '322x274', sound: ['-c:a', 'aac', '-ar', '44100', '-ac', '1'] },
    { framerate: 25, width: 322, height: 274 },
  ],
  [
    'variable rate, and MP3',
    {
      seconds: 6.5,
      rate: '60',
      filters: ["select='between(mod(t\\,1)\\,0.35\\,0.55)+not(mod(n\\,7))+not(mod(n\\,11))'"],
      sound: ['-c:a', 'libmp3lame', '-ar', '44100'],
    },
    { framerate: null, audioCodec: 'mp3' },
  ],
];

describe('a session', { timeout: 60_000 }, () => {
  it('has a small poster of each four seconds, of their first picture', async () => {
    const coloured = ['white', 'black'].map(
      (colour, index) => `drawbox=color=${colour}:t=fill:enable='${index === 0 ? 'lt' : 'gte'}(t,3.98)'`,
    );
    const { posters } = await send(tools, onTime(await clip(tools, { seconds: 6.5, filters: coloured })));
    const colours = await Promise.all(
      posters.map(async (poster, number) => {
        const file = join(folder, `poster-${number}.jpg`);
        await writeFile(file, poster);
        return colourAt(file, 300, 160);
      }),
    );
    expect(colours).toHaveLength(2);
    expect(colours[0]).toSatisfy(isNear([255, 255, 255]));
    expect(colours[1]).toSatisfy(isNear([0, 0, 0]));
  });

  it.each(shapes)('of %s gives whole segments in sync', async (name, options, source) => {
    const encoded = await send(tools, onTime(await clip(tools, options)));
    expectExact(encoded, 3);
    expect(encoded.sources.at(-1)).toMatchObject({ videoCodec: 'h264', ...source });
    await expectSync(encoded, name.slice(0, 5));
  });

  it.each([
    [undefined, [0, 0, 0]],
    ['padff0000', [255, 0, 0]],
    ['crop', [128, 128, 128]],
    ['blur', [83, 83, 83]],
  ] as const)('in another shape than its stream is framed by %s', async (framing, around) => {
    const grey = ['drawbox=color=gray:t=fill'];
    const portrait = { ...format, aspect: '9:16', ...(framing && { framing }) } as const;
    const sent = await send(tools, onTime(await clip(tools, { seconds: 2.2, filters: grey })), { format: portrait });
    expectExact(sent, 1);
    const file = await writeFLV(join(folder, `framed-${framing}.flv`), sent.segments);
    const [above, middle, below] = await Promise.all([100, 640, 1180].map((y) => colourAt(file, 360, y)));
    expect(middle).toSatisfy(isNear([128, 128, 128]));
    expect([above, below]).toSatisfy((both: number[][]) => both.every(isNear(around)));
  });

  it('comes to the loudness of its stream', async () => {
    const quiet = await clip(tools, { seconds: 6.5, tone: '0.05*sin(2*PI*1000*t)' });
    const { segments } = await send(tools, onTime(quiet), { targetLUFS: -14 });
    const file = await writeFLV(join(folder, 'levelled.flv'), segments);
    expect((await measuredLoudness(tools, ['-i', file], 2, 4)).lufs).toBeCloseTo(-14, 0);
  });

  it('without sound has silence', async () => {
    const encoded = await send(tools, onTime(await clip(tools, { seconds: 4.5, sound: null })));
    expectExact(encoded, 2);
    expect(encoded.segments.map(({ hasSilentSound }) => hasSilentSound)).toEqual([true, true]);
    expect(encoded.sources.at(-1)).toMatchObject({ audioCodec: null });
    expect(await beeps(tools, await writeFLV(join(folder, 'silent.flv'), encoded.segments))).toEqual([]);
  });

  it.each([
    [fastEncoder, format],
    [{ codec: 'libx264', preset: 'veryfast' } as const, { ...format, framerate: 'f_25' } as const],
  ])('has the parameter sets and the audio header of prepared media by %o', async (encoder, format) => {
    const { segments } = await send(tools, onTime(await clip(tools, { seconds: 2.2 })), { encoder, format });
    const request = {
      rendition: renditionOf('hash', { kind: 'video', durationSeconds: 1 }, format),
      segment: 0,
      sourceURL: await mediaSample('plain.mp4'),
      kind: 'video',
      hasAudio: true,
      encoder,
    } as const;
    const prepared = await prepareSegment(tools, request, new AbortController().signal);
    const [live, usual] = [segments[0]!.bytes, prepared].map((bytes) =>
      readSegmentHeader(bytes.subarray(0, maxHeaderBytes)),
    );
    expect(live!.videoSequenceHeader).toEqual(usual!.videoSequenceHeader);
    expect(live!.audioSequenceHeader).toEqual(usual!.audioSequenceHeader);
  });
});
