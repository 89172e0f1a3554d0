// What platforms take: their hosts are known whatever the region, others are not judged, and what is suggested instead is taken.
import { describe, expect, test } from 'vitest';
import { excessOver } from '../../lambda/domain/ingest-limits.ts';
import { framerates, qualities } from '../../lambda/domain/video-format.ts';

const all = qualities.flatMap((quality) => framerates.map((framerate) => [quality, framerate] as const));
const refused = (host: string) => all.filter(([quality, framerate]) => excessOver(host, quality, framerate) !== null).map((format) => format.join(' '));
const large = all.slice(8).map((format) => format.join(' '));

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
] as const)('%s', ([host, formats]) => {
  expect(refused(host)).toEqual(formats);
});

describe('what is suggested instead', () => {
  test('is taken, and the most that is', () => {
    expect(excessOver('live.twitch.tv', 'q_2160p', 'f_60')).toEqual({
      platform: 'Twitch',
      taken: [
        { quality: 'q_720p', framerate: 'f_60' },
        { quality: 'q_1080p', framerate: 'f_30' },
        { quality: 'q_1080p', framerate: 'f_25' },
        { quality: 'q_1080p', framerate: 'f_24' },
      ],
    });
    for (const { quality, framerate } of excessOver('live.facebook.com', 'q_1440p', 'f_30')!.taken) {
      expect(excessOver('live.facebook.com', quality, framerate)).toBeNull();
    }
  });
});
