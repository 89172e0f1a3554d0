// DELETE /sources/{id}: stops watching a source.
import { orNotFound, pathID } from '../fields.ts';
import { operation } from '../operation.ts';

export const deleteSource = operation(['service:write'], {
  id: 'deleteSource',
  summary: 'Stop watching a source',
  description: 'Stops watching the source. Its uploads stay. Running imports end if they need its credentials.',
  tag: 'sources',
  method: 'DELETE',
  path: '/sources/{id}',
  params: { id: pathID },
  output: { status: 204 },
  errors: ['not_found'],
  async handle(ctx, { params }) {
    const { id } = orNotFound(await ctx.data.sources.lock(ctx.caller.userID, params.id), 'source');
    await ctx.data.sources.delete(id);
    return undefined;
  },
});
