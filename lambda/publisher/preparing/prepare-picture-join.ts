// Makes a join of pictures: a GOP or two in which an item fades, or in which the item before is still seen and heard.
import { formatOfJoined } from '../../domain/playout/picture-joins.ts';
import type { PictureJoinRecipe } from '../../domain/playout/picture-joins.ts';
import { formatNamed } from '../../domain/playout/rendition.ts';
import type { PictureFormat } from '../../domain/playout/rendition.ts';
import { framesPerSecond as rates } from '../../domain/shared/video-format.ts';
import type { EncoderSettings } from '../ffmpeg/encoder-arguments.ts';
import type { PicturesOfItem } from '../ffmpeg/joined-pictures.ts';
import type { PictureOverlay } from '../ffmpeg/overlays.ts';
import { profileOf } from '../ffmpeg/profile.ts';
import type { MediaTools } from '../media/media-tools.ts';
import { encodeSoundOfJoin } from './prepare-join.ts';
import { encodePictures, writePictures } from './prepare-segment.ts';

export interface PictureJoinRequest {
  readonly recipe: PictureJoinRecipe;
  readonly urlOf: (contentHash: string) => string;
  readonly encoder: EncoderSettings;
  /** What is drawn over the item, and over the one that goes on beneath, on one sheet; absent: nothing. */
  readonly overlays?: readonly (PictureOverlay | null)[];
}

/** The stream's format of a join's pictures, without framing and drawing. */
export function formatOfJoin({ format }: PictureJoinRecipe): PictureFormat {
  return formatNamed(format) as PictureFormat;
}

/**
 * @returns the bytes of the join's object: a segment whose groups are numbered as those of the item
 * @throws as `prepareSegment`
 */
export async function preparePictureJoin(
  tools: MediaTools,
  { recipe, urlOf, encoder, overlays = [] }: PictureJoinRequest,
  signal: AbortSignal,
): Promise<Buffer> {
  const { shape, seconds, item, firstGroup, groupCount, from, stinger } = recipe;
  const format = formatOfJoined(formatOfJoin(recipe), item);
  const frames = Math.round(seconds * rates[format.framerate]);
  const beneath: PicturesOfItem | null = from && {
    sourceURL: urlOf(from.contentHash),
    kind: from.kind,
    dynamicRange: from.dynamicRange,
    framing: from.framing,
    overlay: overlays[1],
    startFrame: from.group,
  };
  const end = firstGroup + groupCount;
  const joins = {
    head: shape === 'crossfade' || shape === 'fadeIn' ? { frames, from: beneath } : null,
    tail: shape === 'fadeOut' ? { startFrame: end - frames, frames } : null,
    stingers: stinger
      ? [
          {
            ...stinger,
            sourceURL: urlOf(stinger.contentHash),
            startFrame: firstGroup - stinger.frame,
            frames: end - firstGroup + stinger.frame,
          },
        ]
      : [],
  };
  const request = {
    rendition: { format },
    sourceURL: urlOf(item.contentHash),
    kind: item.kind,
    dynamicRange: item.dynamicRange,
    overlay: overlays[0],
    encoder,
    joins,
  };
  const groups = { first: firstGroup, end };
  const profile = profileOf(format);
  const [pictures, sound] = await Promise.all([
    encodePictures({ tools, request, signal }, groups, profile),
    encodeSoundOfJoin(tools, { recipe: recipe.sound, urlOf }, signal),
  ]);
  return writePictures(groups, profile, pictures, sound);
}
