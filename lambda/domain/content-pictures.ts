// Pictures of a content that people see in lists: where they are kept, and what a strip of them shows.
import { renditionsPrefix } from './object-keys.ts';

/** So many pictures of a video are in its strip, side by side: from the middle of each tenth. */
export const storyboardColumns = 10;

/** What there are pictures of, as it is noted. */
export interface ContentPictures {
  readonly hasThumbnail: boolean;
  readonly hasStoryboard: boolean;
}

const pictureNames = ['thumbnail', 'storyboard'] as const;

/** The key of the object that holds a picture, beside the renditions of the content. */
export function pictureKey(contentHash: string, name: (typeof pictureNames)[number]): string {
  return `${renditionsPrefix}v1/${contentHash}/${name}`;
}

/** The keys of all pictures that a content can have. */
export function pictureKeys(contentHash: string): string[] {
  return pictureNames.map((name) => pictureKey(contentHash, name));
}

/** The key of the object that holds one frame of an item in a format, so many pixels wide. */
export function frameKey(content: string, format: string, frame: number, width: number): string {
  return `${renditionsPrefix}frames/${content}/${format}/${frame}-${width}`;
}

/** How the keys of a strip of posters of an item in a format begin. */
export function posterStripKey(content: string, format: string, strip: number): string {
  return `${renditionsPrefix}frames/${content}/${format}/posters-${strip}`;
}

/** The key of the object that holds a poster of a strip. */
export function posterKey(stripKey: string, index: number): string {
  return `${stripKey}-${index}`;
}

/** The time from one picture of a strip to the next, in seconds. */
export function storyboardInterval(durationSeconds: number): number {
  return durationSeconds / storyboardColumns;
}
