// The media type of a file, from the browser, or else from its name.

import { mediaTypeByName } from '../../domain/media/media-types.ts';

/** Whether to upload a file of a dropped folder. Excludes the helper files of cameras and file managers. */
export function isMedia(file: Pick<File, 'name' | 'type'>): boolean {
  return isMediaType(file.type) || mediaTypeByName(file.name) !== undefined;
}

const isMediaType = (type: string) => /^(audio|video|image)\/[\w.+-]+$/.test(type);

/** A media type that the API accepts. The API determines the real one from the content. */
export function mediaTypeOf({ name, type }: Pick<File, 'name' | 'type'>): string {
  return isMediaType(type) ? type : (mediaTypeByName(name) ?? 'video/mp4');
}
