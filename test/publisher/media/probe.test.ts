// The probe finds the facts of real files, and explains in words why a file cannot be played.
import { describe, expect, it } from 'vitest';
import { ToolError } from '../../../lambda/publisher/ffmpeg/media-tool.ts';
import { MediaError } from '../../../lambda/publisher/media/media-error.ts';
import type { MediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { probeMedia } from '../../../lambda/publisher/media/probe.ts';
import type { MediaFacts } from '../../../lambda/publisher/media/probe.ts';
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

const builds = await everyMediaTools();
const never = new AbortController().signal;

/** The first box of an image in boxes. */
const ftyp = (brand: string) => `\0\0\0\x18ftyp${brand}\0\0\0\0mif1miaf`;
const imageOf = (format: string) => ({
  code: 'unsupported',
  detail: `The file is an image in the format ${format}, which is not supported. Save it as JPEG or PNG.`,
});

describe.each(builds)('with the $name build', ({ tools }) => {
  const probe = (sourceURL: string, mimeType: string): Promise<MediaFacts> =>
    probeMedia(tools, sourceURL, { mimeType, type: null, fileSize: null }, never);

  const facts: [SampleName, string, Partial<MediaFacts>][] = [
    [
      'silent-24.mov',
      'video/quicktime',
      {
        kind: 'video',
        durationSeconds: 2,
        width: 1280,
        height: 720,
        framerate: 24,
        videoCodec: 'h264',
        audioCodec: null,
        hasVideo: true,
        hasAudio: false,
      },
    ],
    [
      'fast-60.mp4',
      'video/mp4',
      {
        kind: 'video',
        durationSeconds: 1,
        width: 1920,
        height: 1080,
        framerate: 60,
        audioCodec: 'aac',
        hasAudio: true,
      },
    ],
    ['vp9.webm', 'video/webm', { videoCodec: 'vp9', audioCodec: 'opus', framerate: 25 }],
    ['recorded.webm', 'video/webm', { videoCodec: 'vp8', framerate: 30 }],
    ['interlaced.ts', 'video/mp2t', { videoCodec: 'mpeg2video', width: 720, framerate: 25 }],
    ['anamorphic.mp4', 'video/mp4', { width: 1024, height: 576 }],
    ['ten-bit.mp4', 'video/mp4', { videoCodec: 'h264' }],
    ['hdr.mkv', 'video/x-matroska', { dynamicRange: 'pq' }],
    ['hlg.mp4', 'video/mp4', { videoCodec: 'hevc', dynamicRange: 'hlg' }],
    ['plain.mp4', 'video/mp4', { dynamicRange: 'sdr' }],
    ['one-frame.mp4', 'video/mp4', { kind: 'video' }],
    ['long-sound.mp4', 'video/mp4', { durationSeconds: 4 }],
    [
      'song.mp3',
      'audio/mpeg',
      { kind: 'audio', width: null, videoCodec: null, audioCodec: 'mp3', framerate: null, hasVideo: false },
    ],
    // The padding that encoders add before and after the sound does not count.
    ['song.mp3', 'audio/mpeg', { durationSeconds: expect.closeTo(3, 3) }],
    ['song.opus', 'audio/ogg', { durationSeconds: expect.closeTo(2, 3) }],
    ['song.aac', 'audio/aac', { kind: 'audio', audioCodec: 'aac' }],
    ['song.wav', 'audio/x-wav', { kind: 'audio', durationSeconds: 2 }],
    ['song.flac', 'audio/flac', { kind: 'audio', durationSeconds: 2 }],
    ['song.ogg', 'audio/ogg', { kind: 'audio', audioCodec: 'vorbis' }],
    ['song.m4a', 'audio/mp4', { kind: 'audio', durationSeconds: 2 }],
    ['cover.mp3', 'audio/mpeg', { kind: 'audio', hasVideo: false, videoCodec: null }],
  ];
  it.each(facts)('the probe knows the facts of %s', async (name, mimeType, expected) => {
    expect(await probe(await mediaSample(name), mimeType)).toMatchObject(expected);
  });

  // Browsers know the type only by the name of a file, and each in its own way.
  it.each([
    ['sound that is called video', 'song.m4a', 'video/mp4', 'audio/mp4'],
    ['video that is called sound', 'plain.mp4', 'audio/mp4', 'video/mp4'],
    ['WebM that is called MP4', 'vp9.webm', 'video/mp4', 'video/webm'],
    ['WAV with 64 bits that is called video', 'song.w64', 'video/mp4', 'audio/wav'],
    ['a still image that is called video', 'still.png', 'video/mp4', 'image/png'],
  ] as const)('the probe corrects the type of %s', async (_, name, mimeType, right) => {
    expect(await probe(await mediaSample(name), mimeType)).toMatchObject({
      mimeType: right,
      kind: right.split('/')[0],
    });
  });

  it.each([
    ['a photo of a phone', 'photo.heic', 'image/heic', 'HEIC', ftyp('heic')],
    ['an AVIF', 'photo.avif', 'image/avif', 'AVIF', ftyp('avif')],
    ['a JPEG XL', 'photo.jxl', 'image/jxl', 'JPEG XL', '\0\0\0\x0cJXL '],
  ])('the probe says of %s that its format is not supported', async (_, name, mimeType, format, beginning) => {
    const path = await writtenFile(name, beginning.padEnd(2000, '\x07'));
    await expect(probe(path, mimeType)).rejects.toMatchObject(imageOf(format));
  });

  it('the probe says of an animated WebP that its format is not supported', async () => {
    await expect(probe(await mediaSample('animated.webp'), 'image/webp')).rejects.toMatchObject(
      imageOf('animated WebP'),
    );
  });

  it('the probe measures a file whose header has no duration, or only a guess', async () => {
    expect((await probe(await mediaSample('recorded.webm'), 'video/webm')).durationSeconds).toBeCloseTo(6, 1);
    expect((await probe(await mediaSample('song.aac'), 'audio/aac')).durationSeconds).toBeCloseTo(2, 1);
  });

  it('the probe turns the size of what a phone filmed upright', async () => {
    expect(await probe(await uprightSample(), 'video/mp4')).toMatchObject({ width: 360, height: 640 });
  });

  it.each([
    ['still.png', 'image/png'],
    ['still.jpg', 'image/jpeg'],
    ['still.webp', 'image/webp'],
    ['animated.gif', 'image/gif'],
  ] as const)('the probe knows the facts of %s from its address', async (name, mimeType) => {
    await using server = await serveSamples();
    const path = await mediaSample(name);
    expect(await probe(server.urlOf(path), mimeType)).toMatchObject({
      kind: 'image',
      durationSeconds: null,
      framerate: null,
      hasVideo: false,
    });
  });

  it.each([
    ['vp9.webm', 'video/webm'],
    ['song.m4a', 'audio/mp4'],
    ['still.png', 'image/png'],
  ] as const)('the probe says what %s is where nobody has claimed anything', async (name, mimeType) => {
    const found = await probeMedia(
      tools,
      await mediaSample(name),
      { mimeType: null, type: null, fileSize: null },
      never,
    );
    expect(found).toMatchObject({ mimeType, kind: mimeType.split('/')[0] });
  });

  /** Keeps a share of a file from its beginning. */
  const cut = (share: number) => (bytes: Buffer) => bytes.subarray(0, bytes.length * share);
  /** A playlist of HLS with one segment. */
  const playlistOf = (segment: string) => `#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n${segment}\n#EXT-X-ENDLIST\n`;
  const broken: [string, string, string, () => Promise<string>][] = [
    ['an empty file', 'video/mp4', 'empty', () => writtenFile('empty.mp4', '')],
    [
      'a text that is called MP4',
      'video/mp4',
      'not_media',
      () => writtenFile('text.mp4', 'Once upon a time there was a file.\n'.repeat(100)),
    ],
    [
      'a web page that is called MP3',
      'audio/mpeg',
      'not_media',
      () => writtenFile('page.mp3', '<!doctype html><title>404</title>'),
    ],
    [
      'a playlist that names a file',
      'video/mp4',
      'not_media',
      async () => writtenFile('playlist.mp4', playlistOf(await mediaSample('plain.mp4'))),
    ],
    [
      'a concat script that names a file',
      'video/mp4',
      'not_media',
      async () => writtenFile('script.mp4', `ffconcat version 1.0\nfile ${await mediaSample('plain.mp4')}\n`),
    ],
    ['an MP4 without its index', 'video/mp4', 'truncated', () => changedSample('plain.mp4', 'no-index.mp4', cut(0.6))],
    [
      'an MP4 with its index in front, cut off',
      'video/mp4',
      'truncated',
      () => changedSample('front-index.mp4', 'cut.mp4', cut(0.7)),
    ],
    ['a WebM, cut off', 'video/webm', 'truncated', () => changedSample('vp9.webm', 'cut.webm', cut(0.5))],
    ['an MP3, cut off', 'audio/mpeg', 'truncated', () => changedSample('song.mp3', 'cut.mp3', cut(0.5))],
    ['a FLAC, cut off', 'audio/flac', 'truncated', () => changedSample('song.flac', 'cut.flac', cut(0.5))],
    ['a WAV, cut off', 'audio/wav', 'truncated', () => changedSample('song.wav', 'cut.wav', cut(0.5))],
    [
      'a file whose beginning is noise',
      'video/mp4',
      'damaged',
      () => changedSample('front-index.mp4', 'noise.mp4', (bytes) => bytes.fill(0x55, bytes.indexOf('mdat') + 4)),
    ],
    [
      'a file whose end is noise',
      'video/mp4',
      'damaged',
      () => changedSample('front-index.mp4', 'noisy-end.mp4', (bytes) => bytes.fill(0x55, bytes.length >> 1)),
    ],
  ];
  it.each(broken)('the probe refuses %s', async (_, mimeType, code, path) => {
    const failure = await probe(await path(), mimeType).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(MediaError);
    expect(failure).toMatchObject({ code, detail: expect.stringMatching(/^[A-Z].*\.$/u) });
  });

  it.each([
    ['an image', 'plain.mp4', 'video/mp4', 'image'],
    ['a video', 'still.png', 'image/png', 'video'],
    ['sound', 'silent-24.mov', 'video/quicktime', 'audio'],
  ] as const)('the probe refuses what is to be used as %s and is none', async (_, name, mimeType, type) => {
    const probing = probeMedia(tools, await mediaSample(name), { mimeType, type, fileSize: null }, never);
    await expect(probing).rejects.toMatchObject({
      code: 'type_mismatch',
      detail: expect.stringContaining('Upload it again without a type.'),
    });
  });

  it('a film may be used for its sound', async () => {
    const claimed = { mimeType: 'video/mp4', type: 'audio', fileSize: null } as const;
    expect(await probeMedia(tools, await mediaSample('plain.mp4'), claimed, never)).toMatchObject({ kind: 'video' });
  });

  it('the probe does not open what a playlist names', async () => {
    const asked: number[] = [];
    await using trap = await serveSamples({ refuse: (request) => asked.push(request) && null });
    const playlist = await writtenFile('list.m3u8', playlistOf(trap.urlOf(await mediaSample('plain.mp4'))));
    await using server = await serveSamples();
    await expect(probe(server.urlOf(playlist), 'video/mp4')).rejects.toMatchObject({ code: 'not_media' });
    expect(asked).toEqual([]);
  });
});

describe('a probe over HTTP', () => {
  const { tools } = builds[0]!;
  const claimed = { mimeType: 'video/mp4', type: null, fileSize: null };
  const failureOf = (tools: MediaTools, url: string): Promise<unknown> =>
    probeMedia(tools, url, claimed, never).catch((error: unknown) => error);

  it('finds the same facts as from a path', async () => {
    await using server = await serveSamples();
    const path = await mediaSample('plain.mp4');
    expect(await probeMedia(tools, server.urlOf(path), claimed, never)).toEqual(
      await probeMedia(tools, path, claimed, never),
    );
  });

  it('notices that bytes are missing which the uploader promised', async () => {
    await using server = await serveSamples();
    const url = server.urlOf(await mediaSample('plain.mp4'));
    await expect(probeMedia(tools, url, { ...claimed, fileSize: 1e9 }, never)).rejects.toMatchObject({
      code: 'truncated',
    });
  });

  it('notices that a file is cut off, although it reads by ranges', async () => {
    await using server = await serveSamples();
    const cut = (bytes: Buffer) => bytes.subarray(0, bytes.length * 0.7);
    const url = server.urlOf(await changedSample('front-index.mp4', 'cut-served.mp4', cut));
    const failure = await failureOf(tools, url);
    expect(failure).toMatchObject({ code: 'truncated' });
    expect(JSON.stringify(failure) + String(failure)).not.toContain(urlSignature);
  });

  it('does not blame the media for a store that refuses, at once or later', async () => {
    await using refusing = await serveSamples({ refuse: () => 403 });
    await using expiring = await serveSamples({ refuse: (request) => (request < 1 ? null : 403) });
    for (const server of [refusing, expiring]) {
      const failure = await failureOf(tools, server.urlOf(await mediaSample('plain.mp4')));
      expect(failure).toBeInstanceOf(Error);
      expect(failure).not.toBeInstanceOf(MediaError);
      expect(String(failure)).toContain('403');
      expect(String(failure)).not.toContain(urlSignature);
    }
  });

  it('does not blame the media for a missing ffprobe', async () => {
    const missing = { ...tools, ffprobePath: '/no/such/ffprobe' };
    expect(await failureOf(missing, await mediaSample('plain.mp4'))).toBeInstanceOf(ToolError);
  });

  it('stops when it is aborted', async () => {
    const aborted = AbortSignal.abort(new Error('no longer wanted'));
    const probing = probeMedia(tools, await mediaSample('plain.mp4'), claimed, aborted);
    await expect(probing).rejects.toThrow('no longer wanted');
  });
});
