// The ffmpeg arguments of a live session: decoders of a contribution from a pipe, and the encoder of its pictures.
import { mostPixels } from '../domain/live/live-source.ts';
import type { FramingName } from '../domain/playout/look.ts';
import { posterSeconds } from '../domain/playout/posters.ts';
import type { PosterSize } from '../domain/playout/posters.ts';
import { inOrderArguments } from '../publisher/ffmpeg/encoder-arguments.ts';
import type { EncoderSettings } from '../publisher/ffmpeg/encoder-arguments.ts';
import { decoderArguments, quiet } from '../publisher/ffmpeg/input-arguments.ts';
import { bt709Colours, fitFilters, flvToStdout } from '../publisher/ffmpeg/item-arguments.ts';
import { audioFormat } from '../publisher/ffmpeg/profile.ts';
import type { Profile } from '../publisher/ffmpeg/profile.ts';
import { asJpeg } from '../publisher/inspecting/capture-image.ts';

/** Times in the files for decoders have this much added, as pictures may be decoded before the session's beginning. */
export const leadInMs = 1000;

/** Each further thread adds a picture of latency. */
const decodingThreads = '2';
/** Bytes and time in which ffmpeg looks for streams. The headers at the beginning name them already. */
const probed = { bytes: 1_000_000, microseconds: 200_000 };

/** Options that let ffmpeg read FLV from its pipe, and nothing else. */
const fromPipe = [
  ['-protocol_whitelist', 'pipe', '-format_whitelist', 'flv', '-max_streams', '2'],
  ['-max_pixels', String(mostPixels), '-threads', decodingThreads],
  ['-probesize', String(probed.bytes), '-analyzeduration', String(probed.microseconds), '-fpsprobesize', '0'],
].flat();
const flvInput = ['-copyts', '-f', 'flv', '-i', 'pipe:0'];

/**
 * Arguments that make ffmpeg write raw pictures of a profile to stdout, one for each place on the grid from a session
 * time on. A picture is repeated as soon as the next one is decoded.
 * @param framing of pictures in another shape than the profile's; undefined: black bars
 */
export function pictureDecoderArguments(
  profile: Profile,
  framing: FramingName | undefined,
  fromSeconds: number,
): string[] {
  const filters = [
    'settb=AVTB',
    `setpts=PTS-${(leadInMs / 1000 + fromSeconds).toFixed(6)}/TB`,
    'bwdif=mode=send_frame:deint=interlaced',
    `fps=${profile.framesPerSecond}:start_time=0:round=near:eof_action=pass`,
    ...fitFilters({ size: profile, framing }),
  ];
  return [
    [...quiet, '-filter_threads', decodingThreads, ...fromPipe, ...decoderArguments('sdr'), ...flvInput],
    ['-map', '0:v:0', '-vf', filters.join(','), '-fps_mode', 'passthrough'],
    ['-c:v', 'rawvideo', '-f', 'rawvideo', '-flush_packets', '1', 'pipe:1'],
  ].flat();
}

/** The most that sound is stretched, in samples a second: more than the session's clock is corrected. */
const mostStretch = audioFormat.sampleRate / 100;

/** Arguments that make ffmpeg write raw samples to stdout from a session time on. Gaps are silent. */
export function soundDecoderArguments(fromSeconds: number): string[] {
  // Without the flag, sound of this rate is not resampled until it is first stretched. The resampler that begins then
  // puts silence before it, from 0 on.
  const inTime = `aresample=${audioFormat.sampleRate}:flags=res:async=${mostStretch}:first_pts=0`;
  const filters = [
    `asetpts=PTS-${(leadInMs / 1000 + fromSeconds).toFixed(6)}/TB`,
    `${inTime}:min_comp=0.003:min_hard_comp=0.05:comp_duration=1`,
    'aformat=sample_fmts=s16:channel_layouts=stereo',
  ];
  return [
    [...quiet, '-filter_threads', '1', ...fromPipe, ...flvInput],
    ['-map', '0:a:0', '-af', filters.join(','), '-f', 's16le', '-flush_packets', '1', 'pipe:1'],
  ].flat();
}

/** Arguments that make ffprobe print the size of the pictures in an FLV file from its pipe, as a line. */
export const pictureSizeArguments: readonly string[] = [
  ['-hide_banner', '-loglevel', 'error', ...fromPipe, '-f', 'flv', '-i', 'pipe:0'],
  ['-select_streams', 'v:0', '-show_entries', 'stream=width,height', '-of', 'csv=p=0'],
].flat();

/** The facts of pictures that raw ones do not have. They are in the parameter sets. */
const asPrepared = 'setsar=1,setparams=field_mode=prog:range=tv:color_primaries=bt709:color_trc=bt709:colorspace=bt709';

/**
 * Arguments that make ffmpeg encode raw pictures of a profile from stdin as FLV to stdout, and the first picture of
 * each window of posters as JPEG to its second output.
 */
export function pictureEncoderArguments(encoder: EncoderSettings, profile: Profile, poster: PosterSize): string[] {
  const { width, height, framesPerSecond } = profile;
  return [
    [...quiet, '-probesize', '32', '-analyzeduration', '0'],
    ['-f', 'rawvideo', '-pix_fmt', 'yuv420p', '-s', `${width}x${height}`, '-r', String(framesPerSecond)],
    ['-i', 'pipe:0', '-map', '0:v', '-vf', asPrepared, '-fps_mode', 'passthrough'],
    [...inOrderArguments(encoder, profile), ...bt709Colours, ...flvToStdout],
    ['-map', '0:v', '-vf', posterFilters(framesPerSecond, poster), '-fps_mode', 'passthrough'],
    ['-c:v', 'mjpeg', '-q:v', '4', '-threads', '1', '-f', 'image2pipe', 'pipe:3'],
  ].flat();
}

function posterFilters(framesPerSecond: number, { width, height }: PosterSize): string {
  const first = `select=not(mod(n\\,${posterSeconds * framesPerSecond}))`;
  return [first, asPrepared, `scale=${width}:${height}:flags=area:${asJpeg}`, 'format=yuvj420p'].join(',');
}
