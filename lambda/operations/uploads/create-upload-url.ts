// POST /uploads/{id}/upload-url: answers a URL to PUT the bytes to.
import * as z from 'zod';
import { uploadURLSeconds } from '../../domain/media/upload-times.ts';
import { orNotFound, pathID, timestamp } from '../fields.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';
import { maxUploadBytes } from './upload-schema.ts';

const uploadURL = z
  .object({
    url: z.url(),
    method: z.literal('PUT'),
    headers: z.record(z.string(), z.string()).describe('Send these with the PUT, unchanged.'),
    expiresAt: timestamp,
  })
  .meta({ id: 'UploadURL' });

export const createUploadUrl = operation(['service:write'], {
  id: 'createUploadUrl',
  summary: 'Get a presigned URL to send the bytes to',
  description:
    'Send the whole file with one HTTP PUT and the given headers, then call complete_upload. ' +
    'The first PUT counts: with If-None-Match a second one, or one that has arrived, is answered 412: ' +
    'then call complete_upload. The URL needs no credential: treat it as a secret.',
  tag: 'uploads',
  method: 'POST',
  path: '/uploads/{id}/upload-url',
  params: { id: pathID },
  output: { status: 200, body: uploadURL },
  errors: ['not_found', 'resource_in_use'],
  hints: { idempotent: true },
  async handle(ctx, { params }) {
    const upload = orNotFound(await ctx.data.uploads.find(ctx.caller.userID, params.id), 'upload');
    if (upload.uploaded) {
      throw new ProblemError(
        'resource_in_use',
        'This upload is complete, and streams may play it. Create another upload for other bytes.',
      );
    }
    if (upload.external_source !== null) {
      throw new ProblemError(
        'resource_in_use',
        'The bytes of this upload are imported from a link. Create another upload to send bytes yourself.',
      );
    }
    if (upload.is_multipart) {
      throw new ProblemError(
        'resource_in_use',
        'The bytes of this upload are sent in parts: use create_upload_part_urls. To send them whole, create another.',
      );
    }
    const { url, headers, expiresAt } = await ctx.objects.presignPut(upload.object_key, {
      contentType: upload.mime_type,
      ...(upload.declared_size_bytes === null ? {} : { contentLength: upload.declared_size_bytes }),
      maxBytes: maxUploadBytes,
      expiresInSeconds: uploadURLSeconds,
    });
    return { url, method: 'PUT' as const, headers, expiresAt };
  },
});
