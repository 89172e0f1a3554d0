// The overlays of prepared pictures, looked up by the drawing that is part of their format.
import type { Pool } from 'pg';
import { databaseOn } from '../../data/database.ts';
import { parseCaptions } from '../../domain/playout/captions.ts';
import { captionTexts } from '../../domain/playout/drawings.ts';
import type { Drawing, TextBlock } from '../../domain/playout/drawings.ts';
import type { Logo } from '../../domain/playout/overlays.ts';
import { isSound } from '../../domain/playout/rendition.ts';
import type { PictureFormat, RenditionFormat } from '../../domain/playout/rendition.ts';
import { framesPerSecond } from '../../domain/shared/video-format.ts';
import type { ObjectStore } from '../../ports/object-store/object-store.ts';
import { drawTogether } from '../drawing/text-sheet.ts';
import type { DrawnLogo, PictureOverlay } from '../ffmpeg/overlays.ts';
import { profileOf } from '../ffmpeg/profile.ts';
import { MediaError } from '../media/media-error.ts';

export interface OverlaySource {
  readonly pool: Pool;
  readonly objects: Pick<ObjectStore, 'presignGet'>;
}

const sourceURLSeconds = 900;

/** Pictures of an item, `first` to `end`, `end` not included, in their format. */
export interface PicturesOfFormat {
  readonly format: PictureFormat;
  readonly first: number;
  readonly end: number;
}

/** The overlay of pictures. @returns null if there is none @throws {MediaError} if its logo or captions are deleted */
export async function overlayOfFormat(
  source: OverlaySource,
  { format, ...pictures }: Omit<PicturesOfFormat, 'format'> & { readonly format: RenditionFormat },
  signal: AbortSignal,
): Promise<PictureOverlay | null> {
  if (isSound(format)) return null;
  const [overlay = null] = await overlaysOfFormats(source, [{ format, ...pictures }], signal);
  return overlay;
}

/**
 * The overlays of several pictures of one size, whose texts share one sheet.
 * @returns the overlay of each, or null @throws {MediaError} if a logo or captions are deleted
 */
export async function overlaysOfFormats(
  source: OverlaySource,
  pictures: readonly PicturesOfFormat[],
  signal: AbortSignal,
): Promise<(PictureOverlay | null)[]> {
  const drawings = await Promise.all(pictures.map(({ format }) => drawingOf(source, format)));
  const texts = await Promise.all(
    drawings.map(async (drawing, index) => (drawing ? textsWithin(source, drawing, pictures[index]!) : [])),
  );
  const sheets = await drawTogether(texts, profileOf(pictures[0]!.format), signal);
  const logos = await Promise.all(
    drawings.map(async (drawing) => (drawing?.logo ? await logoOf(source, drawing.logo) : null)),
  );
  return drawings.map((drawing, index) => drawing && { logo: logos[index]!, sheet: sheets[index] ?? null });
}

async function drawingOf({ pool }: OverlaySource, { variant, drawn }: PictureFormat): Promise<Drawing | null> {
  const name = variant ?? drawn;
  if (name === undefined) return null;
  const drawing = await databaseOn(pool).looks.drawing(name);
  if (!drawing) throw new Error(`unknown drawing ${name}`);
  return drawing;
}

/** The texts of a drawing, with the captions that are shown during these pictures. */
async function textsWithin(
  { pool }: OverlaySource,
  { texts, captions }: Drawing,
  { format, first, end }: PicturesOfFormat,
): Promise<readonly TextBlock[]> {
  if (!captions) return texts;
  const file = await databaseOn(pool).captions.file(captions.hash);
  if (file === null)
    throw new MediaError('captions_missing', 'The captions are deleted. Give the upload captions again.');
  const rate = framesPerSecond[format.framerate];
  const stretch = { fromSeconds: first / rate, toSeconds: end / rate };
  return [...texts, ...captionTexts(captions, parseCaptions(file), texts, stretch)];
}

async function logoOf({ pool, objects }: OverlaySource, { uploadID, ...logo }: Logo): Promise<DrawnLogo> {
  const upload = await databaseOn(pool).uploads.findAny(uploadID);
  // The rendition is requested again when the probe is done.
  if (upload?.probe_state === 'pending') throw new Error(`the logo ${uploadID} is not examined yet`);
  if (upload?.probe_state !== 'completed')
    throw new MediaError('logo_missing', 'The logo is deleted. Choose another one in look.overlays.');
  const sourceURL = await objects.presignGet(upload.object_key, { expiresInSeconds: sourceURLSeconds });
  return { ...logo, sourceURL };
}
