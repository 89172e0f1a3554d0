// DELETE /uploads/{id}: removes an upload and its bytes.
import { discardUpload } from '../../orchestration/discard-uploads.ts';
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
    const { id } = orNotFound(await ctx.data.uploads.find(ctx.caller.userID, params.id), 'upload');
    await ctx.data.streamParts.lockUsersOf({ uploadID: id });
    const upload = orNotFound(await ctx.data.uploads.lock(ctx.caller.userID, params.id), 'upload');
    if (await ctx.data.uploads.isInUse(upload.id)) {
      throw new ProblemError('resource_in_use', 'A playlist or a live stream uses this upload. Remove it there first.');
    }
    await discardUpload(ctx.data, upload);
    return undefined;
  },
});
