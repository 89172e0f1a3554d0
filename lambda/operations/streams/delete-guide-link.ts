// DELETE /streams/{id}/guide-link: revokes the public link of a stream.
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';

export const deleteGuideLink = operation(['service:write'], {
  summary: 'Revoke the public link of a stream',
  tag: 'streams',
  route: 'DELETE /streams/{id}/guide-link',
  output: { status: 204 },
  async handle(ctx, { params }) {
    const stream = orNotFound(await ctx.data.streams.lock(ctx.caller.userID, params.id), 'stream');
    await ctx.data.guideLinks.delete(stream.id);
  },
});
