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

/** Whether a file of a folder is one to upload: not what cameras and file managers leave beside. */
export function isMedia(file: Pick<File, 'name' | 'type'>): boolean {
  return isMediaType(file.type) || extensionOf(file.name) in typesByExtension;
}

const isMediaType = (type: string) => /^(audio|video|image)\/[\w.+-]+$/.test(type);
const extensionOf = (name: string) => name.split('.').at(-1)?.toLowerCase() ?? '';

/** The API takes no other; what is in the file it finds out by itself. */
export function mediaTypeOf({ name, type }: Pick<File, 'name' | 'type'>): string {
  return isMediaType(type) ? type : (typesByExtension[extensionOf(name)] ?? 'video/mp4');
}
