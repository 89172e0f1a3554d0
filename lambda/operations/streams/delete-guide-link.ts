// DELETE /streams/{id}/guide-link: revokes the public link of a stream.
import { orNotFound, pathID } from '../fields.ts';
import { operation } from '../operation.ts';

export const deleteGuideLink = operation(['service:write'], {
  id: 'deleteGuideLink',
  summary: 'Revoke the public link of a stream',
  tag: 'streams',
  method: 'DELETE',
  path: '/streams/{id}/guide-link',
  params: { id: pathID },
  output: { status: 204 },
  errors: ['not_found'],
  async handle(ctx, { params }) {
    const stream = orNotFound(await ctx.data.streams.lock(ctx.caller.userID, params.id), 'stream');
    await ctx.data.guideLinks.delete(stream.id);
    return undefined;
  },
});
