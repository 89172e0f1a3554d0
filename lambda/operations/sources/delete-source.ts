// DELETE /sources/{id}: stops watching a source.
import { deleteOperation } from '../delete-operation.ts';
import { orNotFound } from '../fields.ts';

export const deleteSource = deleteOperation('service:write', {
  id: 'deleteSource',
  summary: 'Stop watching a source',
  description: 'Stops watching the source. Its uploads stay. Running imports end if they need its credentials.',
  tag: 'sources',
  path: '/sources/{id}',
  async remove(ctx, pathID) {
    const { id } = orNotFound(await ctx.data.sources.lock(ctx.caller.userID, pathID), 'source');
    await ctx.data.sources.delete(id);
  },
});
