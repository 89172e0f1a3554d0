// DELETE /programmes/{id}: deletes the rules, but no upload and no collection.
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';

export const deleteProgramme = operation(['service:write'], {
  summary: 'Delete a programme',
  description: 'Deletes the rules. Uploads and collections stay.',
  tag: 'programmes',
  route: 'DELETE /programmes/{id}',
  output: { status: 204 },
  async handle(ctx, { params }) {
    const { id } = orNotFound(await ctx.data.programmes.lock(ctx.caller.userID, params.id), 'programme');
    await ctx.data.programmes.delete(id);
  },
});
