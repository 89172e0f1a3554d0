// Pictures of a content that people see in lists: where they are kept, and what a strip of them shows.
import { renditionsPrefix } from './object-keys.ts';

/** So many pictures of a video are in its strip, side by side: from the middle of each tenth. */
export const storyboardColumns = 10;

/** What there are pictures of, as it is noted. */
export interface ContentPictures {
  readonly hasThumbnail: boolean;
  readonly hasStoryboard: boolean;
  /** Whether the file has artwork; absent where nobody has looked. */
  readonly hasArtwork?: boolean;
}

const pictureNames = ['thumbnail', 'storyboard', 'artwork'] as const;

/** The key of the object that holds a picture, beside the renditions of the content. */
export function pictureKey(contentHash: string, name: (typeof pictureNames)[number]): string {
  return `${renditionsPrefix}v1/${contentHash}/${name}`;
}

/** The keys of all pictures that a content can have. */
export function pictureKeys(contentHash: string): string[] {
  return pictureNames.map((name) => pictureKey(contentHash, name));
}

/** What decides which picture stands for an upload, beside what it plays. */
export interface ArtworkSource {
  readonly contentHash: string | null;
  /** The content of the image that its user has named. */
  readonly artworkContentHash: string | null;
}

/** The contents of which it has to be known which pictures there are. */
export function artworkContents({ contentHash, artworkContentHash }: ArtworkSource): string[] {
  return [contentHash, artworkContentHash].filter((hash) => hash !== null);
}

/** The key of the artwork of an upload: the image that its user has named, else the one in the file; null: none. */
export function artworkKey(
  { contentHash, artworkContentHash }: ArtworkSource,
  picturesOf: (contentHash: string) => ContentPictures | null | undefined,
): string | null {
  if (artworkContentHash !== null && picturesOf(artworkContentHash)?.hasThumbnail)
    return pictureKey(artworkContentHash, 'thumbnail');
  return contentHash !== null && picturesOf(contentHash)?.hasArtwork ? pictureKey(contentHash, 'artwork') : null;
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
