// The overlays of prepared pictures, looked up by the drawing that is part of their format.
import type { Pool } from 'pg';
import { databaseOn } from '../../data/database.ts';
import type { FrameRange } from '../../domain/playout/composition.ts';
import { drawingIn, isSound } from '../../domain/playout/rendition.ts';
import type { RenditionFormat } from '../../domain/playout/rendition.ts';
import type { ObjectStore } from '../../ports/object-store/object-store.ts';
import { overlaysOf } from '../drawing/layer-overlays.ts';
import type { DrawingFiles } from '../drawing/layer-overlays.ts';
import type { PictureOverlay } from '../ffmpeg/overlays.ts';
import { profileOf } from '../ffmpeg/profile.ts';
import { MediaError } from '../media/media-error.ts';

export interface OverlaySource {
  readonly pool: Pool;
  readonly objects: Pick<ObjectStore, 'presignGet'>;
}

const sourceURLSeconds = 900;

/** Pictures of an item, `end` not included, in their format. */
export interface PicturesOfFormat extends FrameRange {
  readonly format: RenditionFormat;
}

/** The overlay of pictures. @returns null if there is none @throws {MediaError} if its logo or captions are deleted */
export async function overlayOfFormat(
  source: OverlaySource,
  { format, ...range }: PicturesOfFormat,
  signal: AbortSignal,
): Promise<PictureOverlay | null> {
  const name = drawingIn(format);
  if (isSound(format) || name === undefined) return null;
  const drawn = await databaseOn(source.pool).looks.drawing(name);
  if (!drawn) throw new Error(`it is not known what ${name} is`);
  const [overlay = null] = await overlaysOf(
    [{ startFrame: 0, drawn }],
    range,
    profileOf(format),
    drawingFiles(source),
    signal,
  );
  return overlay;
}

/** Finds logos by their uploads. Both methods throw MediaError if the file was deleted. */
export function drawingFiles({ pool, objects }: OverlaySource): DrawingFiles {
  return {
    logoURL: async (uploadID) => {
      const upload = await databaseOn(pool).uploads.findAny(uploadID);
      // The rendition is requested again when the probe is done.
      if (upload?.probe_state === 'pending') throw new Error(`the logo ${uploadID} is not examined yet`);
      if (upload?.probe_state !== 'completed')
        throw new MediaError('logo_missing', 'The logo is gone. Name another one in look.overlays.');
      return objects.presignGet(upload.object_key, { expiresInSeconds: sourceURLSeconds });
    },
    captionsOf: async (hash) => {
      const file = await databaseOn(pool).captions.file(hash);
      if (file === null)
        throw new MediaError('captions_missing', 'The captions are gone. Give the upload captions once more.');
      return file;
    },
  };
}
