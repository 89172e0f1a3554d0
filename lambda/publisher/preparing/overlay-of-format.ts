// What is drawn over pictures of a format, and where that is read.
import type { Pool } from 'pg';
import { databaseOn } from '../../data/database.ts';
import type { Drawing } from '../../domain/drawings.ts';
import type { Logo } from '../../domain/overlays.ts';
import { isSound } from '../../domain/rendition.ts';
import type { PictureFormat, RenditionFormat } from '../../domain/rendition.ts';
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

/** @returns null where nothing is drawn @throws {MediaError} where it is gone */
export async function overlayOfFormat(
  source: OverlaySource,
  format: RenditionFormat,
  signal: AbortSignal,
): Promise<PictureOverlay | null> {
  if (isSound(format)) return null;
  const [overlay = null] = await overlaysOfFormats(source, [format], signal);
  return overlay;
}

/**
 * What is drawn over pictures of one size that are read together: their texts are on one sheet.
 * @returns for each format, as `overlayOfFormat` does @throws as that
 */
export async function overlaysOfFormats(
  source: OverlaySource,
  formats: readonly PictureFormat[],
  signal: AbortSignal,
): Promise<(PictureOverlay | null)[]> {
  const drawings = await Promise.all(formats.map((format) => drawingOf(source, format)));
  const texts = drawings.map((drawing) => drawing?.texts ?? []);
  const sheets = await drawTogether(texts, profileOf(formats[0]!), signal);
  const logos = await Promise.all(
    drawings.map(async (drawing) => (drawing?.logo ? await logoOf(source, drawing.logo) : null)),
  );
  return drawings.map((drawing, index) => drawing && { logo: logos[index]!, sheet: sheets[index] ?? null });
}

async function drawingOf({ pool }: OverlaySource, { variant, drawn }: PictureFormat): Promise<Drawing | null> {
  const name = variant ?? drawn;
  if (name === undefined) return null;
  const drawing = await databaseOn(pool).looks.drawing(name);
  if (!drawing) throw new Error(`it is not known what ${name} is`);
  return drawing;
}

async function logoOf({ pool, objects }: OverlaySource, { uploadID, ...logo }: Logo): Promise<DrawnLogo> {
  const upload = await databaseOn(pool).uploads.findAny(uploadID);
  // Asked for again when it is known.
  if (upload?.probe_state === 'pending') throw new Error(`the logo ${uploadID} is not examined yet`);
  if (upload?.probe_state !== 'completed')
    throw new MediaError('logo_missing', 'The logo is gone. Name another one in look.overlays.');
  const sourceURL = await objects.presignGet(upload.object_key, { expiresInSeconds: sourceURLSeconds });
  return { ...logo, sourceURL };
}
