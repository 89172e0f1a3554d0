// DELETE /managed-settings/{id}: deletes managed settings that no live stream uses.
import { lockMirrorsOf, remirror } from '../../orchestration/channels/mirror-stream.ts';
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';

export const deleteManagedSettings = operation(['service:write'], {
  summary: 'Delete managed settings',
  description:
    'Streams with these settings cannot start until they have other settings. Refused while a live stream uses ' +
    'them.',
  tag: 'managed-settings',
  route: 'DELETE /managed-settings/{id}',
  output: { status: 204 },
  errors: ['resource_in_use'],
  async handle(ctx, { params }) {
    const mirrored = await lockMirrorsOf(ctx.data, { settingsID: params.id });
    const { id } = orNotFound(await ctx.data.managedSettings.lock(ctx.caller.userID, params.id), 'managed settings');
    if (await ctx.data.managedSettings.isInUse(id))
      throw new ProblemError('resource_in_use', 'A live stream uses these settings. Stop the stream first.');
    await ctx.data.managedSettings.delete(id);
    await remirror(ctx.data, mirrored, 'settings_deleted');
  },
});
