// Items of every kind become frames at exact times that join without a seam, with sample-exact sound.
import { describe, expect, it } from 'vitest';
import { ToolError } from '../../../lambda/publisher/ffmpeg/media-tool.ts';
import { plainSound } from '../../support/plain-sound.ts';
import { openComposedAudio } from '../../../lambda/publisher/ffmpeg/composed-audio.ts';
import { openItem } from '../../../lambda/publisher/ffmpeg/item-source.ts';
import type { VideoFrame } from '../../../lambda/publisher/ffmpeg/video-source.ts';
import {
  changedSample,
  everyMediaTools,
  mediaSample,
  serveSamples,
  writtenFile,
  uprightSample,
  urlSignature,
} from '../../support/media-samples.ts';
import type { SampleName } from '../../support/media-samples.ts';
import {
  decodePictures,
  encodeItem,
  itemRequest,
  joinItems,
  profile,
  readSound,
  soundRequest,
} from './encoded-item.ts';
import type { Picture } from './encoded-item.ts';

const builds = await everyMediaTools();
const { tools } = builds[0]!;
const never = new AbortController().signal;

/** The display positions of a joined stream's frames, in frames from its start. */
function shownFrames(items: readonly VideoFrame[][]): number[] {
  return items
    .flat()
    .map(({ compositionDelayFrames }, position) => position + compositionDelayFrames)
    .sort((a, b) => a - b);
}

/** The luma of black. */
const black = 16;
/** Scaling rounds, so black may differ by one. */
const isBlack = (luma: number): boolean => Math.abs(luma - black) < 2;
const countTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** The number that a frame of counting.mp4 shows. */
function numberIn(picture: Picture): number {
  const digit = (pixel: number): number => Math.abs(Math.round((picture[pixel]! - black) / 20));
  return digit(4 * 16 + 12) * 10 + digit(4 * 16 + 3);
}

describe.each(builds)('with the $name build', ({ tools }) => {
  const sources: SampleName[] = [
    'silent-24.mov',
    'fast-60.mp4',
    'vp9.webm',
    '44100.mp4',
    'anamorphic.mp4',
    'interlaced.ts',
    'variable.mkv',
    'ten-bit.mp4',
    'one-frame.mp4',
    'recorded.webm',
  ];

  it(
    'an item gives exactly the frames asked for and the same parameter sets, whatever its source',
    { timeout: 30_000 },
    async () => {
      const headers = new Set<string>();
      for (const name of sources) {
        const frames = await encodeItem(tools, itemRequest(await mediaSample(name), { frameCount: 20 }));
        expect([name, frames.length, frames.at(-1)!.index]).toEqual([name, 20, 19]);
        const [first] = frames as [VideoFrame];
        expect([name, first.keyframe, first.compositionDelayFrames]).toEqual([name, true, 1]);
        headers.add(first.sequenceHeader!.toString('hex'));
      }
      expect([...headers]).toHaveLength(1);
      // The AVCDecoderConfigurationRecord after the 5 bytes of the tag: version 1, High profile, level 3.1.
      expect([...headers][0]!.slice(10)).toMatch(/^0164001f/u);
    },
  );

  it('items join without gap or overlap, even items of one frame', async () => {
    const counting = await mediaSample('counting.mp4');
    const lengths = [1, 2, 3, 61, 4, 1, 5];
    const encode = (frameCount: number) => encodeItem(tools, itemRequest(counting, { frameCount }));
    const items = await Promise.all(lengths.map(encode));
    const frameCount = lengths.reduce((sum, length) => sum + length);
    // Every frame is shown one frame late, because B-frames need this delay.
    expect(shownFrames(items)).toEqual(countTo(frameCount).map((frame) => frame + 1));
    expect(items[3]!.filter(({ keyframe }) => keyframe).map(({ index }) => index)).toEqual([0, 60]);
    const pictures = await decodePictures(tools, joinItems(items));
    // The last frame of the media, 59, is held.
    const numbers = lengths.flatMap((length) => countTo(length).map((frame) => Math.min(frame, 59)));
    expect(pictures.map(numberIn)).toEqual(numbers);
  });

  it.each([
    [17, 20],
    [23, 2],
    [24, 1],
    [58, 4],
    [80, 3],
  ])('an item that begins at frame %i is as if it had played from 0', async (startFrame, frameCount) => {
    const frames = await encodeItem(tools, itemRequest(await mediaSample('counting.mp4'), { startFrame, frameCount }));
    const pictures = await decodePictures(tools, joinItems([frames]));
    expect(pictures.map(numberIn)).toEqual(countTo(frameCount).map((frame) => Math.min(startFrame + frame, 59)));
  });

  it.each([0, 15, 16, 29])(
    'an item that begins at frame %i has its sound at the very sample of its picture',
    async (startFrame) => {
      const sound = await readSound(tools, itemRequest(await mediaSample('clap.mp4'), { startFrame, frameCount: 75 }));
      const onset = sound.findIndex((value) => Math.abs(value) > 1000);
      expect(onset / 2).toBeCloseTo(48_000 - startFrame * profile.samplesPerFrame, -1);
      expect(sound).toHaveLength(75 * profile.samplesPerFrame * 2);
    },
  );
});

it('an item has the same parameter sets with every build', async () => {
  const headers = new Set<string>();
  for (const { tools } of builds) {
    const [frame] = await encodeItem(tools, itemRequest(await mediaSample('fast-60.mp4'), { frameCount: 1 }));
    headers.add(frame!.sequenceHeader!.toString('hex'));
  }
  expect(headers.size).toBe(1);
});

describe('pictures of an item', () => {
  async function firstPicture(path: string, kind: 'video' | 'image' = 'video'): Promise<Picture> {
    const frames = await encodeItem(tools, itemRequest(path, { kind, frameCount: 1 }));
    return (await decodePictures(tools, joinItems([frames])))[0]!;
  }
  const at = (picture: Picture, x: number, y: number): number => picture[y * 16 + x]!;

  it('that a phone filmed upright are turned, and stand between black bars', async () => {
    const picture = await firstPicture(await uprightSample());
    // 9:16 in the middle of 16:9 takes 5 of 16 columns. The white left side of the video is now above or below.
    expect([2, 13].map((x) => isBlack(at(picture, x, 1)))).toEqual([true, true]);
    expect([1, 7].map((y) => at(picture, 8, y) > 200).sort()).toEqual([false, true]);
  });

  it('that are anamorphic are shown as wide as they are meant', async () => {
    const picture = await firstPicture(await mediaSample('anamorphic.mp4'));
    // The pictures fill the 16:9 frame. With square samples, 5:4, they would leave bars.
    expect([at(picture, 0, 4), at(picture, 15, 4)].some(isBlack)).toBe(false);
  });

  it.each(['untagged-colour.mp4', 'tagged-colour.mp4'] as const)('keep the colours of %s', async (name) => {
    const luma = black + (219 * (0.2126 * 200 + 0.7152 * 60 + 0.0722 * 60)) / 255;
    expect(Math.abs(at(await firstPicture(await mediaSample(name)), 8, 4) - luma)).toBeLessThan(4);
  });

  it.each(builds.flatMap(({ name, tools }) => (['pq', 'hlg'] as const).map((range) => ({ name, tools, range }))))(
    'in $range are shown as light as SDR, with white for their peak ($name)',
    async ({ tools, range }) => {
      const greys = await mediaSample(`greys-${range}.mkv`);
      const [frame] = await encodeItem(tools, itemRequest(greys, { frameCount: 1, dynamicRange: range }));
      const [picture] = await decodePictures(tools, joinItems([[frame!]]));
      // Expected are black, a dark grey (20 of 203 cd/m² by IEC 61966-2-1), diffuse white with room for brighter tones,
      // and the peak.
      const expected = [17, 92, 201, 235];
      for (const [index, luma] of expected.entries())
        expect(Math.abs(at(picture!, index * 4 + 2, 4) - luma)).toBeLessThan(2);
      const [sdr] = await encodeItem(tools, itemRequest(await mediaSample('plain.mp4'), { frameCount: 1 }));
      expect(frame!.sequenceHeader).toEqual(sdr!.sequenceHeader);
    },
  );

  it('in BT.2020 get the primaries of BT.709', async () => {
    const green2020 = await mediaSample('green-pq.mkv');
    const frames = await encodeItem(tools, itemRequest(green2020, { frameCount: 1, dynamicRange: 'pq' }));
    const [picture] = await decodePictures(tools, joinItems([frames]));
    // In BT.709 only green remains. With the primaries of BT.2020 the same light has a third as much red.
    const green = 1.055 * (40 / 203) ** (1 / 2.4) - 0.055;
    expect(Math.abs(at(picture!, 8, 4) - (black + 219 * 0.7152 * green))).toBeLessThan(2);
  });

  it('hold a still image, on black where it is transparent', async () => {
    await using server = await serveSamples();
    const stillURL = server.urlOf(await mediaSample('still.png'));
    const still = await encodeItem(tools, itemRequest(stillURL, { kind: 'image', frameCount: 70 }));
    expect(still).toHaveLength(70);
    const pictures = await decodePictures(tools, joinItems([still]));
    // "green" is (0, 128, 0), which is 0.7152 * 128 of 255 by BT.709. The 4:3 picture has bars.
    expect(Math.abs(at(pictures[69]!, 8, 4) - (black + (219 * 0.7152 * 128) / 255))).toBeLessThan(2);
    expect(isBlack(at(pictures[69]!, 0, 4))).toBe(true);
    const transparent = await firstPicture(server.urlOf(await mediaSample('transparent.png')), 'image');
    expect(isBlack(at(transparent, 8, 4))).toBe(true);
  });

  it('hold the first picture of an animation', async () => {
    await using server = await serveSamples();
    const animationURL = server.urlOf(await mediaSample('animated.gif'));
    const frames = await encodeItem(tools, itemRequest(animationURL, { kind: 'image', frameCount: 10 }));
    const pictures = await decodePictures(tools, joinItems([frames]));
    const first = pictures[0]!;
    const changes = pictures.flatMap((picture) => [...picture].map((luma, pixel) => Math.abs(luma - first[pixel]!)));
    expect(Math.max(...changes)).toBeLessThan(8);
  });

  it('hold the last picture as long as the sound goes on', async () => {
    const frames = await encodeItem(tools, itemRequest(await mediaSample('long-sound.mp4'), { frameCount: 120 }));
    expect(frames).toHaveLength(120);
  });
});

describe('sound of an item', () => {
  it('is silent before the sound track begins and after it has ended', async () => {
    const sound = await readSound(tools, itemRequest(await mediaSample('late-sound.mkv'), { frameCount: 60 }));
    const loud = [...sound.keys()].filter((index) => Math.abs(sound[index]!) > 500);
    expect(loud[0]! / 2 / 48_000).toBeCloseTo(0.5, 2);
    expect(loud.at(-1)! / 2 / 48_000).toBeCloseTo(1.5, 2);
  });

  it('is silence where there is none, and where it is not wanted', async () => {
    const silent = { sound: plainSound(null), startSample: 0, count: 96_000, urlOf: String };
    for (const audio of [silent, null]) {
      const item = openItem(tools, itemRequest(await mediaSample('plain.mp4'), { audio }), never);
      expect((await item.readSamples(1600)).equals(Buffer.alloc(6400))).toBe(true);
      await item.close();
    }
  });

  it('can be read without the pictures', async () => {
    const audio = openComposedAudio(tools, soundRequest(await mediaSample('song.mp3'), 30, 90), never);
    await audio.ready;
    const shares = [];
    for (let frame = 0; frame < 90; frame++) shares.push(await audio.readSamples(profile.samplesPerFrame));
    await audio.close();
    expect(shares.every((share) => share.length === 6400)).toBe(true);
    // The song lasts 3 s. Started at its second 1, it sounds for 2 s.
    expect(shares.map((share) => share.some((byte) => byte !== 0)).lastIndexOf(true)).toBeCloseTo(60, -1);
  });

  it('fails with a MediaError when nothing of it can be decoded', async () => {
    const source = await writtenFile('noise.mp3', 'not a sound');
    const audio = openComposedAudio(tools, soundRequest(source, 0, 30), never);
    await expect(audio.ready).rejects.toMatchObject({ name: 'MediaError', code: 'damaged' });
    expect(await audio.readSamples(100)).toEqual(Buffer.alloc(400));
    await audio.close();
  });
});

describe('an item with which something is wrong', () => {
  it('gives what can be decoded of a damaged file, and holds the last picture', async () => {
    const damaged = await changedSample('front-index.mp4', 'damaged.mp4', (bytes) =>
      bytes.fill(0x55, bytes.length >> 1),
    );
    const frames = await encodeItem(tools, itemRequest(damaged, { frameCount: 240 }));
    expect(frames).toHaveLength(240);
  });

  it('blames the media when nothing can be decoded', async () => {
    const source = await writtenFile('text.mp4', 'once upon a time');
    const item = openItem(tools, itemRequest(source), never);
    await expect(item.ready).rejects.toMatchObject({ name: 'MediaError', code: 'damaged' });
    await expect(item.readFrame()).rejects.toMatchObject({ name: 'MediaError' });
    await item.close();
  });

  it.each([
    ['a missing file', '/no/such/file.mp4'],
    ['an address where nobody listens', 'http://127.0.0.1:9/video.mp4'],
  ])('does not blame the media for %s', async (_, sourceURL) => {
    await expect(encodeItem(tools, itemRequest(sourceURL))).rejects.toThrow(ToolError);
  });

  it('does not blame the media for a missing ffmpeg', async () => {
    const request = itemRequest(await mediaSample('plain.mp4'));
    await expect(encodeItem({ ...tools, ffmpegPath: '/no/such/ffmpeg' }, request)).rejects.toThrow(ToolError);
  });

  it.each(builds)(
    'does not blame the media for an expired address, and does not tell its signature ($name)',
    async ({ tools }) => {
      await using server = await serveSamples({ refuse: () => 403 });
      const request = itemRequest(server.urlOf(await mediaSample('plain.mp4')));
      const failure = await encodeItem(tools, request).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(ToolError);
      expect(String(failure)).toContain('403');
      expect(String(failure)).not.toContain(urlSignature);
    },
  );

  it.each(builds)('can be continued where its source broke off ($name)', async ({ tools }) => {
    const path = await mediaSample('front-index.mp4');
    await using broken = await serveSamples({
      cutAfterBytes: 200_000,
      refuse: (request) => (request === 0 ? null : 403),
    });
    const request = itemRequest(broken.urlOf(path), { frameCount: 240 });
    const item = openItem(tools, request, never);
    const before: VideoFrame[] = [];
    const readOn = async () => {
      for (;;) before.push((await item.readFrame())!);
    };
    const failure = await readOn().catch((error: unknown) => error);
    await item.close();
    expect(failure).toBeInstanceOf(ToolError);
    await using whole = await serveSamples();
    const rest = { startFrame: before.length, frameCount: 240 - before.length };
    const after = await encodeItem(tools, itemRequest(whole.urlOf(path), rest));
    expect(shownFrames([before, after])).toEqual(countTo(240).map((frame) => frame + 1));
  });

  it('ends when it is aborted, with the reason given', async () => {
    const controller = new AbortController();
    const path = await mediaSample('plain.mp4');
    const long = { frameCount: 100_000, audio: soundRequest(path, 0, 100_000) };
    const item = openItem(tools, itemRequest(path, long), controller.signal);
    await item.ready;
    controller.abort(new Error('the stream was stopped'));
    const readOn = async () => {
      while (await item.readFrame());
    };
    await expect(readOn()).rejects.toThrow('the stream was stopped');
    await expect(item.readSamples(1600)).rejects.toThrow('the stream was stopped');
    await item.close();
  });
});
