// Reads the structure of a file with ffprobe: its container, its streams, and the duration in its header.
import * as z from 'zod';
import type { DynamicRange } from '../../domain/shared/video-format.ts';
import { picturesIn, soundIn } from '../ffmpeg/input-arguments.ts';
import { isOutOfMemory, runMediaTool, ToolError } from '../ffmpeg/media-tool.ts';
import { containerFormatOf, inputGuardArguments } from './container-formats.ts';
import { alphaDecoderOf, isSideways, unstatedMatrix } from '../../domain/shared/source-reading.ts';
import type { AlphaDecoder, AssumedMatrix, Orientation } from '../../domain/shared/source-reading.ts';
import { longestSidePixels, tooManyPixels } from '../../domain/media/source-limits.ts';
import type { SourcePictures, SourceSound } from '../../domain/media/source-limits.ts';
import type { FileTags } from '../../domain/playout/titles.ts';
import { fileTagsOf, tagEntries, taggedSchema } from './file-tags.ts';
import { MediaError, takesTooMuchMemory } from './media-error.ts';
import type { MediaTools } from './media-tools.ts';
import { readOrientation } from './orientation.ts';
import { pixelFormatFacts } from './pixel-format.ts';
import { isSourceUnreadable } from './source-fault.ts';
import { isFragmented, readRanges, startsWithBox } from './source-head.ts';
import type { SourceHead } from './source-head.ts';

/** A file to examine, and the tools for it. */
export interface Source {
  readonly tools: MediaTools;
  readonly sourceURL: string;
  readonly signal: AbortSignal;
}

export interface StreamStructure {
  /** The index of the stream in the file, from 0. */
  readonly index: number;
  /** Whether it is the first of its kind. */
  readonly isFirst: boolean;
  /** ffmpeg's stream specifier, for `-map`. */
  readonly specifier: string;
  readonly codec: string;
  /** The time of its first packet, from the beginning of the file. */
  readonly afterSeconds: number;
}

export interface PictureStructure extends StreamStructure {
  /** In pixels, as displayed: rotated, with square pixels. */
  readonly width: number;
  readonly height: number;
  /** Pictures per second, on average, by the file's header; null if it has no average. */
  readonly framerate: number | null;
  readonly dynamicRange: DynamicRange;
  /** Whether its pictures last unlike times, by the header's two rates. */
  readonly isUneven: boolean;
  /** Pictures that a decoder waits for before it shows one: more than 0 if they are coded in another order. */
  readonly reorderedPictures: number;
  /** The colour matrix if the file states none and it is not the usual one; null: the usual way. */
  readonly matrix: AssumedMatrix | null;
  /** The decoder, if there is transparency; null: there is none. */
  readonly alpha: AlphaDecoder | null;
  /** See `SourceReading`; null: absent. */
  readonly orientation: Orientation | null;
  /** The coded size and format, before rotation and scaling. */
  readonly source: SourcePictures;
}

export interface SoundStructure extends StreamStructure {
  /** The index of the track of the right channel; null: the sound is whole. */
  readonly right: number | null;
  /** The facts of all sound streams of the file together. */
  readonly source: SourceSound;
}

export interface Structure {
  readonly formatName: string;
  /** The beginning of the first stream on the file's own clock: time 0 for players. */
  readonly startSeconds: number;
  /** The duration in the header; null if there is none, or if ffprobe only guesses it from the bitrate. */
  readonly headerSeconds: number | null;
  /** Whether it is MP4 or QuickTime in fragments. */
  readonly isFragmented: boolean;
  /** The pictures that play, which are no cover art, and the sound; null: there are none. */
  readonly video: PictureStructure | null;
  readonly audio: SoundStructure | null;
  readonly tags: FileTags;
}

/** Side data of a stream or a picture. */
const sideDataSchema = z.array(
  z.object({
    rotation: z.number().optional(),
    dv_profile: z.number().optional(),
    dv_bl_signal_compatibility_id: z.number().optional(),
  }),
);

const probedStreamSchema = z.object({
  index: z.number(),
  codec_type: z.string().optional(),
  codec_name: z.string().optional(),
  width: z.number().optional(),
  height: z.number().optional(),
  start_time: z.string().optional(),
  sample_aspect_ratio: z.string().optional(),
  avg_frame_rate: z.string().optional(),
  r_frame_rate: z.string().optional(),
  has_b_frames: z.number().optional(),
  color_transfer: z.string().optional(),
  color_space: z.string().optional(),
  pix_fmt: z.string().optional(),
  channels: z.number().optional(),
  sample_rate: z.string().optional(),
  disposition: z.object({ attached_pic: z.number().optional(), default: z.number().optional() }).optional(),
  side_data_list: sideDataSchema.optional(),
  tags: taggedSchema,
});
type ProbedStream = z.infer<typeof probedStreamSchema>;

/** The requested parts of ffprobe's JSON. */
const reportSchema = z.object({
  format: z.object({
    format_name: z.string(),
    start_time: z.string().optional(),
    duration: z.string().optional(),
    tags: taggedSchema,
  }),
  streams: z.array(probedStreamSchema).default([]),
  programs: z.array(z.object({ streams: z.array(z.object({ index: z.number() })).default([]) })).default([]),
});

type Report = z.infer<typeof reportSchema>;

const photoSchema = z.object({ frames: z.array(z.object({ side_data_list: sideDataSchema.optional() })).default([]) });

const entries = [
  'format=format_name,start_time,duration',
  'stream=index,codec_type,codec_name,start_time,width,height,sample_aspect_ratio,avg_frame_rate,color_transfer',
  'stream=r_frame_rate,pix_fmt,channels,sample_rate,color_space,has_b_frames',
  'stream_disposition=attached_pic,default',
  'program=program_id',
  'program_stream=index',
  'stream_side_data=rotation,dv_profile,dv_bl_signal_compatibility_id',
  'stream_tags=alpha_mode,language',
].join(':');

const limits = { timeoutMs: 60_000, maxOutputBytes: 1024 * 1024 };

/**
 * @param empty the indexes of streams that turned out to have no media
 * @throws {MediaError} when the file is no media, is cut off, or has streams that cannot be decoded
 * @throws {ToolError} when the file cannot be read
 */
export async function readStructure(
  { tools, sourceURL, signal }: Source,
  head: SourceHead,
  empty: ReadonlySet<number>,
): Promise<Structure> {
  const ask = async (asked: string, interval: readonly string[] = []) => {
    const probeArguments = [
      ['-hide_banner', '-loglevel', 'warning'],
      inputGuardArguments(sourceURL, null),
      [...interval, '-show_entries', asked, '-of', 'json', sourceURL],
    ].flat();
    const lines: string[] = [];
    const options = { sourceURL, limits, onLine: (line: string) => void lines.push(line), signal };
    return { ...(await runMediaTool(tools.ffprobePath, probeArguments, options)), lines };
  };
  const withTags = await ask(`${entries}:${tagEntries}`);
  // Tags may be as long as the file. Such a file is accepted without its tags.
  const result = withTags.overLimits ? await ask(entries) : withTags;
  if (isSourceUnreadable(result.log)) throw new ToolError(`the source could not be read: ${result.log}`);
  if (result.overLimits)
    throw new MediaError('unsupported', 'The file takes too long to examine: its structure is unusual or damaged.');
  // ffprobe also logs this for files that only have the name of an MP4. Those do not begin with a box.
  if (result.log.includes('moov atom not found') && startsWithBox(head)) {
    throw new MediaError('truncated', 'The MP4 file is cut off: its index (moov) is missing.');
  }
  if (/exceeds max_streams/u.test(result.log))
    throw new MediaError(
      'too_demanding',
      'The file has more than 100 tracks. Export it again with only the tracks to be played.',
    );
  if (isOutOfMemory(result.log)) throw takesTooMuchMemory();
  if (result.code !== 0) throw notMedia();

  const { format, streams, programs } = reportSchema.parse(JSON.parse(result.lines.join('')));
  const isStill = containerFormatOf(format.format_name)?.still ?? false;
  // Cameras write into a photo how it was held. ffmpeg turns those in JPEG when it decodes them.
  const isTurned = isStill && streams[0]?.codec_name === 'mjpeg';
  const photo = isTurned ? await ask('frame_side_data=rotation', ['-read_intervals', '%+#1']) : null;
  const turn = photo?.code === 0 ? turnOf(photo.lines.join('')) : null;
  const orientation = isStill && !isTurned ? await readRanges(sourceURL, head, readOrientation(), signal) : null;
  const startSeconds = Number(format.start_time) || 0;
  const pictures = pictureOf(streams, empty, { log: result.log, turn, orientation, startSeconds });
  const isGuessed = /from bitrate|using bitrate for duration/u.test(result.log);
  return {
    formatName: format.format_name,
    startSeconds,
    isFragmented: isFragmented(head),
    headerSeconds: isGuessed ? null : positiveNumber(format.duration),
    video: pictures,
    audio: soundOf(streams, empty, { program: besides(pictures, programs), startSeconds }),
    tags: fileTagsOf(format, streams),
  };
}

/** The rotation of a photo, from ffprobe's report of its picture; null: it states none. */
function turnOf(report: string): number | null {
  const [frame] = photoSchema.parse(JSON.parse(report)).frames;
  return rotationOf(frame?.side_data_list) ?? null;
}

function rotationOf(sideData: ProbedStream['side_data_list']): number | undefined {
  return sideData?.find((data) => data.rotation !== undefined)?.rotation;
}

export function notMedia(): MediaError {
  return new MediaError('not_media', 'The file is not a video, sound or image file of a known format.');
}

/** The streams of the pictures' programme, as a broadcast has several; null: the file has no programmes. */
function besides(pictures: PictureStructure | null, programs: Report['programs']): ReadonlySet<number> | null {
  const indexes = programs.map(({ streams }) => new Set(streams.map(({ index }) => index)));
  return (pictures && indexes.find((program) => program.has(pictures.index))) ?? null;
}

/**
 * The stream that plays, as players choose it: the one that the file calls default, else the first. One of an unknown
 * codec is no choice, unless there is no other.
 */
function chosen(streams: readonly ProbedStream[]): ProbedStream | undefined {
  const known = streams.filter(isKnown);
  return known.find(({ disposition }) => disposition?.default === 1) ?? known[0] ?? streams[0];
}

function isKnown({ codec_name: name }: ProbedStream): boolean {
  return name !== undefined && name !== 'unknown';
}

/** Facts about pictures that are not in ffprobe's report of streams. */
interface PictureFacts extends Pick<PictureStructure, 'orientation'> {
  readonly log: string;
  /** The rotation that ffmpeg makes, in degrees; null: none. */
  readonly turn: number | null;
  readonly startSeconds: number;
}

function pictureOf(
  streams: readonly ProbedStream[],
  empty: ReadonlySet<number>,
  { log, turn, orientation, startSeconds }: PictureFacts,
): PictureStructure | null {
  const all = streams.filter(
    ({ codec_type, disposition }) => codec_type === 'video' && disposition?.attached_pic !== 1,
  );
  const stream = chosen(all.filter(({ index }) => !empty.has(index)));
  if (!stream) return null;
  const isFirst = stream === all[0];
  const codec = knownCodec(stream, 'picture');
  const { width: codedWidth = 0, height = 0 } = stream;
  if (codedWidth === 0 || height === 0) {
    const [, refusedWidth, refusedHeight] = /Picture size (\d+)x(\d+) (?:exceeds|is invalid)/u.exec(log) ?? [];
    if (refusedWidth)
      throw new MediaError('too_demanding', tooManyPixels('image', Number(refusedWidth), Number(refusedHeight)));
    throw new MediaError('damaged', `The ${codec} pictures have no size: the file is damaged or cut off.`);
  }
  const width = Math.round(codedWidth * (ratio(stream.sample_aspect_ratio, ':') ?? 1));
  if (width < 1 || Math.max(width, height) > longestSidePixels) {
    throw new MediaError(
      'damaged',
      `By the shape of their pixels, the pictures are ${width} wide and ${height} high: the file is damaged. ` +
        'Export it again with square pixels.',
    );
  }
  assertBaseLayer(stream);
  const rotation = rotationOf(stream.side_data_list) ?? turn ?? 0;
  const liesOnSide = orientation ? isSideways(orientation) : Math.abs(Math.round(rotation / 90)) % 2 === 1;
  const dynamicRange = highDynamicRanges[stream.color_transfer ?? ''] ?? 'sdr';
  const isUnstated = dynamicRange === 'sdr' && (stream.color_space ?? 'unknown') === 'unknown';
  const unstated = isUnstated ? unstatedMatrix(codec, codedWidth, height) : null;
  const alpha = dynamicRange === 'sdr' && hasAlpha(stream) ? alphaDecoderOf(codec) : null;
  const rate = ratio(stream.avg_frame_rate, '/');
  const framerate = rate === null ? null : Math.round(rate * 1000) / 1000;
  return {
    index: stream.index,
    isFirst,
    specifier: picturesIn(0, isFirst ? {} : { pictures: stream.index }),
    codec,
    afterSeconds: afterOf(stream, startSeconds),
    width: liesOnSide ? height : width,
    height: liesOnSide ? width : height,
    framerate,
    isUneven: isUnevenRate(rate, ratio(stream.r_frame_rate, '/')),
    reorderedPictures: stream.has_b_frames ?? 0,
    source: { width: codedWidth, height, framerate, ...pixelFormatFacts(stream.pix_fmt) },
    dynamicRange,
    matrix: unstated ?? (isUnstated && alpha !== null ? 'bt709' : null),
    alpha,
    orientation,
  };
}

/**
 * Whether pictures may be transparent. In WebM only a tag states it. Capturing programs leave the fourth byte of
 * uncompressed pictures empty.
 */
function hasAlpha({ codec_name: codec, pix_fmt: format = '', tags = {} }: ProbedStream): boolean {
  if (tags.alpha_mode === '1' || tags.ALPHA_MODE === '1') return true;
  return codec !== 'rawvideo' && /^(?:yuva|gbrap|rgba|bgra|argb|abgr|ya\d)/u.test(format);
}

/** Profiles of Dolby Vision whose pictures are in a colour space of their own; the later ones if nothing reads them. */
const proprietary = { always: 5, unlessCompatibleFrom: 10 } as const;

/** @throws {MediaError} if only decoders of Dolby Vision can show the pictures */
function assertBaseLayer({ side_data_list: sideData = [] }: ProbedStream): void {
  const found = sideData.find(({ dv_profile: profile }) => profile !== undefined);
  const { dv_profile: profile = 0, dv_bl_signal_compatibility_id: compatibleWith = 0 } = found ?? {};
  if (profile !== proprietary.always && (profile < proprietary.unlessCompatibleFrom || compatibleWith > 0)) return;
  throw new MediaError(
    'unsupported',
    `The pictures are in Dolby Vision profile ${profile}, whose colours only decoders of Dolby show. ` +
      'Export the file as HDR10, HLG or SDR, or with profile 8.',
  );
}

/** The dynamic range by ffmpeg's name of the transfer characteristics. All others are SDR. */
const highDynamicRanges: Readonly<Record<string, DynamicRange>> = { smpte2084: 'pq', 'arib-std-b67': 'hlg' };

/** The time of a stream's first packet, in seconds from the beginning of the file. */
function afterOf({ start_time: start }: ProbedStream, startSeconds: number): number {
  const seconds = Number(start ?? Number.NaN) - startSeconds;
  return seconds > 0 ? Math.round(seconds * 1000) / 1000 : 0;
}

/** @param program the streams to choose among; null: all */
function soundOf(
  streams: readonly ProbedStream[],
  empty: ReadonlySet<number>,
  { program, startSeconds }: { readonly program: ReadonlySet<number> | null; readonly startSeconds: number },
): SoundStructure | null {
  const all = streams.filter(({ codec_type }) => codec_type === 'audio');
  const candidates = all.filter(({ index }) => !empty.has(index));
  const belonging = candidates.filter(({ index }) => program?.has(index) ?? true);
  const stream = chosen(belonging) ?? chosen(candidates);
  if (!stream) return null;
  const isFirst = stream === all[0];
  const right = rightOf(stream, belonging);
  const source = {
    channels: all.reduce((sum, { channels = 0 }) => sum + channels, 0),
    sampleRate: Math.max(...all.map(({ sample_rate: rate }) => Number(rate) || 0)),
  };
  const specifier = soundIn(0, isFirst ? {} : { sound: stream.index });
  const read = streams.filter(({ index }) => index === stream.index || index === right);
  const afterSeconds = Math.min(...read.map((each) => afterOf(each, startSeconds)));
  return { index: stream.index, isFirst, specifier, codec: knownCodec(stream, 'sound'), afterSeconds, source, right };
}

/**
 * The track of the right channel, as cameras and editing programs write one uncompressed track for each channel; null:
 * the sound is whole. Decision D210.
 */
function rightOf(left: ProbedStream, candidates: readonly ProbedStream[]): number | null {
  const [first, second] = candidates.filter(({ channels, codec_name: codec }) => channels === 1 && isRaw(codec));
  if (first !== left || !second) return null;
  const [one, other] = [first, second].map(({ codec_name, sample_rate, tags }) =>
    [codec_name, sample_rate, tags?.language].join(),
  );
  return one === other ? second.index : null;
}

const isRaw = (codec = ''): boolean => codec.startsWith('pcm_');

function knownCodec({ codec_name }: ProbedStream, noun: string): string {
  if (codec_name === undefined || codec_name === 'unknown')
    throw new MediaError('unsupported', `The ${noun} format in the file is not supported.`);
  return codec_name;
}

/** Differences up to this share are rounding, as many formats count milliseconds. */
const evenShare = 0.01;

/**
 * @param average pictures per second; null: unknown
 * @param base the lowest rate whose pictures have all the times of the stream; null: unknown
 */
function isUnevenRate(average: number | null, base: number | null): boolean {
  return average !== null && base !== null && Math.abs(base / average - 1) > evenShare;
}

/** The value of "4:3" or "30000/1001"; null if there is none, or it is 0. */
function ratio(text: string | undefined, separator: string): number | null {
  const [numerator, denominator] = (text ?? '').split(separator).map(Number);
  return numerator && denominator ? numerator / denominator : null;
}

function positiveNumber(text: string | undefined): number | null {
  const value = Number(text);
  return value > 0 ? value : null;
}
