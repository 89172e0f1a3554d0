// DELETE /collections/{id}: deletes a collection, but not its uploads.
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';

export const deleteCollection = operation(['service:write'], {
  summary: 'Delete a collection',
  description: 'Deletes the collection, but not its uploads. Unions that contain it become smaller.',
  tag: 'collections',
  route: 'DELETE /collections/{id}',
  output: { status: 204 },
  async handle(ctx, { params }) {
    const { id } = orNotFound(await ctx.data.collections.lock(ctx.caller.userID, params.id), 'collection');
    await ctx.data.collections.delete(id);
  },
});
