// GET /uploads: the caller's uploads, newest first.
import { pageOf, pageQuery, pageThrough } from '../fields.ts';
import { operation } from '../operation.ts';
import { presentUpload, uploadSchema } from './upload-schema.ts';

export const listUploads = operation(['service:read'], {
  id: 'listUploads',
  summary: 'List uploads',
  description: 'Newest first. An upload is one video, audio or image file.',
  tag: 'uploads',
  method: 'GET',
  path: '/uploads',
  query: pageQuery,
  output: { status: 200, body: pageOf(uploadSchema).meta({ id: 'UploadPage' }) },
  errors: ['invalid_cursor'],
  handle: (ctx, { query }) =>
    pageThrough(
      ctx,
      'uploads',
      query,
      (before, count) => ctx.data.uploads.list(ctx.caller.userID, before, count),
      presentUpload,
    ),
});
