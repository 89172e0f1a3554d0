// The wire form of an upload.
import * as z from 'zod';
import { probeStates, uploadTypes } from '../../data/uploads.ts';
import type { Upload } from '../../data/uploads.ts';
import { failure, timestamp } from '../fields.ts';

/** What one PUT can carry, on S3 as here. */
export const maxUploadBytes = 5 * 1024 ** 3;

export const uploadSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    type: z.enum(uploadTypes),
    mimeType: z.string(),
    uploaded: z.boolean().describe('The bytes have arrived and complete was called.'),
    fileSize: z.int().optional().describe('Bytes: as announced, then as arrived.'),
    probeState: z.enum(probeStates).describe('Whether the content has been examined; only completed uploads play.'),
    failure: failure.nullable().describe('Why the upload cannot be used.'),
    durationSeconds: z.number().nullable(),
    width: z.int().nullable(),
    height: z.int().nullable(),
    framerate: z.number().nullable().describe('Frames per second.'),
    videoCodec: z.string().nullable(),
    audioCodec: z.string().nullable(),
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
    createdAt: upload.created_at,
  };
}
