// Files that are accepted by their headers: usual files are, and files that only cause cost are not.
import { describe, expect, it } from 'vitest';
import { decodeCost, faultOfSource } from '../../../lambda/domain/media/source-limits.ts';
import type { SourceFacts, SourcePictures } from '../../../lambda/domain/media/source-limits.ts';
import { pixelFormatFacts } from '../../../lambda/publisher/media/pixel-format.ts';

const pictures = (width: number, height: number, framerate: number | null, format = 'yuv420p'): SourcePictures => ({
  width,
  height,
  framerate,
  ...pixelFormatFacts(format),
});
const video = (of: SourcePictures, more: Partial<SourceFacts> = {}): SourceFacts => ({
  kind: 'video',
  pictures: of,
  sound: { channels: 2, sampleRate: 48_000 },
  durationSeconds: 600,
  sizeBytes: 600_000_000,
  ...more,
});
const image = (of: SourcePictures): SourceFacts => ({ ...video(of), kind: 'image', durationSeconds: null });
const sound = (more: Partial<SourceFacts> = {}): SourceFacts => ({
  kind: 'audio',
  pictures: null,
  sound: { channels: 2, sampleRate: 48_000 },
  durationSeconds: 180,
  sizeBytes: 3_000_000,
  ...more,
});

it('a decoded picture takes the memory that its format says', () => {
  const bytes = (format: string) => pixelFormatFacts(format).bytesPerPixel;
  expect(['yuv420p', 'nv12', 'yuv422p', 'yuv444p', 'rgb24', 'rgba', 'pal8', 'gray'].map(bytes)).toEqual([
    1.5, 1.5, 2, 3, 3, 4, 1, 1,
  ]);
  expect(['yuv420p10le', 'p010le', 'yuva444p12le', 'rgb48be', 'rgba64be', 'gbrpf32le'].map(bytes)).toEqual([
    3, 3, 8, 6, 8, 12,
  ]);
  expect(bytes('of a later ffmpeg')).toBe(4);
});

it('decoding costs by pixels a second and by their depth, and 720p30 costs 1', () => {
  expect(decodeCost(pictures(1280, 720, 30))).toBe(1);
  expect(decodeCost(pictures(3840, 2160, 60))).toBe(18);
  expect(decodeCost(pictures(3840, 2160, 60, 'yuv420p10le'))).toBe(27);
  expect(decodeCost(pictures(1280, 720, null))).toBe(2);
});

describe('a file is taken that', () => {
  it.each([
    ['is 4320p60', video(pictures(7680, 4320, 60))],
    ['is 4320p30 with 10 bits', video(pictures(7680, 4320, 30, 'yuv420p10le'))],
    ['a camera filmed at 240 pictures a second', video(pictures(1920, 1080, 240))],
    ['is ProRes 4444 of 2160p', video(pictures(3840, 2160, 30, 'yuva444p12le'), { sizeBytes: 100_000_000 * 600 })],
    ['a phone took with 50 million pixels', image(pictures(8160, 6144, null, 'yuvj420p'))],
    ['is a transparent drawing', image(pictures(8000, 8000, null, 'rgba'))],
    ['lasts two days', video(pictures(1280, 720, 30), { durationSeconds: 172_800, sizeBytes: 50_000_000_000 })],
    ['shows black for an hour', video(pictures(1280, 720, 25), { durationSeconds: 3600, sizeBytes: 2_000_000 })],
    ['shows one picture for a minute', video(pictures(1280, 720, 0.02), { durationSeconds: 60, sizeBytes: 1500 })],
    ['is a hundredth of a second', video(pictures(3840, 2160, 30), { durationSeconds: 0.04, sizeBytes: 20_000_000 })],
    ['does not say how long it is', video(pictures(1280, 720, null), { durationSeconds: null, sizeBytes: null })],
    ['is surround in the best quality', sound({ sound: { channels: 8, sampleRate: 192_000 } })],
    ['is speech with few bits', sound({ durationSeconds: 36_000, sizeBytes: 27_000_000 })],
    ['is a song with a cover', sound({ pictures: pictures(20_000, 20_000, null) })],
  ])('%s', (_, facts) => {
    expect(faultOfSource(facts)).toBeNull();
  });
});

describe('a file is refused, and its user told what to do, that', () => {
  it.each([
    ['has pictures that move of 50 million pixels', video(pictures(8160, 6144, 30)), /8160 × 6144 pixels.*35 million/u],
    ['is a still of 100 million pixels', image(pictures(10_000, 10_000, null)), /10000 × 10000 pixels.*67 million/u],
    ['has deep pictures', video(pictures(8000, 4000, 24, 'rgba64be')), /takes 244 MiB.*8 bits a colour/u],
    ['is a deep still', image(pictures(8000, 8000, null, 'rgba64be')), /takes 488 MiB/u],
    ['has 1000 pictures a second', video(pictures(320, 180, 1000)), /1000 pictures a second.*240/u],
    ['is 2160p at 240', video(pictures(4096, 2304, 240)), /more work to decode.*Make the file anew/u],
    ['is 4320p60 with 10 bits', video(pictures(7680, 4320, 60, 'p010le')), /more work to decode/u],
    ['lasts 30 years', video(pictures(320, 180, 1), { durationSeconds: 946_080_000 }), /262800 hours.*48/u],
    [
      'lasts longer than its bytes',
      video(pictures(320, 180, 1), { durationSeconds: 600, sizeBytes: 1493 }),
      /1493 bytes/u,
    ],
    ['has gigabytes for each second', video(pictures(320, 180, 1), { sizeBytes: 6e11 }), /1000 MB for each second/u],
    ['has 200 channels', sound({ sound: { channels: 200, sampleRate: 48_000 } }), /200 channels.*stereo/u],
    ['has too many samples', sound({ sound: { channels: 2, sampleRate: 3_000_000 } }), /3000000 samples/u],
  ])('%s', (_, facts, sentences) => {
    expect(faultOfSource(facts)).toMatch(sentences);
    expect(faultOfSource(facts)).toMatch(/^[A-Z].*\. [A-Z].*\.$/u);
  });
});
