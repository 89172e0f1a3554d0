// The findings in the content of uploads, and their pictures, in answers.
import * as z from 'zod';
import type { Inspection } from '../../data/media/inspections.ts';
import type { Upload } from '../../data/media/uploads.ts';
import {
  artworkContents,
  artworkKey,
  pictureKey,
  storyboardColumns,
  storyboardInterval,
} from '../../domain/media/content-pictures.ts';
import { findingKinds } from '../../domain/media/findings.ts';
import type { Context } from '../context.ts';

const loudness = z
  .object({
    integratedLUFS: z.number(),
    rangeLU: z.number(),
    truePeakDBTP: z.number(),
  })
  .meta({ id: 'Loudness' });

const finding = z
  .object({
    kind: z.enum(findingKinds),
    startSeconds: z
      .number()
      .nullable()
      .describe('Start of the finding, in seconds. null: the finding concerns the whole file.'),
    endSeconds: z.number().nullable().describe('End of the finding, in seconds. null: as for startSeconds.'),
    detail: z.string(),
  })
  .meta({ id: 'UploadFinding' });

const storyboard = z
  .object({
    url: z.url(),
    columns: z.int32(),
    rows: z.int32(),
    intervalSeconds: z.number(),
  })
  .meta({ id: 'Storyboard' });

/** The fields of an upload that result from its inspection. */
export const inspectionFields = {
  examinedShare: z
    .number()
    .min(0)
    .max(1)
    .describe(
      'Share of the content inspected for loudness and findings, 0 to 1. Streams can play the upload meanwhile.',
    ),
  loudness: loudness
    .nullable()
    .describe(
      'Loudness of the inspected share by EBU R128, in the two channels that streams send. null: not measured.',
    ),
  findings: z.array(finding).describe('Flaws in the inspected share that viewers may notice.'),
  thumbnailURL: z
    .url()
    .nullable()
    .describe('URL of a JPEG; for sound, a picture of its waveform. It works for 15 minutes. null: none yet.'),
  storyboard: storyboard.nullable().describe('JPEG with pictures of a video side by side. null: none.'),
  artworkURL: z
    .url()
    .nullable()
    .describe('URL of a JPEG of the artwork: from artworkUploadID, else from the file. null: none.'),
};
const inspectionSchema = z.object(inspectionFields);
type PresentedInspection = z.input<typeof inspectionSchema>;

const urlSeconds = 900;

/** The inspection of an upload that has not been inspected yet. */
export const notInspected: PresentedInspection = {
  examinedShare: 0,
  loudness: null,
  findings: [],
  thumbnailURL: null,
  storyboard: null,
  artworkURL: null,
};

/**
 * Presents the inspections of uploads, by upload ID. One statement reads them, or none if the caller did not select
 * their fields.
 */
export async function presentInspections(
  ctx: Context,
  uploads: readonly Upload[],
): Promise<ReadonlyMap<string, PresentedInspection>> {
  const isWanted = Object.keys(inspectionFields).some((field) => ctx.isWanted(`Upload.${field}`));
  const hashes = new Set(uploads.flatMap((upload) => artworkContents(artworkSourceOf(upload))));
  if (!isWanted || hashes.size === 0) return new Map();
  const found = await ctx.data.inspections.ofContents([...hashes]);
  const byHash = new Map(found.map((each) => [each.content_hash, each]));
  const presented = uploads.map(async (upload) => [upload.id, await present(ctx, upload, byHash)] as const);
  return new Map(await Promise.all(presented));
}

const artworkSourceOf = (upload: Upload) => {
  return { contentHash: upload.content_hash, artworkContentHash: upload.artwork_content_hash };
};

async function present(
  ctx: Context,
  upload: Upload,
  inspections: ReadonlyMap<string, Inspection>,
): Promise<PresentedInspection> {
  const { content_hash: contentHash, duration_seconds: durationSeconds } = upload;
  const urlOf = (key: string) => ctx.objects.presignGet(key, { expiresInSeconds: urlSeconds });
  const artwork = artworkKey(artworkSourceOf(upload), (hash) => inspections.get(hash)?.pictures);
  const artworkURL = artwork === null ? null : await urlOf(artwork);
  const inspection = contentHash === null ? undefined : inspections.get(contentHash);
  if (contentHash === null || !inspection) return { ...notInspected, artworkURL };
  const { share, findings, loudness: measured, pictures } = inspection;
  return {
    examinedShare: share,
    loudness: measured,
    findings: [...findings],
    thumbnailURL: pictures?.hasThumbnail ? await urlOf(pictureKey(contentHash, 'thumbnail')) : null,
    storyboard: pictures?.hasStoryboard
      ? {
          url: await urlOf(pictureKey(contentHash, 'storyboard')),
          columns: storyboardColumns,
          rows: 1,
          intervalSeconds: storyboardInterval(durationSeconds ?? 0),
        }
      : null,
    artworkURL,
  };
}
