// POST /uploads/{id}/upload-url: returns a URL for sending the file.
// URLs are signed for `If-None-Match: *`: complete bytes are never written again, because a stream may play them.
import * as z from 'zod';
import { uploadURLSeconds } from '../../domain/media/upload-times.ts';
import { orNotFound, timestamp } from '../fields.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';
import { maxUploadBytes } from './upload-schema.ts';

const uploadURL = z
  .object({
    url: z.url(),
    method: z.literal('PUT'),
    headers: z.record(z.string(), z.string()).describe('Headers to send with the PUT, unchanged.'),
    expiresAt: timestamp,
  })
  .meta({ id: 'UploadURL' });

export const createUploadUrl = operation(['service:write'], {
  summary: 'Get a presigned URL to send the bytes to',
  description:
    'Returns a URL. Send the whole file with one HTTP PUT and the given headers, then call complete_upload. ' +
    'Only the first PUT counts: because of If-None-Match, a second one gets 412. In that case call ' +
    'complete_upload. The URL needs no credential: treat it as a secret.',
  tag: 'uploads',
  route: 'POST /uploads/{id}/upload-url',
  output: { status: 200, body: uploadURL },
  errors: ['resource_in_use'],
  hints: { idempotent: true },
  async handle(ctx, { params }) {
    const upload = orNotFound(await ctx.data.uploads.find(ctx.caller.userID, params.id), 'upload');
    if (upload.uploaded) {
      throw new ProblemError(
        'resource_in_use',
        'This upload is complete, and streams may play it. Create another upload for a new file.',
      );
    }
    if (upload.external_source !== null) {
      throw new ProblemError(
        'resource_in_use',
        'This upload is imported from a link. Create another upload to send a file yourself.',
      );
    }
    if (upload.is_multipart) {
      throw new ProblemError(
        'resource_in_use',
        'This upload is sent in parts: use create_upload_part_urls. To send a whole file, create another upload.',
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
