// The accepted file formats with their MIME types, and the arguments that keep ffmpeg from opening anything else.

import { pictureLimits } from '../../domain/media/source-limits.ts';

export type MediaKind = 'video' | 'audio' | 'image';

export interface ContainerFormat {
  /** The names of ffmpeg's demuxers. One of them is in ffprobe's comma separated `format_name`. */
  readonly demuxers: readonly string[];
  /** The format's name in sentences such as "contains … video". */
  readonly label: string;
  /** Whether files of this format are still images. */
  readonly still: boolean;
  readonly mimeTypes: readonly string[];
  /**
   * Whether ffmpeg searches these files by times instead of an index. It may begin in the middle of pictures that
   * refer to earlier ones, and is misled by a clock that jumps.
   */
  readonly isSearched: boolean;
  /** Whether ffmpeg finds keyframes by the times of their decoding, which lie before those at which they are shown. */
  readonly isDecodingOrdered: boolean;
  /** Whether ffmpeg finds keyframes by the times of their decoding, but searches for a time one picture before. */
  readonly isSearchedPictureBefore: boolean;
  /** Whether its times are numbers of pictures, to which ffmpeg rounds the time that it searches for. */
  readonly isCountedInPictures: boolean;
  /** Whether an empty packet follows the last picture, at which ffmpeg ends a search for later times. */
  readonly hasEndMark: boolean;
}

const moving = (label: string, demuxers: readonly string[], mimeTypes: readonly string[]): ContainerFormat => ({
  label,
  demuxers,
  mimeTypes,
  still: false,
  isSearched: false,
  isDecodingOrdered: false,
  isSearchedPictureBefore: false,
  isCountedInPictures: false,
  hasEndMark: false,
});
const searched = (...format: Parameters<typeof moving>): ContainerFormat => ({
  ...moving(...format),
  isSearched: true,
});
const still = (label: string, demuxers: readonly string[], mimeTypes: readonly string[]): ContainerFormat => ({
  label,
  demuxers,
  mimeTypes,
  still: true,
  isSearched: false,
  isDecodingOrdered: false,
  isSearchedPictureBefore: false,
  isCountedInPictures: false,
  hasEndMark: false,
});

/** MP4 and QuickTime share a demuxer, as do Matroska and WebM, so they cannot be told apart. */
const containerFormats: readonly ContainerFormat[] = [
  {
    ...moving(
      'MP4/QuickTime',
      ['mov'],
      [
        'video/mp4',
        'video/quicktime',
        'video/x-m4v',
        'video/3gpp',
        'video/3gpp2',
        'audio/mp4',
        'audio/x-m4a',
        'audio/m4a',
        'audio/3gpp',
        'audio/aac',
      ],
    ),
    isSearchedPictureBefore: true,
  },
  moving(
    'Matroska/WebM',
    ['matroska', 'webm'],
    ['video/webm', 'video/x-matroska', 'video/matroska', 'audio/webm', 'audio/x-matroska', 'audio/matroska'],
  ),
  searched('MPEG transport stream', ['mpegts'], ['video/mp2t']),
  searched('MPEG program stream', ['mpeg'], ['video/mpeg', 'video/mp2p']),
  moving('MPEG', ['mpegvideo'], ['video/mpeg']),
  {
    ...moving('AVI', ['avi'], ['video/x-msvideo', 'video/avi', 'video/vnd.avi', 'video/msvideo']),
    isCountedInPictures: true,
  },
  { ...moving('FLV', ['flv'], ['video/x-flv']), isDecodingOrdered: true, hasEndMark: true },
  moving('Windows Media', ['asf'], ['video/x-ms-wmv', 'video/x-ms-asf', 'audio/x-ms-wma']),
  moving('MXF', ['mxf'], ['video/mxf']),
  moving('MP3', ['mp3'], ['audio/mpeg', 'audio/mp3', 'audio/x-mp3', 'audio/x-mpeg']),
  moving('AAC', ['aac'], ['audio/aac', 'audio/x-aac', 'audio/aacp', 'audio/x-hx-aac-adts']),
  moving('WAV', ['wav', 'w64'], ['audio/wav', 'audio/x-wav', 'audio/wave', 'audio/vnd.wave', 'audio/x-pn-wav']),
  moving('AIFF', ['aiff'], ['audio/aiff', 'audio/x-aiff']),
  searched('Ogg', ['ogg'], ['audio/ogg', 'video/ogg', 'audio/opus', 'audio/vorbis']),
  moving('FLAC', ['flac'], ['audio/flac', 'audio/x-flac']),
  moving('AC-3', ['ac3', 'eac3'], ['audio/ac3', 'audio/vnd.dolby.dd-raw', 'audio/eac3']),
  still('PNG', ['png_pipe', 'apng'], ['image/png', 'image/apng']),
  still('JPEG', ['jpeg_pipe', 'jpegls_pipe', 'mpjpeg', 'mjpeg'], ['image/jpeg', 'image/jpg', 'image/pjpeg']),
  still('WebP', ['webp_pipe'], ['image/webp']),
  still('GIF', ['gif', 'gif_pipe'], ['image/gif']),
  still('BMP', ['bmp_pipe'], ['image/bmp', 'image/x-ms-bmp', 'image/x-bmp']),
  still('TIFF', ['tiff_pipe'], ['image/tiff']),
];

/** The format of ffprobe's `format_name`; null if it is not accepted. */
export function containerFormatOf(formatName: string): ContainerFormat | null {
  const names = formatName.split(',');
  return containerFormats.find(({ demuxers }) => demuxers.some((demuxer) => names.includes(demuxer))) ?? null;
}

/** Whether `format` may be uploaded as `mimeType`. Every format may be uploaded as a MIME type that no format lists. */
export function fitsMimeType(format: ContainerFormat, mimeType: string): boolean {
  const type = mimeType.split(';')[0]!.trim().toLowerCase();
  const listed = containerFormats.filter(({ mimeTypes }) => mimeTypes.includes(type));
  return listed.length === 0 || listed.includes(format);
}

/** The MIME type of a file of this format with content of a kind. */
export function usualMimeType({ mimeTypes }: ContainerFormat, kind: MediaKind): string {
  return mimeTypes.find((type) => type.startsWith(`${kind}/`)) ?? mimeTypes[0]!.replace(/^\w+/, kind);
}

/** More than a film with sound and subtitles in every language has. */
export const maxStreams = 100;
const sourceSilenceUs = 15_000_000;
/**
 * The longest wait before ffmpeg connects again: it retries at once, after 1 s, and then doubles the wait until it
 * would exceed this.
 */
const maxReconnectDelaySeconds = 2;

/**
 * The ffmpeg and ffprobe options that must come directly before every source. A user's file can refer to other files
 * and addresses, as playlists, concat scripts and image sequences do. So only the listed demuxers are allowed, which
 * follow no references, and only the protocol of the source itself. Pictures with more pixels than the kind may have
 * are not decoded, whatever the file's header claims.
 * @param kind the kind of the file; null while unknown
 */
export function inputGuardArguments(sourceURL: string, kind: MediaKind | null): string[] {
  const isRemote = /^https?:/iu.test(sourceURL);
  const demuxers = containerFormats.flatMap((format) => format.demuxers);
  const patience = [
    ['-rw_timeout', String(sourceSilenceUs), '-reconnect', '1', '-reconnect_on_network_error', '1'],
    ['-reconnect_delay_max', String(maxReconnectDelaySeconds)],
  ].flat();
  return [
    ['-protocol_whitelist', isRemote ? 'http,https,tcp,tls' : 'file'],
    ['-format_whitelist', demuxers.join(',')],
    ['-max_pixels', String(pictureLimits[kind === 'video' ? 'video' : 'image'].pixels)],
    ['-max_streams', String(maxStreams)],
    isRemote ? patience : [],
  ].flat();
}
