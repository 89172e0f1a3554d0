// DELETE /uploads/{id}: removes an upload and its bytes.
import { judgeUsersOf } from '../../orchestration/judge-parts.ts';
import { orNotFound, pathID } from '../fields.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';

export const deleteUpload = operation(['service:write'], {
  id: 'deleteUpload',
  summary: 'Delete an upload',
  description: 'Refused while a playlist or a live stream uses it. An import that is under way is cancelled.',
  tag: 'uploads',
  method: 'DELETE',
  path: '/uploads/{id}',
  params: { id: pathID },
  output: { status: 204 },
  errors: ['not_found', 'resource_in_use'],
  async handle(ctx, { params }) {
    const upload = orNotFound(await ctx.data.uploads.lock(ctx.caller.userID, params.id), 'upload');
    if (await ctx.data.uploads.isInUse(upload.id)) {
      throw new ProblemError('resource_in_use', 'A playlist or a live stream uses this upload. Remove it there first.');
    }
    const multipartID = (await ctx.data.uploads.delete(upload.id))?.multipart_id ?? null;
    const body = { task: 'delete_object', objectKey: upload.object_key, ...(multipartID === null ? {} : { multipartID }) } as const;
    await ctx.data.outbox.send({ queue: 'media', body });
    await judgeUsersOf(ctx.data, { uploadID: upload.id });
    return undefined;
  },
});
