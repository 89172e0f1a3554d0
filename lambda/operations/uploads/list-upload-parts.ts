// GET /uploads/{id}/parts: the parts of an upload that have arrived.
import * as z from 'zod';
import { MultipartLost } from '../../domain/media/upload-parts.ts';
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { multipartOf, partNumber, sha256 } from './upload-parts.ts';

const part = z
  .object({
    partNumber,
    sizeBytes: z.int(),
    sha256: sha256.nullable().describe('SHA-256 of the part. null: the parts are sent without it.'),
  })
  .meta({ id: 'UploadPart' });

export const listUploadParts = operation(['service:read'], {
  summary: 'List the parts of an upload that have arrived',
  description: 'Returns the parts that have arrived, by number. Send the others with create_upload_part_urls.',
  tag: 'uploads',
  route: 'GET /uploads/{id}/parts',
  output: { status: 200, body: z.array(part) },
  errors: ['resource_in_use'],
  async handle(ctx, { params }) {
    const upload = orNotFound(await ctx.data.uploads.find(ctx.caller.userID, params.id), 'upload');
    const { multipart_id: multipartID } = await multipartOf(ctx, upload);
    if (multipartID === null) return [];
    const stored = await ctx.objects.listParts(upload.object_key, multipartID).catch((error: unknown) => {
      if (error instanceof MultipartLost) return [];
      throw error;
    });
    return stored.map((each) => ({
      partNumber: each.partNumber,
      sizeBytes: each.sizeBytes,
      sha256: each.sha256,
    }));
  },
});
