// The ffmpeg arguments that turn any item into the pictures and the sound of a profile. Pure.
import type { DynamicRange } from '../../domain/video-format.ts';
import { inputGuardArguments } from '../media/container-formats.ts';
import { encoderArguments } from './encoder-arguments.ts';
import type { EncoderSettings } from './encoder-arguments.ts';
import { audioFormat } from './profile.ts';
import type { Profile } from './profile.ts';
import { toneMappingFilters } from './tone-mapping.ts';

export interface VideoRequest {
  /** Signed http(s) address, or a path. */
  readonly sourceURL: string;
  readonly kind: 'video' | 'image';
  /** SDR where it is absent. */
  readonly dynamicRange?: DynamicRange | undefined;
  /** Frame of the item to begin with, on the profile's grid. */
  readonly startFrame: number;
  /** Exactly this many frames come, whatever the source holds: its last frame is held. */
  readonly frameCount: number;
  readonly profile: Profile;
  readonly encoder: EncoderSettings;
  /** Nobody waits for it in real time. */
  readonly background?: boolean;
}

export interface AudioRequest {
  readonly sourceURL: string;
  /** Sample of the item to begin with, at 48 kHz. */
  readonly startSample: number;
  readonly sampleCount: number;
  /** Nobody waits for it in real time. */
  readonly background?: boolean;
}

/** Writes the profile's codec as FLV to stdout. */
export function videoArguments(request: VideoRequest): string[] {
  const { profile, kind, dynamicRange = 'sdr' } = request;
  return [
    ...inputArguments(
      request.sourceURL,
      kind === 'video' ? dynamicRange : null,
      kind === 'image' ? 0 : request.startFrame / profile.framesPerSecond,
    ),
    // The first stream of moving pictures: cover art is none.
    '-map',
    kind === 'image' ? '0:v:0' : '0:V:0',
    '-vf',
    videoFilters(kind, dynamicRange, profile).join(','),
    '-fps_mode',
    'cfr',
    '-frames:v',
    String(request.frameCount),
    ...encoderArguments(request.encoder, profile),
    '-color_primaries',
    'bt709',
    '-color_trc',
    'bt709',
    '-colorspace',
    'bt709',
    '-color_range',
    'tv',
    '-chroma_sample_location',
    'left',
    '-flvflags',
    'no_duration_filesize',
    '-flush_packets',
    '1',
    '-f',
    'flv',
    'pipe:1',
  ];
}

/** Encodes one picture of the profile, read raw from stdin, and writes it as FLV to stdout. */
export function encoderTrialArguments(encoder: EncoderSettings, profile: Profile): string[] {
  const { width, height, framesPerSecond } = profile;
  const raw = ['-f', 'rawvideo', '-pix_fmt', 'yuv420p', '-s', `${width}x${height}`, '-r', String(framesPerSecond)];
  return [
    ...quiet,
    ...raw,
    '-i',
    'pipe:0',
    '-frames:v',
    '1',
    ...encoderArguments(encoder, profile),
    '-f',
    'flv',
    'pipe:1',
  ];
}

/** Writes raw samples (see `audioFormat`) to stdout; the first belongs to `startSample`, whenever the source's sound begins. */
export function audioArguments(request: AudioRequest): string[] {
  return [
    ...inputArguments(request.sourceURL, null, request.startSample / audioFormat.sampleRate),
    '-map',
    '0:a:0',
    // Gaps become silence and overlaps are cut; `min_comp` makes the very first sample exact instead of "within 1 ms".
    '-af',
    [
      `aresample=${audioFormat.sampleRate}:async=1:first_pts=0:min_comp=0.00001`,
      'aformat=sample_fmts=s16:channel_layouts=stereo',
      `atrim=end_sample=${request.sampleCount}`,
    ].join(','),
    '-f',
    's16le',
    '-flush_packets',
    '1',
    'pipe:1',
  ];
}

/** Reads raw samples from stdin, writes AAC as FLV to stdout. */
export function audioEncoderArguments(bitrateKbps: number): string[] {
  return [
    ...quiet,
    '-probesize',
    '32',
    '-f',
    's16le',
    '-ar',
    String(audioFormat.sampleRate),
    '-ch_layout',
    'stereo',
    '-i',
    'pipe:0',
    '-c:a',
    'aac',
    '-profile:a',
    'aac_low',
    '-b:a',
    `${bitrateKbps}k`,
    '-flvflags',
    'no_duration_filesize',
    '-flush_packets',
    '1',
    '-f',
    'flv',
    'pipe:1',
  ];
}

/** For pictures that do not tell, as those of most H.264 encoders: by convention. ffmpeg would take them for BT.601 and shift the colours. */
const assumedColorMatrix: Record<DynamicRange, string> = { sdr: 'bt709', pq: 'bt2020nc', hlg: 'bt2020nc' };
const quiet = ['-nostdin', '-hide_banner', '-loglevel', 'error'] as const;

/** @param moving what its moving pictures are coded in, if they are wanted */
function inputArguments(sourceURL: string, moving: DynamicRange | null, startSeconds: number): string[] {
  return [
    ...quiet,
    ...inputGuardArguments(sourceURL),
    ...(moving ? ['-colorspace', assumedColorMatrix[moving]] : []),
    // From the keyframe before on; what comes earlier gets negative times, and the filters know which frame is on show at 0.
    ...(startSeconds > 0 ? ['-noaccurate_seek', '-ss', startSeconds.toFixed(6)] : []),
    '-i',
    sourceURL,
  ];
}

function videoFilters(
  kind: VideoRequest['kind'],
  dynamicRange: DynamicRange,
  { width, height, framesPerSecond }: Profile,
): string[] {
  const toneMapping = toneMappingFilters(dynamicRange);
  const toBt709 = 'out_color_matrix=bt709:out_range=tv';
  // Into the frame with the display's aspect ratio; `dar` knows non-square pixels, and rotation has been applied before.
  const size = `w='max(2,trunc(min(${width},${height}*dar)/2+0.5)*2)':h='max(2,trunc(min(${height},${width}/dar)/2+0.5)*2)'`;
  const fit = [
    ...(toneMapping.length > 0 ? [`scale=${size}`, ...toneMapping, `scale=${toBt709}`] : [`scale=${size}:${toBt709}`]),
    'format=yuv420p',
    'setsar=1',
    `pad=${width}:${height}:(ow-iw)/2:(oh-ih)/2`,
    'setparams=field_mode=prog:range=tv:color_primaries=bt709:color_trc=bt709:colorspace=bt709',
  ];
  const grid = `fps=${framesPerSecond}:eof_action=pass`;
  const holdLast = 'tpad=stop_mode=clone:stop=-1';
  if (kind === 'image') {
    // One frame, of an animation the first, on black where it is transparent; scaled once, then held.
    return ['trim=end_frame=1', 'format=gbrap', 'premultiply=inplace=1', ...fit, grid, holdLast];
  }
  return [
    'bwdif=mode=send_frame:deint=interlaced',
    // The second time for the start: frames before 0 go, but one of them, held or not, is on show at 0.
    grid,
    holdLast,
    `fps=${framesPerSecond}:start_time=0`,
    ...fit,
  ];
}
