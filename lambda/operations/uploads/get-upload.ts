// GET /uploads/{id}: returns one upload.
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { presentUpload, uploadSchema } from './upload-schema.ts';

export const getUpload = operation(['service:read'], {
  summary: 'Get an upload',
  description:
    'Returns an upload: whether its file has arrived (uploaded), whether it can be played (probeState), and its ' +
    'properties.',
  tag: 'uploads',
  route: 'GET /uploads/{id}',
  output: { status: 200, body: uploadSchema },
  handle: async (ctx, { params }) =>
    presentUpload(ctx, orNotFound(await ctx.data.uploads.find(ctx.caller.userID, params.id), 'upload')),
});
