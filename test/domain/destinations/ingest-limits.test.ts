// Limits of streaming platforms: their hosts are known in every region, and other hosts are not judged.
import { describe, expect, test } from 'vitest';
import {
  connectionEndsAfterMs,
  excessOver,
  ingestLimitsOf,
  knownPlatforms,
} from '../../../lambda/domain/destinations/ingest-limits.ts';
import { framerates, qualities, videoCodecs } from '../../../lambda/domain/shared/video-format.ts';
import { audioFormat, profileOf } from '../../../lambda/publisher/ffmpeg/profile.ts';

const all = qualities.flatMap((quality) => framerates.map((framerate) => ({ quality, framerate })));
const nameOf = ({ quality, framerate }: (typeof all)[number]) => `${quality} ${framerate}`;
const refused = (host: string) =>
  all.filter((format) => excessOver(host, { ...format, videoCodec: 'h264' }) !== null).map(nameOf);
const large = all.slice(8).map(nameOf);

test.for([
  ['a.rtmp.youtube.com', []],
  ['b.rtmps.youtube.com', []],
  ['live-api-s.facebook.com', large],
  ['live.twitch.tv', ['q_1080p f_60', ...large]],
  ['fra02.contribute.live-video.net', ['q_1080p f_60', ...large]],
  ['ingest.global-contribute.live-video.net', ['q_1080p f_60', ...large]],
  ['fa723fc1b171.global-contribute.live-video.net', ['q_1080p f_60', ...large]],
  ['live.example.com', []],
  ['twitch.tv.example.com', []],
  ['notyoutube.com', []],
  ['127.0.0.1', []],
] as const)('%s refuses these formats: %j', ([host, formats]) => {
  expect(refused(host)).toEqual(formats);
});

describe('HEVC and AV1', () => {
  const newer = videoCodecs.filter((videoCodec) => videoCodec !== 'h264');

  test.for(['a.rtmp.youtube.com', 'live.example.com'])('are accepted in all sizes by %s', (host) => {
    const formats = newer.flatMap((videoCodec) => all.map((format) => ({ ...format, videoCodec })));
    expect(formats.filter((format) => excessOver(host, format) !== null)).toEqual([]);
  });

  test.for(['live-api-s.facebook.com', 'live.twitch.tv', 'fa723fc1b171.global-contribute.live-video.net'])(
    'are refused by %s, which names the sizes that it accepts besides',
    (host) => {
      for (const videoCodec of newer) {
        for (const format of all) {
          const asH264 = excessOver(host, { ...format, videoCodec: 'h264' });
          expect(excessOver(host, { ...format, videoCodec })).toMatchObject({
            videoCodecs: ['h264'],
            taken: asH264?.taken ?? null,
          });
        }
      }
    },
  );
});

describe('a suggested format', () => {
  test('is accepted by the platform, and is the most that it accepts', () => {
    expect(excessOver('live.twitch.tv', { quality: 'q_2160p', framerate: 'f_60', videoCodec: 'h264' })).toEqual({
      platform: 'Twitch',
      videoCodecs: null,
      taken: [
        { quality: 'q_720p', framerate: 'f_60' },
        { quality: 'q_1080p', framerate: 'f_30' },
        { quality: 'q_1080p', framerate: 'f_25' },
        { quality: 'q_1080p', framerate: 'f_24' },
      ],
    });
    for (const videoCodec of videoCodecs) {
      const { taken, videoCodecs: others } = excessOver('live.facebook.com', {
        quality: 'q_1440p',
        framerate: 'f_30',
        videoCodec,
      })!;
      expect(
        taken!.filter(
          (size) => excessOver('live.facebook.com', { ...size, videoCodec: others?.[0] ?? videoCodec }) !== null,
        ),
      ).toEqual([]);
    }
  });
});

describe('a connection', () => {
  test.for([
    ['a.rtmp.youtube.com', 11 * 60 + 55],
    ['live-api-s.facebook.com', 8 * 60],
    ['fra02.contribute.live-video.net', 48 * 60],
    ['fa723fc1b171.global-contribute.live-video.net', 48 * 60],
    ['live.example.com', 20 * 24 * 60],
  ] as const)(
    'to %s is replaced before its %i minutes are over, and not all connections at once',
    ([host, minutes]) => {
      const endsAfterMinutes = [0, 0.25, 0.5, 0.999].map((random) => connectionEndsAfterMs(host, random) / 60_000);
      expect(Math.max(...endsAfterMinutes)).toBeLessThan(minutes - 9);
      expect(Math.min(...endsAfterMinutes)).toBeGreaterThan(0.89 * minutes);
      expect(endsAfterMinutes).toEqual(endsAfterMinutes.toSorted((a, b) => b - a));
      expect(endsAfterMinutes[0]! - endsAfterMinutes[3]!).toBeGreaterThan(30);
      // FLV times are signed 32-bit milliseconds: no connection may exceed them.
      expect(endsAfterMinutes[0]! * 60_000).toBeLessThan(2 ** 31);
    },
  );
});

describe('over SRT and HLS', () => {
  test('AV1 is carried to nobody, and HEVC to whoever takes it', () => {
    const format = { quality: 'q_1080p', framerate: 'f_30' } as const;
    for (const way of ['srt', 'hls'] as const) {
      expect(excessOver('live.example.com', { ...format, videoCodec: 'av1' }, way)).toMatchObject({
        platform: way.toUpperCase(),
        videoCodecs: ['h264', 'hevc'],
        taken: null,
      });
      expect(excessOver('live.example.com', { ...format, videoCodec: 'hevc' }, way)).toBeNull();
    }
    expect(excessOver('a.upload.youtube.com', { ...format, videoCodec: 'hevc' }, 'hls')).toBeNull();
    expect(excessOver('a.upload.youtube.com', { ...format, videoCodec: 'av1' }, 'hls')).toMatchObject({
      platform: 'YouTube',
      videoCodecs: ['h264', 'hevc'],
    });
  });

  test('a connection over SRT ends before its sequence numbers come round at the highest bitrate', () => {
    const packetsPerSecond = 50_000_000 / 8 / 1316;
    expect(connectionEndsAfterMs('live.example.com', 0, 'srt') / 1000).toBeLessThan(2 ** 31 / packetsPerSecond);
  });
});

test.for(knownPlatforms)('%s takes our groups of pictures and our sound', (name) => {
  const { maxKeyframeSeconds, maxAudioBitrateKbps, maxFramesPerSecond } = ingestLimitsOf(name);
  const { gopFrames, framesPerSecond } = profileOf({ quality: 'q_1080p', framerate: 'f_60', videoCodec: 'h264' });
  expect(gopFrames / framesPerSecond).toBeLessThanOrEqual(maxKeyframeSeconds);
  expect(audioFormat.bitrateKbps).toBeLessThanOrEqual(maxAudioBitrateKbps ?? Infinity);
  expect(framesPerSecond).toBeLessThanOrEqual(maxFramesPerSecond);
});
