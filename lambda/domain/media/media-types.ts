// The media types of files by their names, for the page and the command line. The API reads them from the content.

const typesByExtension = new Map(
  Object.entries({
    mp4: 'video/mp4',
    m4v: 'video/mp4',
    mov: 'video/quicktime',
    mkv: 'video/x-matroska',
    webm: 'video/webm',
    ts: 'video/mp2t',
    mts: 'video/mp2t',
    m2ts: 'video/mp2t',
    flv: 'video/x-flv',
    avi: 'video/x-msvideo',
    mxf: 'video/mxf',
    mpg: 'video/mpeg',
    mpeg: 'video/mpeg',
    mp3: 'audio/mpeg',
    m4a: 'audio/mp4',
    aac: 'audio/aac',
    wav: 'audio/wav',
    flac: 'audio/flac',
    ogg: 'audio/ogg',
    opus: 'audio/ogg',
    jpg: 'image/jpeg',
    jpeg: 'image/jpeg',
    png: 'image/png',
    webp: 'image/webp',
    gif: 'image/gif',
  }),
);

/** @returns undefined: the name is not that of a medium */
export function mediaTypeByName(name: string): string | undefined {
  const extension = /.\.([^.]+)$/.exec(name)?.[1] ?? '';
  return typesByExtension.get(extension.toLowerCase());
}
