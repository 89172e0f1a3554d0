// ffmpeg may open only the addresses and formats of media that users upload.
import { expect, it } from 'vitest';
import { inputGuardArguments } from '../../../lambda/publisher/media/container-formats.ts';

function optionOf(sourceURL: string, option: string): string[] {
  const guard = inputGuardArguments(sourceURL, 'video');
  return guard[guard.indexOf(option) + 1]!.split(',');
}

it('a file from the network may name no local file, and a local file no address', () => {
  expect(optionOf('https://store.example/a', '-protocol_whitelist')).toEqual(['http', 'https', 'tcp', 'tls']);
  expect(optionOf('/media/a.mp4', '-protocol_whitelist')).toEqual(['file']);
});

it.each(['hls', 'concat', 'dash', 'sdp', 'rtsp', 'lavfi', 'image2', 'imf', 'vapoursynth', 'tty', 'tee'])(
  'the format %s is not opened',
  (demuxer) => {
    expect(optionOf('/media/a.mp4', '-format_whitelist')).not.toContain(demuxer);
  },
);
