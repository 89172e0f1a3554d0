// DELETE /streams/{id}/guide-link: revokes the public link of a stream.
import { deleteOperation } from '../delete-operation.ts';
import { orNotFound } from '../fields.ts';

export const deleteGuideLink = deleteOperation('service:write', {
  id: 'deleteGuideLink',
  summary: 'Revoke the public link of a stream',
  tag: 'streams',
  path: '/streams/{id}/guide-link',
  async remove(ctx, pathID) {
    const stream = orNotFound(await ctx.data.streams.lock(ctx.caller.userID, pathID), 'stream');
    await ctx.data.guideLinks.delete(stream.id);
  },
});
