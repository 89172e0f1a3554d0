// DELETE /sources/{id}: stops watching a source.
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';

export const deleteSource = operation(['service:write'], {
  summary: 'Stop watching a source',
  description: 'Stops watching the source. Its uploads stay. Running imports end if they need its credentials.',
  tag: 'sources',
  route: 'DELETE /sources/{id}',
  output: { status: 204 },
  async handle(ctx, { params }) {
    const { id } = orNotFound(await ctx.data.sources.lock(ctx.caller.userID, params.id), 'source');
    await ctx.data.sources.delete(id);
  },
});
