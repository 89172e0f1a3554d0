// The media type of a file, from the browser, or else from its name.

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

/** Whether to upload a file of a dropped folder. Excludes the helper files of cameras and file managers. */
export function isMedia(file: Pick<File, 'name' | 'type'>): boolean {
  return isMediaType(file.type) || extensionOf(file.name) in typesByExtension;
}

const isMediaType = (type: string) => /^(audio|video|image)\/[\w.+-]+$/.test(type);
const extensionOf = (name: string) => name.split('.').at(-1)?.toLowerCase() ?? '';

/** A media type that the API accepts. The API determines the real one from the content. */
export function mediaTypeOf({ name, type }: Pick<File, 'name' | 'type'>): string {
  return isMediaType(type) ? type : (typesByExtension[extensionOf(name)] ?? 'video/mp4');
}
