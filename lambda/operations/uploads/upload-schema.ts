// An upload in answers.
import * as z from 'zod';
import type { Upload } from '../../data/media/uploads.ts';
import { titlesOfItem } from '../../domain/playout/item-title.ts';
import type { Context } from '../context.ts';
import { failure, pageOf, timestamp } from '../fields.ts';
import { shownColumns } from '../shown-columns.ts';
import { availability, presentAvailability } from './upload-availability.ts';
import { inspectionFields, notInspected, presentInspections } from './upload-inspection.ts';
import { importStates, probeStates, uploadTypes } from '../../domain/media/upload-words.ts';

/** The largest body of one PUT in S3 and in the local object store, in bytes. */
export const maxUploadBytes = 5 * 1024 ** 3;

const externalSource = z
  .object({
    url: z.string().describe('Link as it was given. live: and the ID of a session for a recording of it.'),
    state: z
      .enum(importStates)
      .describe(
        'completed: the file has arrived, and its examination follows (probeState). failed: the file will not ' +
          'arrive.',
      ),
    bytesReceived: z
      .int()
      .describe('Bytes received so far. Restarts at 0 if the source cannot resume an interrupted download.'),
    failure: failure.nullable().describe('Reason why the import failed, and the remedy. null: it has not failed.'),
    sourceID: z.string().nullable().describe('ID of the watched source that lists the file. null: none.'),
    removedAt: z.iso
      .datetime()
      .nullable()
      .describe('Time when the source stopped listing the file. null: it still lists the file.'),
  })
  .meta({ id: 'ExternalSource' });

const usedBy = z
  .object({
    playlists: z.int32().describe('Number of playlists that contain the upload, in their draft or their live version.'),
    streams: z.int32().describe('Number of streams that use the upload directly, without a playlist.'),
    managedSettings: z.int32().describe('Number of managed settings with the upload as their thumbnail.'),
    clips: z.int32().describe('Number of clips of the upload.'),
  })
  .meta({ id: 'UploadUse' });

const clipOf = z
  .object({
    uploadID: z.string(),
    fromSeconds: z.number().describe('Time in the file at which the clip begins.'),
  })
  .meta({ id: 'ClipOf' });

export const uploadSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    folder: z.string().describe('Folder, such as Music/Live. Empty: no folder.'),
    tags: z.array(z.string()),
    title: z
      .string()
      .nullable()
      .describe("Title shown to viewers: as set by the user, else from the file's tags. null: none."),
    artist: z.string().nullable(),
    album: z.string().nullable(),
    artworkUploadID: z
      .string()
      .nullable()
      .describe('ID of the image upload that the user set as artwork. null: none was set.'),
    captionCount: z.int32().describe('Number of captions. 0: none.'),
    type: z.enum(uploadTypes),
    mimeType: z.string(),
    uploaded: z
      .boolean()
      .describe('true: the file has arrived. complete_upload was called, or the import is completed.'),
    fileSize: z.int().optional().describe('Size in bytes: as announced, then as arrived.'),
    multipart: z.boolean().describe('true: the file is sent in parts, and is not complete yet.'),
    probeState: z
      .enum(probeStates)
      .describe('State of the examination of the content. Streams play only completed uploads.'),
    failure: failure.nullable().describe('Reason why the upload cannot be used. null: no failure.'),
    durationSeconds: z.number().nullable().describe('null: not examined yet, or an image.'),
    width: z.int32().nullable().describe('Width in pixels. null: not examined yet, or sound.'),
    height: z.int32().nullable().describe('Height in pixels. null: not examined yet, or sound.'),
    framerate: z.number().nullable().describe('Frames per second.'),
    videoCodec: z.string().nullable(),
    audioCodec: z.string().nullable(),
    ...inspectionFields,
    clipOf: clipOf.nullable().describe('The upload whose file it is a part of. null: it has a file of its own.'),
    showSeconds: z.number().nullable().describe('Seconds for which an image is shown. null: 10.'),
    availability: availability.nullable().describe('Times at which programmes may begin it. null: any time.'),
    orderReference: z.string().nullable().describe('Order that its playings are reported to. null: none.'),
    advertiser: z.string().nullable(),
    externalSource: externalSource
      .optional()
      .describe(
        'Import of the upload; absent for other uploads. name, type, mimeType and fileSize come from the source ' +
          'until probeState is completed.',
      ),
    usedBy,
    createdAt: timestamp,
  })
  .meta({ id: 'Upload' });

export const uploadPage = pageOf(uploadSchema).meta({ id: 'UploadPage' });

const unused = { playlists: 0, streams: 0, managedSettings: 0, clips: 0 };

/**
 * Presents uploads. One statement reads their uses and one their inspections, or none if the caller did not select
 * these fields.
 */
export async function presentUploads(
  ctx: Context,
  uploads: readonly Upload[],
): Promise<z.input<typeof uploadSchema>[]> {
  const counted = ctx.isWanted('Upload.usedBy') ? uploads.map(({ id }) => id) : [];
  const uses = counted.length > 0 ? await ctx.data.uploadUses.uses(counted) : [];
  const useOf = new Map(uses.map(({ id, ...use }) => [id, use]));
  const inspections = await presentInspections(ctx, uploads);
  return uploads.map((upload) =>
    present(upload, useOf.get(upload.id) ?? unused, inspections.get(upload.id) ?? notInspected),
  );
}

/** Presents an upload that was just created, so nothing uses it. */
export function presentNewUpload(upload: Upload): z.input<typeof uploadSchema> {
  return present(upload, unused, notInspected);
}

export async function presentUpload(ctx: Context, upload: Upload): Promise<z.input<typeof uploadSchema>> {
  return (await presentUploads(ctx, [upload]))[0]!;
}

function present(
  upload: Upload,
  use: z.input<typeof usedBy>,
  inspection: typeof notInspected,
): z.input<typeof uploadSchema> {
  return {
    ...shownColumns(uploadSchema, upload),
    tags: [...upload.tags],
    ...titlesOfItem({}, upload),
    captionCount: upload.captions?.count ?? 0,
    fileSize: upload.size_bytes ?? upload.declared_size_bytes ?? undefined,
    multipart: upload.is_multipart,
    ...inspection,
    clipOf: upload.clip_of === null ? null : { uploadID: upload.clip_of, fromSeconds: upload.reading!.fromSeconds! },
    availability: presentAvailability(upload.availability),
    externalSource: upload.external_source ?? undefined,
    usedBy: use,
  };
}
