// Pictures of a content for lists: their object keys, and the frames of a strip.
import { renditionsPrefix } from './object-keys.ts';

/** Number of pictures in a video's strip, side by side: the middle of each tenth. */
export const storyboardColumns = 10;

/** Record of the pictures that a content has. */
export interface ContentPictures {
  readonly hasThumbnail: boolean;
  readonly hasStoryboard: boolean;
  /** Whether the file has artwork; absent if unknown. */
  readonly hasArtwork?: boolean;
}

const pictureNames = ['thumbnail', 'storyboard', 'artwork'] as const;

/** Key of a picture's object, beside the renditions of the content. */
export function pictureKey(contentHash: string, name: (typeof pictureNames)[number]): string {
  return `${renditionsPrefix}v1/${contentHash}/${name}`;
}

/** Keys of all pictures that a content can have. */
export function pictureKeys(contentHash: string): string[] {
  return pictureNames.map((name) => pictureKey(contentHash, name));
}

/** Facts that choose the picture of an upload. */
export interface ArtworkSource {
  readonly contentHash: string | null;
  /** Content of the image that its user named; null without one. */
  readonly artworkContentHash: string | null;
}

/** Contents whose pictures have to be known. */
export function artworkContents({ contentHash, artworkContentHash }: ArtworkSource): string[] {
  return [contentHash, artworkContentHash].filter((hash) => hash !== null);
}

/** Key of an upload's artwork: the image that its user named, else the one in the file; null if there is none. */
export function artworkKey(
  { contentHash, artworkContentHash }: ArtworkSource,
  picturesOf: (contentHash: string) => ContentPictures | null | undefined,
): string | null {
  if (artworkContentHash !== null && picturesOf(artworkContentHash)?.hasThumbnail)
    return pictureKey(artworkContentHash, 'thumbnail');
  return contentHash !== null && picturesOf(contentHash)?.hasArtwork ? pictureKey(contentHash, 'artwork') : null;
}

/** Key of one frame of an item in a format, at a width in pixels. */
export function frameKey(content: string, format: string, frame: number, width: number): string {
  return `${renditionsPrefix}frames/${content}/${format}/${frame}-${width}`;
}

/** Prefix of the keys of a strip of posters of an item in a format. */
export function posterStripKey(content: string, format: string, strip: number): string {
  return `${renditionsPrefix}frames/${content}/${format}/posters-${strip}`;
}

/** Key of a poster of a strip. */
export function posterKey(stripKey: string, index: number): string {
  return `${stripKey}-${index}`;
}

/** Seconds between the pictures of a strip. */
export function storyboardInterval(durationSeconds: number): number {
  return durationSeconds / storyboardColumns;
}
