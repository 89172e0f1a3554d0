// PATCH /uploads/{id}: changes what people call an upload, and where they keep it.
import * as z from 'zod';
import { orNotFound, pathID } from '../fields.ts';
import { operation } from '../operation.ts';
import { arrangeUpload, distinctTags, folderPath, tags, uploadName } from './upload-order.ts';
import { presentUpload, uploadSchema } from './upload-schema.ts';

export const updateUpload = operation(['service:write'], {
  id: 'updateUpload',
  summary: 'Update an upload',
  description: 'Renames it, moves it to a folder, or gives it other tags. An absent field stays as it is.',
  tag: 'uploads',
  method: 'PATCH',
  path: '/uploads/{id}',
  params: { id: pathID },
  body: z.strictObject({ name: uploadName.optional(), folder: folderPath.optional(), tags: tags.optional() }),
  output: { status: 200, body: uploadSchema },
  errors: ['not_found'],
  async handle(ctx, { params, body }) {
    const before = orNotFound(await ctx.data.uploads.lock(ctx.caller.userID, params.id), 'upload');
    const arranged = await arrangeUpload(ctx, before, { ...body, tags: body.tags && distinctTags(body.tags) });
    return presentUpload(ctx, arranged);
  },
});
