// DELETE /streams/{id}/guide-link: takes the public link of a stream back.
import { orNotFound, pathID } from '../fields.ts';
import { operation } from '../operation.ts';

export const deleteGuideLink = operation(['service:write'], {
  id: 'deleteGuideLink',
  summary: 'Take the public link of a stream back',
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
