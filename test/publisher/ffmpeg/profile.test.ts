// The encoding profiles match the frames, the samples and each other.
import { describe, expect, it } from 'vitest';
import { framerates, framesPerSecond, qualities, videoCodecs } from '../../../lambda/domain/shared/video-format.ts';
import { audioFormat, profileOf } from '../../../lambda/publisher/ffmpeg/profile.ts';

describe('every profile', () => {
  const profiles = qualities.flatMap((quality) =>
    framerates.map((framerate) => ({
      quality,
      framerate,
      profile: profileOf({ quality, framerate, videoCodec: 'h264' }),
    })),
  );

  it.each(profiles)(
    '$quality $framerate has a whole number of samples in a frame, and a GOP of 2 s',
    ({ framerate, profile }) => {
      expect(profile.samplesPerFrame * framesPerSecond[framerate]).toBe(audioFormat.sampleRate);
      expect(Number.isInteger(profile.samplesPerFrame)).toBe(true);
      expect(profile.gopFrames).toBe(2 * framesPerSecond[framerate]);
      expect(profile.width * 9).toBe(profile.height * 16);
    },
  );

  it('has its bitrate of the table', () => {
    const bitrates = profiles.map(
      ({ quality, framerate, profile }) => `${quality} ${framerate} ${profile.videoBitrateKbps}`,
    );
    expect(bitrates).toEqual([
      'q_720p f_24 4000',
      'q_720p f_25 4000',
      'q_720p f_30 4000',
      'q_720p f_60 6000',
      'q_1080p f_24 6000',
      'q_1080p f_25 6000',
      'q_1080p f_30 6000',
      'q_1080p f_60 9000',
      'q_1440p f_24 15000',
      'q_1440p f_25 15000',
      'q_1440p f_30 15000',
      'q_1440p f_60 24000',
      'q_2160p f_24 30000',
      'q_2160p f_25 30000',
      'q_2160p f_30 30000',
      'q_2160p f_60 35000',
    ]);
  });
});

describe.each(videoCodecs.filter((videoCodec) => videoCodec !== 'h264'))('%s', (videoCodec) => {
  it('takes fewer bytes than H.264 for pictures of the same size', () => {
    for (const quality of qualities) {
      for (const framerate of framerates) {
        const newer = profileOf({ quality, framerate, videoCodec });
        const h264 = profileOf({ quality, framerate, videoCodec: 'h264' });
        expect(newer.videoBitrateKbps).toBeLessThanOrEqual(h264.videoBitrateKbps * 0.75);
        expect(newer).toMatchObject({ width: h264.width, height: h264.height, gopFrames: h264.gopFrames });
      }
    }
  });
});

it('HEVC names the lowest level that has room for its pictures and bits', () => {
  /** H.265, tables A.8 and A.9: luma samples a picture, luma samples a second, kbit/s in the main tier. */
  const levels = {
    '3.1': [983_040, 33_177_600, 10_000],
    '4.0': [2_228_224, 66_846_720, 12_000],
    '4.1': [2_228_224, 133_693_440, 20_000],
    '5.0': [8_912_896, 267_386_880, 25_000],
    '5.1': [8_912_896, 534_773_760, 40_000],
  } as const;
  for (const quality of qualities) {
    for (const framerate of framerates) {
      const profile = profileOf({ quality, framerate, videoCodec: 'hevc' });
      const { width, height, framesPerSecond: rate, videoBitrateKbps, level } = profile;
      const hasRoom = ([samples, samplesPerSecond, kbps]: readonly [number, number, number]) =>
        width * height <= samples && width * height * rate <= samplesPerSecond && videoBitrateKbps <= kbps;
      const lowest = (Object.keys(levels) as (keyof typeof levels)[]).find((each) => hasRoom(levels[each]));
      // 24 and 25 frames per second use the level of 30.
      if (rate >= 30) expect({ quality, framerate, level }).toEqual({ quality, framerate, level: lowest });
      else expect(hasRoom(levels[level as keyof typeof levels])).toBe(true);
    }
  }
});
