// The ffmpeg arguments of each encoder of pictures: closed GOPs on a fixed grid, a bounded bitrate, and parameter sets that no content changes. Pure.
import type { VideoCodec } from '../../domain/video-format.ts';
import type { Profile } from './profile.ts';

/** An encoder in software with its preset, or NVIDIA's. */
export type EncoderSettings =
  | { readonly codec: 'libx264' | 'libx265' | 'libsvtav1'; readonly preset: string }
  | { readonly codec: 'h264_nvenc' | 'hevc_nvenc' | 'av1_nvenc' };

/** What an encoder writes. */
const codecOfEncoder: Readonly<Record<EncoderSettings['codec'], VideoCodec>> = {
  libx264: 'h264',
  h264_nvenc: 'h264',
  libx265: 'hevc',
  hevc_nvenc: 'hevc',
  libsvtav1: 'av1',
  av1_nvenc: 'av1',
};

/** At most two B-frames in a row and none of them a reference, so that a picture is never shown before it is decoded. */
const maxBFrames = 2;

/** @throws {TypeError} for an encoder of another codec than the profile's: the caller's mistake */
export function encoderArguments(encoder: EncoderSettings, profile: Profile): string[] {
  if (codecOfEncoder[encoder.codec] !== profile.videoCodec)
    throw new TypeError(`${encoder.codec} does not encode ${profile.videoCodec}`);
  const rate = `${profile.videoBitrateKbps}k`;
  const gop = profile.gopFrames;
  const bounds = ['-maxrate', rate, '-bufsize', rate];
  const common = ['-c:v', encoder.codec, '-g', String(gop), '-b:v', rate, ...bounds];
  const reordered = ['-level:v', String(profile.level), '-bf', String(maxBFrames)];
  const nvenc = [
    '-preset',
    'p4',
    '-rc',
    'cbr',
    '-no-scenecut',
    '1',
    '-strict_gop',
    '1',
    '-b_ref_mode',
    'disabled',
    '-forced-idr',
    '1',
  ];
  switch (encoder.codec) {
    case 'h264_nvenc':
      return [...common, ...reordered, '-profile:v', 'high', ...nvenc];
    case 'hevc_nvenc':
      return [...common, ...reordered, '-profile:v', 'main', '-tier', 'main', ...nvenc];
    case 'av1_nvenc':
      return [...common, ...nvenc];
    case 'libx264':
      // `stitchable` keeps the parameter sets free of anything that depends on the content; `cabac` and `8x8dct` make fast presets High, too.
      return [
        ...common,
        ...reordered,
        '-profile:v',
        'high',
        '-preset',
        encoder.preset,
        '-x264-params',
        'nal-hrd=cbr:scenecut=0:open-gop=0:b-pyramid=none:stitchable=1:cabac=1:8x8dct=1',
      ];
    case 'libx265':
      // `info` would put the encoder's options into every first picture; `strict-cbr` makes segments of up to three pictures unsightly.
      return [
        ...common,
        '-bf',
        String(maxBFrames),
        '-profile:v',
        'main',
        '-preset',
        encoder.preset,
        '-x265-params',
        `level-idc=${profile.level}:high-tier=0:keyint=${gop}:min-keyint=${gop}:scenecut=0:open-gop=0:b-pyramid=0:info=0:log-level=error`,
      ];
    case 'libsvtav1':
      // A quality within the bitrate: its average bitrate gives all that quiet pictures saved to the next second, up to eight times the rate, and
      // its constant one loses a flash of light at such presets (2.0, measured).
      return [
        '-c:v',
        'libsvtav1',
        '-g',
        String(gop),
        '-crf',
        '32',
        ...bounds,
        '-preset',
        encoder.preset,
        '-svtav1-params',
        'irefresh-type=2:scd=0',
      ];
  }
}
