// POST /uploads/{id}/download-url: returns a URL that downloads the file.
import * as z from 'zod';
import { downloadURLSeconds } from '../../domain/media/upload-times.ts';
import { orNotFound, timestamp } from '../fields.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';

const downloadURL = z
  .object({ url: z.url(), method: z.literal('GET'), expiresAt: timestamp })
  .meta({ id: 'DownloadURL' });

export const createDownloadUrl = operation(['service:read'], {
  summary: 'Get a presigned URL to download the file from',
  description:
    'Returns a URL for the original bytes, by one GET request or by ranges. The URL needs no credential: treat ' +
    'it as a secret.',
  tag: 'uploads',
  route: 'POST /uploads/{id}/download-url',
  output: { status: 200, body: downloadURL },
  errors: ['upload_incomplete'],
  hints: { idempotent: true },
  async handle(ctx, { params }) {
    const upload = orNotFound(await ctx.data.uploads.find(ctx.caller.userID, params.id), 'upload');
    if (!upload.uploaded) throw new ProblemError('upload_incomplete', 'The bytes of this upload have not arrived yet.');
    const url = await ctx.objects.presignGet(upload.object_key, {
      expiresInSeconds: downloadURLSeconds,
      downloadName: upload.name,
    });
    return { url, method: 'GET' as const, expiresAt: new Date(ctx.now.getTime() + downloadURLSeconds * 1000) };
  },
});
