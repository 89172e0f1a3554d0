// The media type of a file: what the browser says, else what its name says.

const typesByExtension: Readonly<Record<string, string>> = {
  mkv: 'video/x-matroska',
  ts: 'video/mp2t',
  m2ts: 'video/mp2t',
  mts: 'video/mp2t',
  flv: 'video/x-flv',
  avi: 'video/x-msvideo',
  mxf: 'video/mxf',
  mov: 'video/quicktime',
  mpg: 'video/mpeg',
  flac: 'audio/flac',
  m4a: 'audio/mp4',
  opus: 'audio/ogg',
  ogg: 'audio/ogg',
};

/** The API takes no other; what is in the file it finds out by itself. */
export function mediaTypeOf({ name, type }: Pick<File, 'name' | 'type'>): string {
  if (/^(audio|video|image)\/[\w.+-]+$/.test(type)) return type;
  return typesByExtension[name.split('.').at(-1)?.toLowerCase() ?? ''] ?? 'video/mp4';
}
