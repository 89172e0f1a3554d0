// An upload as clients see it.
import * as z from 'zod';
import { importStates, probeStates, uploadTypes } from '../../data/media/uploads.ts';
import type { Upload } from '../../data/media/uploads.ts';
import { titlesOfItem } from '../../domain/playout/item-title.ts';
import type { Context } from '../context.ts';
import { failure, timestamp } from '../fields.ts';
import { inspectionFields, notInspected, presentInspections } from './upload-inspection.ts';

/** The most that one PUT can carry, in S3 and in the local object store. */
export const maxUploadBytes = 5 * 1024 ** 3;

const externalSource = z
  .object({
    url: z.string().describe('The link, as it was given.'),
    state: z
      .enum(importStates)
      .describe('completed: the bytes are here, and are examined next (probeState). failed: they will not come.'),
    bytesReceived: z.int().describe('So far. Back to 0 when the source cannot go on where it was interrupted.'),
    failure: failure.nullable().describe('Why the import failed: whose fault it was, and what to do.'),
    sourceID: z.string().nullable().describe('The watched source that listed it; null where there is none.'),
    removedAt: z.iso.datetime().nullable().describe('Since when that source has it no more.'),
  })
  .meta({ id: 'ExternalSource' });

const usedBy = z
  .object({
    playlists: z.int32().describe('Playlists that hold it, in their drafts or live.'),
    streams: z.int32().describe('Streams that name it by themselves.'),
  })
  .meta({ id: 'UploadUse' });

export const uploadSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    folder: z.string().describe('A path such as Music/Live; empty outside all folders.'),
    tags: z.array(z.string()),
    title: z.string().nullable().describe("What viewers are told: as set, else by the file's tags."),
    artist: z.string().nullable(),
    album: z.string().nullable(),
    artworkUploadID: z.string().nullable().describe('The image that was set as its artwork.'),
    captionCount: z.int32().describe('0: it has none.'),
    type: z.enum(uploadTypes),
    mimeType: z.string(),
    uploaded: z.boolean().describe('The bytes have arrived: complete was called, or the import is completed.'),
    fileSize: z.int().optional().describe('Bytes: as announced, then as arrived.'),
    multipart: z.boolean().describe('It is sent in parts, and not complete yet.'),
    probeState: z.enum(probeStates).describe('Whether the content has been examined; only completed uploads play.'),
    failure: failure.nullable().describe('Why the upload cannot be used.'),
    durationSeconds: z.number().nullable(),
    width: z.int32().nullable(),
    height: z.int32().nullable(),
    framerate: z.number().nullable().describe('Frames per second.'),
    videoCodec: z.string().nullable(),
    audioCodec: z.string().nullable(),
    ...inspectionFields,
    externalSource: externalSource
      .optional()
      .describe(
        'Only of imported uploads. Their name, type, mimeType and fileSize are what the source says until ' +
          'probeState is completed.',
      ),
    usedBy,
    createdAt: timestamp,
  })
  .meta({ id: 'Upload' });

const unused = { playlists: 0, streams: 0 };

/**
 * Presents uploads. One statement reads what uses them, one what was found in them, and none what the caller does not
 * want.
 */
export async function presentUploads(
  ctx: Context,
  uploads: readonly Upload[],
): Promise<z.input<typeof uploadSchema>[]> {
  const counted = ctx.isWanted('Upload.usedBy') ? uploads.map(({ id }) => id) : [];
  const uses = counted.length > 0 ? await ctx.data.uploadUses.uses(counted) : [];
  const useOf = new Map(uses.map(({ id, playlists, streams }) => [id, { playlists, streams }]));
  const inspections = await presentInspections(ctx, uploads);
  return uploads.map((upload) =>
    present(upload, useOf.get(upload.id) ?? unused, inspections.get(upload.id) ?? notInspected),
  );
}

/** Presents an upload that was made a moment ago, so that nothing can use it. */
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
  const fileSize = upload.size_bytes ?? upload.declared_size_bytes;
  return {
    id: upload.id,
    name: upload.name,
    folder: upload.folder,
    tags: [...upload.tags],
    ...titlesOfItem({}, upload),
    artworkUploadID: upload.artwork_upload_id,
    captionCount: upload.captions?.count ?? 0,
    type: upload.type,
    mimeType: upload.mime_type,
    uploaded: upload.uploaded,
    ...(fileSize === null ? {} : { fileSize }),
    multipart: upload.is_multipart,
    probeState: upload.probe_state,
    failure: upload.failure,
    durationSeconds: upload.duration_seconds,
    width: upload.width,
    height: upload.height,
    framerate: upload.framerate,
    videoCodec: upload.video_codec,
    audioCodec: upload.audio_codec,
    ...inspection,
    ...(upload.external_source === null ? {} : { externalSource: upload.external_source }),
    usedBy: use,
    createdAt: upload.created_at,
  };
}
