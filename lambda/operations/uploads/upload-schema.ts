// An upload as clients see it.
import * as z from 'zod';
import { importStates, probeStates, uploadTypes } from '../../data/uploads.ts';
import type { Upload } from '../../data/uploads.ts';
import { failure, timestamp } from '../fields.ts';

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
  })
  .meta({ id: 'ExternalSource' });

export const uploadSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    type: z.enum(uploadTypes),
    mimeType: z.string(),
    uploaded: z.boolean().describe('The bytes have arrived: complete was called, or the import is completed.'),
    fileSize: z.int().optional().describe('Bytes: as announced, then as arrived.'),
    probeState: z.enum(probeStates).describe('Whether the content has been examined; only completed uploads play.'),
    failure: failure.nullable().describe('Why the upload cannot be used.'),
    durationSeconds: z.number().nullable(),
    width: z.int32().nullable(),
    height: z.int32().nullable(),
    framerate: z.number().nullable().describe('Frames per second.'),
    videoCodec: z.string().nullable(),
    audioCodec: z.string().nullable(),
    externalSource: externalSource
      .optional()
      .describe(
        'Only of imported uploads. Their name, type, mimeType and fileSize are what the source says until ' +
          'probeState is completed.',
      ),
    createdAt: timestamp,
  })
  .meta({ id: 'Upload' });

export function presentUpload(upload: Upload): z.input<typeof uploadSchema> {
  const fileSize = upload.size_bytes ?? upload.declared_size_bytes;
  return {
    id: upload.id,
    name: upload.name,
    type: upload.type,
    mimeType: upload.mime_type,
    uploaded: upload.uploaded,
    ...(fileSize === null ? {} : { fileSize }),
    probeState: upload.probe_state,
    failure: upload.failure,
    durationSeconds: upload.duration_seconds,
    width: upload.width,
    height: upload.height,
    framerate: upload.framerate,
    videoCodec: upload.video_codec,
    audioCodec: upload.audio_codec,
    ...(upload.external_source === null ? {} : { externalSource: upload.external_source }),
    createdAt: upload.created_at,
  };
}
