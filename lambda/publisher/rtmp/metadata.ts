// The onMetaData of a stream, for ingests. It describes no single file: it has no duration and no file size.
import { audioFormat } from '../ffmpeg/profile.ts';
import type { Profile } from '../ffmpeg/profile.ts';
import { fourCC } from '../ffmpeg/video-tag.ts';

const avcCodecNumber = 7;

/**
 * Names and codec numbers: Adobe Flash Video File Format 10.1, annex E.5; of other codecs their FourCC as a number
 * (Enhanced RTMP v2).
 */
export function metadataOf(profile: Profile): ReadonlyMap<string, number | boolean | string> {
  // A map goes out as the ECMA array that the format asks for.
  return new Map(
    Object.entries({
      width: profile.width,
      height: profile.height,
      framerate: profile.framesPerSecond,
      videocodecid:
        profile.videoCodec === 'h264'
          ? avcCodecNumber
          : Buffer.from(fourCC[profile.videoCodec], 'latin1').readUInt32BE(),
      videodatarate: profile.videoBitrateKbps,
      audiocodecid: 10,
      audiodatarate: audioFormat.bitrateKbps,
      audiosamplerate: audioFormat.sampleRate,
      audiosamplesize: 16,
      stereo: true,
      encoder: 'loop-streaming-platform',
    }),
  );
}
