// DELETE /programmes/{id}: deletes the rules, but no upload and no collection.
import { operation } from '../operation.ts';
import { lockProgramme } from './lock-programme.ts';

export const deleteProgramme = operation(['service:write'], {
  summary: 'Delete a programme',
  description:
    'Deletes the rules and their versions. Uploads and collections stay. A stream on the air repeats its last plan.',
  tag: 'programmes',
  route: 'DELETE /programmes/{id}',
  output: { status: 204 },
  async handle(ctx, { params }) {
    const { programme } = await lockProgramme(ctx, params.id);
    await ctx.data.programmes.delete(programme);
    await ctx.data.takeovers.lookAgain(programme.stream_id);
  },
});
