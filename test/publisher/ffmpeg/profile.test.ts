// The profiles fit the media grid and each other.
import { describe, expect, it } from 'vitest';
import { framerates, framesPerSecond, qualities } from '../../../lambda/domain/video-format.ts';
import { audioFormat, profileOf } from '../../../lambda/publisher/ffmpeg/profile.ts';

describe('every profile', () => {
  const profiles = qualities.flatMap((quality) => framerates.map((framerate) => ({ quality, framerate, profile: profileOf({ quality, framerate, videoCodec: 'h264' }) })));

  it.each(profiles)('$quality $framerate has whole samples in a frame and a GOP of 2 s', ({ framerate, profile }) => {
    expect(profile.samplesPerFrame * framesPerSecond[framerate]).toBe(audioFormat.sampleRate);
    expect(Number.isInteger(profile.samplesPerFrame)).toBe(true);
    expect(profile.gopFrames).toBe(2 * framesPerSecond[framerate]);
    expect(profile.width * 9).toBe(profile.height * 16);
  });

  it('has the bitrates of the ladder', () => {
    const bitrates = profiles.map(({ quality, framerate, profile }) => `${quality} ${framerate} ${profile.videoBitrateKbps}`);
    expect(bitrates).toEqual([
      'q_720p f_24 4000', 'q_720p f_25 4000', 'q_720p f_30 4000', 'q_720p f_60 6000',
      'q_1080p f_24 6000', 'q_1080p f_25 6000', 'q_1080p f_30 6000', 'q_1080p f_60 9000',
      'q_1440p f_24 15000', 'q_1440p f_25 15000', 'q_1440p f_30 15000', 'q_1440p f_60 24000',
      'q_2160p f_24 30000', 'q_2160p f_25 30000', 'q_2160p f_30 30000', 'q_2160p f_60 35000',
    ]);
  });
});
