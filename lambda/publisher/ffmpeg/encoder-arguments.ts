// The ffmpeg arguments of each video encoder: closed GOPs on a fixed grid, a bounded bitrate and fixed parameter sets.
import type { VideoCodec } from '../../domain/shared/video-format.ts';
import type { Profile } from './profile.ts';

/** A software encoder with its preset, or one of NVIDIA's. */
export type EncoderSettings =
  | { readonly codec: 'libx264' | 'libx265' | 'libsvtav1'; readonly preset: string }
  | { readonly codec: 'h264_nvenc' | 'hevc_nvenc' | 'av1_nvenc' };

const codecOfEncoder: Readonly<Record<EncoderSettings['codec'], VideoCodec>> = {
  libx264: 'h264',
  h264_nvenc: 'h264',
  libx265: 'hevc',
  hevc_nvenc: 'hevc',
  libsvtav1: 'av1',
  av1_nvenc: 'av1',
};

/**
 * The kind of an encoder. Encoders of one kind write identical parameter sets for a profile. NVIDIA's have one preset,
 * so their name is the kind. x264 writes the preset's tools, such as weighted prediction, into the parameter sets.
 */
export function encoderKind(encoder: EncoderSettings): string {
  return 'preset' in encoder ? `${encoder.codec} ${encoder.preset}` : encoder.codec;
}

/** Most B-frames in a row. None is a reference, so that pictures are shown one frame after their decoding. */
const maxBFrames = 2;

const nvenc = '-preset p4 -rc cbr -no-scenecut 1 -strict_gop 1 -b_ref_mode disabled -forced-idr 1'.split(' ');

/**
 * `stitchable` keeps everything that depends on the content out of the parameter sets. `cabac` and `8x8dct` make the
 * profile High, with fast presets too.
 */
const x264Params = 'nal-hrd=cbr:scenecut=0:open-gop=0:b-pyramid=none:stitchable=1:cabac=1:8x8dct=1';

/** @throws {TypeError} for an encoder of another codec than the profile's: the caller's mistake */
export function encoderArguments(encoder: EncoderSettings, profile: Profile): string[] {
  if (codecOfEncoder[encoder.codec] !== profile.videoCodec)
    throw new TypeError(`${encoder.codec} does not encode ${profile.videoCodec}`);
  const rate = `${profile.videoBitrateKbps}k`;
  const grid = ['-g', String(profile.gopFrames)];
  const bounds = ['-maxrate', rate, '-bufsize', rate];
  const common = ['-c:v', encoder.codec, ...grid, '-b:v', rate, ...bounds];
  const bFrames = ['-bf', String(maxBFrames)];
  const reordered = ['-level:v', String(profile.level), ...bFrames];
  switch (encoder.codec) {
    case 'h264_nvenc':
      return [...common, ...reordered, '-profile:v', 'high', ...nvenc];
    case 'hevc_nvenc':
      return [...common, ...reordered, '-profile:v', 'main', '-tier', 'main', ...nvenc];
    case 'av1_nvenc':
      return [...common, ...nvenc];
    case 'libx264': {
      const preset = ['-profile:v', 'high', '-preset', encoder.preset];
      return [...common, ...reordered, ...preset, '-x264-params', x264Params];
    }
    case 'libx265': {
      const preset = ['-profile:v', 'main', '-preset', encoder.preset];
      return [...common, ...bFrames, ...preset, '-x265-params', x265Params(profile)];
    }
    case 'libsvtav1': {
      // SVT-AV1 gets a quality (`-crf`) within the bitrate. With an average bitrate it spends all bits that quiet
      // pictures saved in the next second, at up to eight times the rate. With a constant bitrate it loses flashes of
      // light at such presets. Both were measured with version 2.0.
      const quality = ['-crf', '32', ...bounds];
      const preset = ['-preset', encoder.preset, '-svtav1-params', 'irefresh-type=2:scd=0'];
      return ['-c:v', 'libsvtav1', ...grid, ...quality, ...preset];
    }
  }
}

/**
 * Pictures that x264 looks ahead. None of these options is in the parameter sets. Without B-frames a picture leaves
 * earlier, and closed GOPs begin with no picture that waits.
 */
const x264InOrder = { params: 'rc-lookahead=8:sync-lookahead=0', options: ['-b_strategy', '1', '-b-bias', '-100'] };

/** The arguments of `encoderArguments`, without B-frames in H.264. */
export function inOrderArguments(encoder: EncoderSettings, profile: Profile): string[] {
  const usual = encoderArguments(encoder, profile);
  if (encoder.codec !== 'libx264') return usual;
  const params = usual.indexOf('-x264-params') + 1;
  return [...usual.with(params, `${usual[params]!}:${x264InOrder.params}`), ...x264InOrder.options];
}

/**
 * `info` is off, as it would put the encoder's options into every first picture. `strict-cbr` is not used, as segments
 * of up to three pictures look bad with it.
 */
function x265Params({ level, gopFrames }: Profile): string {
  return [
    `level-idc=${level}:high-tier=0`,
    `keyint=${gopFrames}:min-keyint=${gopFrames}:scenecut=0:open-gop=0:b-pyramid=0`,
    'info=0:log-level=error',
  ].join(':');
}
