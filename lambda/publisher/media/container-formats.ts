// Which file formats are accepted, under which MIME types, and what ffmpeg may open at all.

export type MediaKind = 'video' | 'audio' | 'image';

export interface ContainerFormat {
  /** The names under which ffmpeg's demuxers go; one of them is in ffprobe's comma separated `format_name`. */
  readonly demuxers: readonly string[];
  /** For sentences: "contains … video". */
  readonly label: string;
  readonly still: boolean;
  readonly mimeTypes: readonly string[];
}

const moving = (label: string, demuxers: readonly string[], mimeTypes: readonly string[]): ContainerFormat => ({
  label,
  demuxers,
  mimeTypes,
  still: false,
});
const still = (label: string, demuxers: readonly string[], mimeTypes: readonly string[]): ContainerFormat => ({
  label,
  demuxers,
  mimeTypes,
  still: true,
});

/** MP4 and QuickTime share a demuxer, as Matroska and WebM do, so either passes for the other. */
const containerFormats: readonly ContainerFormat[] = [
  moving(
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
  moving(
    'Matroska/WebM',
    ['matroska', 'webm'],
    ['video/webm', 'video/x-matroska', 'video/matroska', 'audio/webm', 'audio/x-matroska', 'audio/matroska'],
  ),
  moving('MPEG transport stream', ['mpegts'], ['video/mp2t']),
  moving('MPEG program stream', ['mpeg'], ['video/mpeg', 'video/mp2p']),
  moving('MPEG', ['mpegvideo'], ['video/mpeg']),
  moving('AVI', ['avi'], ['video/x-msvideo', 'video/avi', 'video/vnd.avi', 'video/msvideo']),
  moving('FLV', ['flv'], ['video/x-flv']),
  moving('Windows Media', ['asf'], ['video/x-ms-wmv', 'video/x-ms-asf', 'audio/x-ms-wma']),
  moving('MXF', ['mxf'], ['video/mxf']),
  moving('MP3', ['mp3'], ['audio/mpeg', 'audio/mp3', 'audio/x-mp3', 'audio/x-mpeg']),
  moving('AAC', ['aac'], ['audio/aac', 'audio/x-aac', 'audio/aacp', 'audio/x-hx-aac-adts']),
  moving('WAV', ['wav', 'w64'], ['audio/wav', 'audio/x-wav', 'audio/wave', 'audio/vnd.wave', 'audio/x-pn-wav']),
  moving('AIFF', ['aiff'], ['audio/aiff', 'audio/x-aiff']),
  moving('Ogg', ['ogg'], ['audio/ogg', 'video/ogg', 'audio/opus', 'audio/vorbis']),
  moving('FLAC', ['flac'], ['audio/flac', 'audio/x-flac']),
  moving('AC-3', ['ac3', 'eac3'], ['audio/ac3', 'audio/vnd.dolby.dd-raw', 'audio/eac3']),
  still('PNG', ['png_pipe', 'apng'], ['image/png', 'image/apng']),
  still('JPEG', ['jpeg_pipe', 'jpegls_pipe', 'mpjpeg', 'mjpeg'], ['image/jpeg', 'image/jpg', 'image/pjpeg']),
  still('WebP', ['webp_pipe'], ['image/webp']),
  still('GIF', ['gif', 'gif_pipe'], ['image/gif']),
  still('BMP', ['bmp_pipe'], ['image/bmp', 'image/x-ms-bmp', 'image/x-bmp']),
  still('TIFF', ['tiff_pipe'], ['image/tiff']),
];

/** By ffprobe's `format_name`. Null when it is not one of ours. */
export function containerFormatOf(formatName: string): ContainerFormat | null {
  const names = formatName.split(',');
  return containerFormats.find(({ demuxers }) => demuxers.some((demuxer) => names.includes(demuxer))) ?? null;
}

/** Whether `format` may be uploaded as `mimeType`. A MIME type that is not in the table says nothing but the kind. */
export function fitsMimeType(format: ContainerFormat, mimeType: string): boolean {
  const type = mimeType.split(';')[0]!.trim().toLowerCase();
  const listed = containerFormats.filter(({ mimeTypes }) => mimeTypes.includes(type));
  return listed.length === 0 || listed.includes(format);
}

/** The MIME type of a file of this format with such content. */
export function usualMimeType({ mimeTypes }: ContainerFormat, kind: MediaKind): string {
  return mimeTypes.find((type) => type.startsWith(`${kind}/`)) ?? mimeTypes[0]!.replace(/^\w+/, kind);
}

/** A still with more pixels than this would take over 500 MB to decode. */
const maxPixels = 128 * 1024 * 1024;
const sourceSilenceUs = 15_000_000;
/** A dropped connection is made again at once and after 1 s; ffmpeg doubles the wait from there and gives up beyond this. */
const maxReconnectDelaySeconds = 2;

/**
 * The ffmpeg and ffprobe options to go right before every source. A file of a stranger can name other files and addresses
 * (playlists, concat scripts, image sequences); only the listed demuxers are opened, none of which does, and only by the
 * protocol that the source itself came by.
 */
export function inputGuardArguments(sourceURL: string): string[] {
  const remote = /^https?:/iu.test(sourceURL);
  return [
    '-protocol_whitelist',
    remote ? 'http,https,tcp,tls' : 'file',
    '-format_whitelist',
    containerFormats.flatMap(({ demuxers }) => demuxers).join(','),
    '-max_pixels',
    String(maxPixels),
    ...(remote
      ? [
          '-rw_timeout',
          String(sourceSilenceUs),
          '-reconnect',
          '1',
          '-reconnect_on_network_error',
          '1',
          '-reconnect_delay_max',
          String(maxReconnectDelaySeconds),
        ]
      : []),
  ];
}
