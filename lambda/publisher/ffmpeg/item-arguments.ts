// The ffmpeg arguments that turn any item into the pictures and the sound of a profile.
import type { SourceReading } from '../../domain/shared/source-reading.ts';
import type { FramingName } from '../../domain/playout/look.ts';
import { highestPeakDBTP } from '../../domain/playout/sound.ts';
import type { SoundLevel } from '../../domain/playout/sound.ts';
import type { DynamicRange } from '../../domain/shared/video-format.ts';
import { encoderArguments, inOrderArguments } from './encoder-arguments.ts';
import type { EncoderSettings } from './encoder-arguments.ts';
import { framingFilters } from './framing.ts';
import { fromStart, inputArguments, leadOf, picturesIn, quiet, stillFilters } from './input-arguments.ts';
import { soundAlone, soundArguments, withoutAlpha } from './input-arguments.ts';
import { overlayFilters, overlayInputs } from './overlays.ts';
import type { InputPlace, PictureOverlay } from './overlays.ts';
import { audioFormat } from './profile.ts';
import type { Profile } from './profile.ts';
import { firstPlace, layeredPictures } from './layered-pictures.ts';
import type { ReadLayer, ReadPictures } from './layered-pictures.ts';
import { stingerArguments } from './stinger.ts';
import { toneMappingFilters } from './tone-mapping.ts';

export interface VideoRequest {
  /** From the lowest to the highest. */
  readonly layers: readonly ReadLayer[];
  /** The frame of the composition that comes first, on the profile's grid. */
  readonly startFrame: number;
  /** The exact number of frames. If the source ends earlier, its last frame is repeated. */
  readonly frameCount: number;
  readonly profile: Profile;
  readonly encoder: EncoderSettings;
  /** Whether pictures are decoded in the order in which they are shown. Absent: B-frames may change it. */
  readonly inOrder?: boolean;
  /** Whether ffmpeg has the lowest priority, because its output is not needed in real time. */
  readonly background?: boolean;
}

export interface AudioRequest {
  readonly sourceURL: string;
  /** First sample of the item, at 48 kHz. */
  readonly startSample: number;
  readonly sampleCount: number;
  /** How the file is read; absent: the usual way. */
  readonly reading?: SourceReading | undefined;
  /** Null or absent: the loudness is unchanged. */
  readonly level?: SoundLevel | null | undefined;
  /** Whether ffmpeg has the lowest priority, because its output is not needed in real time. */
  readonly background?: boolean;
}

export const bt709Colours =
  '-color_primaries bt709 -color_trc bt709 -colorspace bt709 -color_range tv -chroma_sample_location left'.split(' ');
/** FLV without the duration and size in its header, which would be filled in at the end. */
export const flvToStdout = '-flvflags no_duration_filesize -flush_packets 1 -f flv pipe:1'.split(' ');

/** Arguments that make ffmpeg write the profile's codec as FLV to stdout. */
export function videoArguments(request: VideoRequest): string[] {
  const { layers, startFrame, background = false, profile } = request;
  const [only] = layers as [ReadLayer];
  const isPlain = layers.length === 1 && only.fades.length === 0 && !only.overlay;
  const read = (layer: ReadLayer, frame: number, place: InputPlace, isKept: boolean) =>
    layer.kind === 'stinger'
      ? stingerArguments({ background, profile, ...layer }, place)
      : frameArguments({ background, profile, ...itemAt(layer, frame), drawnFrame: frame, isKept }, place);
  return [
    ...(isPlain
      ? plainPictures({ background, profile, ...itemAt(only, startFrame) })
      : layeredPictures(layers, startFrame, profile, read)),
    ['-fps_mode', 'cfr', '-frames:v', String(request.frameCount)],
    (request.inOrder ? inOrderArguments : encoderArguments)(request.encoder, profile),
    bt709Colours,
    flvToStdout,
  ].flat();
}

/** The pictures of an item from a frame on, as a layer of a composition has them. */
function itemAt(layer: ReadLayer, frame: number) {
  return {
    ...layer,
    kind: layer.kind === 'image' ? ('image' as const) : ('video' as const),
    startFrame: frame - layer.startFrame,
  };
}

/** The pictures of an item that are read. */
export interface FrameRequest extends Pick<ReadLayer, 'sourceURL'> {
  readonly kind: 'video' | 'image';
  readonly dynamicRange?: DynamicRange | undefined;
  readonly reading?: SourceReading | undefined;
  readonly framing?: FramingName | undefined;
  readonly decodeCost?: number | undefined;
  readonly overlay?: PictureOverlay | null | undefined;
  /** First frame of the item. */
  readonly startFrame: number;
  /** Whether ffmpeg keeps the times of all files that it reads; absent: as this one needs it. */
  readonly isKept?: boolean;
  /** The frame of the overlay at `startFrame`; absent: the same number. */
  readonly drawnFrame?: number;
  readonly profile: Profile;
  readonly background?: boolean;
}

/** Arguments that read an item without overlays. */
function plainPictures(request: FrameRequest): string[][] {
  const { input, stream, filters } = readingOf(request, 0);
  return [input, ['-map', stream, '-vf', filters.join(',')]];
}

/**
 * The arguments that make ffmpeg read an item, and the filters whose first output is the item's frame `startFrame`,
 * with its framing and overlays.
 */
export function frameArguments(request: FrameRequest, place: InputPlace = firstPlace): ReadPictures {
  const { startFrame, drawnFrame = startFrame, overlay, profile } = request;
  const { input, stream, filters } = readingOf(request, place.first);
  const [first, ...others] = filters;
  const above = overlayInputs(overlay, { ...place, first: place.first + 1 });
  const { framesPerSecond } = profile;
  const startSeconds = drawnFrame / framesPerSecond;
  const pictures = { filters: [`[${stream}]${first}`, ...others], size: profile, startSeconds, framesPerSecond };
  return {
    input: [...input, ...above.input],
    filters: overlayFilters(pictures, overlay, above.at),
    next: above.next,
  };
}

/** @param index the index of the input */
function readingOf(request: FrameRequest, index: number) {
  const {
    sourceURL,
    kind,
    dynamicRange = 'sdr',
    reading,
    startFrame,
    profile,
    decodeCost,
    background = true,
    isKept,
  } = request;
  const isImage = kind === 'image';
  const startSeconds = isImage ? 0 : startFrame / profile.framesPerSecond;
  const pictures = isImage ? null : dynamicRange;
  return {
    input: inputArguments(sourceURL, { kind, pictures, reading, startSeconds, decodeCost, background }),
    stream: isImage ? `${index}:v:0` : picturesIn(index, reading),
    filters: [...fromStart('setpts', startSeconds, reading, { isKept }), ...videoFilters(request)],
  };
}

export interface WindowsRequest extends Pick<
  FrameRequest,
  'sourceURL' | 'kind' | 'dynamicRange' | 'reading' | 'framing'
> {
  readonly startSeconds: number;
  readonly windowSeconds: number;
  readonly count: number;
  readonly size: Pick<Profile, 'width' | 'height'>;
  /** Whether windows without a keyframe are left out. For some sources this is much less work. */
  readonly onlyKeyframes: boolean;
}

/**
 * The arguments that make ffmpeg read successive windows of an item's time, and the filters that return one picture of
 * each: the first keyframe, or else the picture at the beginning of the window.
 */
export function windowArguments(request: WindowsRequest) {
  const { sourceURL, kind, dynamicRange = 'sdr', reading, startSeconds, windowSeconds, count, onlyKeyframes } = request;
  const fit = fitFilters(request);
  if (kind === 'image') {
    const input = inputArguments(sourceURL, { kind, pictures: null, reading, startSeconds: 0, background: true });
    return { input, filters: ['[0:v:0]trim=end_frame=1', ...stillFilters(reading), ...fit] };
  }
  const seconds = windowSeconds * count;
  const lastSeconds = seconds + windowSeconds + leadOf(startSeconds, reading);
  const options = ['-skip_frame', onlyKeyframes ? 'nokey' : 'noref', '-t', String(lastSeconds)];
  const windowOf = (time: string) => `floor(${time}/${windowSeconds})`;
  const isFirst = `isnan(prev_selected_t)+gt(${windowOf('t')},${windowOf('prev_selected_t')})`;
  const firstOfEach = `select='gte(t,0)*lt(t,${seconds})*(${isFirst})'`;
  const atStart = `fps=1/${windowSeconds}:round=up:start_time=0:eof_action=pass`;
  const windows = [...fromStart('setpts', startSeconds, reading), onlyKeyframes ? firstOfEach : atStart];
  return {
    input: inputArguments(sourceURL, {
      kind,
      pictures: dynamicRange,
      reading,
      startSeconds,
      background: true,
      options,
    }),
    filters: [`[${picturesIn(0, reading)}]${windows.join(',')}`, ...withoutAlpha(reading), ...fit],
  };
}

/** Arguments that make ffmpeg encode one raw picture from stdin in a profile, and write it as FLV to stdout. */
export function encoderTrialArguments(encoder: EncoderSettings, profile: Profile): string[] {
  const { width, height, framesPerSecond } = profile;
  return [
    quiet,
    ['-f', 'rawvideo', '-pix_fmt', 'yuv420p', '-s', `${width}x${height}`, '-r', String(framesPerSecond)],
    ['-i', 'pipe:0', '-frames:v', '1'],
    encoderArguments(encoder, profile),
    ['-f', 'flv', 'pipe:1'],
  ].flat();
}

/**
 * Arguments that make ffmpeg write raw samples (see `audioFormat`) to stdout. The first sample is `startSample`,
 * wherever the sound of the source begins.
 */
export function audioArguments(request: AudioRequest): string[] {
  const { sourceURL, startSample, sampleCount, level = null, background = false } = request;
  const reading = soundAlone(request.reading);
  const startSeconds = startSample / audioFormat.sampleRate;
  const filters = [
    // Gaps become silence and overlaps are cut, from a lost packet of AAC on; recorders' clocks are less exact.
    // `min_comp` makes the first sample exact instead of within 1 ms.
    `aresample=${audioFormat.sampleRate}:async=1:first_pts=0:min_comp=0.00001:min_hard_comp=0.02`,
    ...(level ? [toStereo, ...levelFilters(level)] : []),
    'aformat=sample_fmts=s16:channel_layouts=stereo',
    `atrim=end_sample=${sampleCount}`,
  ];
  return [
    inputArguments(sourceURL, { kind: 'audio', pictures: null, reading, startSeconds, background }),
    soundArguments(startSeconds, filters, reading),
    ['-f', 's16le', '-flush_packets', '1', 'pipe:1'],
  ].flat();
}

/**
 * A filter that mixes any channels to two, with the same loudness as ffmpeg's mix in integers. That mix is sent, so it
 * is also the one to measure and to bring to a level.
 */
export const toStereo = 'aresample=ochl=stereo:rematrix_maxval=1';
/** The rate at which peaks between samples are limited. ITU-R BS.1770-5 requires at least this rate to measure them. */
const truePeakRate = 4 * audioFormat.sampleRate;

/** Filters that bring sound to a level: one gain for the whole item, and a limiter for peaks only. Decision D147. */
function levelFilters({ gainDB, isLimited }: SoundLevel): string[] {
  const gain = `volume=${gainDB}dB:precision=float`;
  if (!isLimited) return [gain];
  const limit = (10 ** (highestPeakDBTP / 20)).toFixed(6);
  return [
    gain,
    `aresample=${truePeakRate}`,
    // `latency` compensates the limiter's own delay.
    `alimiter=limit=${limit}:level=0:latency=1`,
    `aresample=${audioFormat.sampleRate}`,
  ];
}

/** Arguments that make ffmpeg read raw samples from stdin and write AAC as FLV to stdout. */
export function audioEncoderArguments(): string[] {
  return [
    quiet,
    ['-probesize', '32', '-f', 's16le', '-ar', String(audioFormat.sampleRate), '-ch_layout', 'stereo'],
    ['-i', 'pipe:0', '-c:a', 'aac', '-profile:a', 'aac_low', '-b:a', `${audioFormat.bitrateKbps}k`],
    flvToStdout,
  ].flat();
}

/** The inputs of the picture filters. */
type PictureRequest = Pick<FrameRequest, 'kind' | 'dynamicRange' | 'reading' | 'framing' | 'overlay' | 'profile'>;

function videoFilters(request: PictureRequest): string[] {
  const { kind, profile } = request;
  const fit = fitFilters({ ...request, size: profile });
  const grid = `fps=${profile.framesPerSecond}:eof_action=pass`;
  const holdLast = 'tpad=stop_mode=clone:stop=-1';
  if (kind === 'image') {
    // The first frame of an animation is used, on black if it is transparent. It is scaled once and held.
    const first = ['trim=end_frame=1', ...stillFilters(request.reading), ...fit];
    // `overlay` gives a single frame no duration, so it must be held before it is put on the grid.
    return request.framing === undefined ? [...first, grid, holdLast] : [...first, holdLast, grid];
  }
  // The second fps handles the start: it drops the frames before 0 but keeps the one that is shown at 0.
  const fromZero = `fps=${profile.framesPerSecond}:start_time=0`;
  const deinterlaced = 'bwdif=mode=send_frame:deint=interlaced';
  return [deinterlaced, grid, holdLast, fromZero, ...withoutAlpha(request.reading), ...fit];
}

/** The inputs of the filters that fit a picture into a frame. */
export interface FitRequest extends Pick<FrameRequest, 'dynamicRange' | 'framing'> {
  readonly size: Pick<Profile, 'width' | 'height'>;
}

/** Filters that fit a picture into the profile's frame, and convert its colours to BT.709. */
export function fitFilters({ dynamicRange = 'sdr', framing, size: frame }: FitRequest): string[] {
  const { cut, size, surround } = framingFilters(framing, frame);
  const toBt709 = 'out_color_matrix=bt709:out_range=tv';
  const toneMapping = toneMappingFilters(dynamicRange);
  return [
    ...cut,
    ...(toneMapping.length > 0 ? [`scale=${size}`, ...toneMapping, `scale=${toBt709}`] : [`scale=${size}:${toBt709}`]),
    'format=yuv420p',
    'setsar=1',
    ...surround,
    'setparams=field_mode=prog:range=tv:color_primaries=bt709:color_trc=bt709:colorspace=bt709',
  ];
}
