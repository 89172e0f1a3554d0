// DELETE /managed-settings/{id}: deletes managed settings that no live stream uses.
import { lockMirrorsOf, remirror } from '../../orchestration/channels/mirror-stream.ts';
import { deleteOperation } from '../delete-operation.ts';
import { orNotFound } from '../fields.ts';
import { ProblemError } from '../problem-codes.ts';

export const deleteManagedSettings = deleteOperation('service:write', {
  id: 'deleteManagedSettings',
  summary: 'Delete managed settings',
  description:
    'Streams with these settings cannot start until they have other settings. Refused while a live stream uses ' +
    'them.',
  tag: 'managed-settings',
  path: '/managed-settings/{id}',
  errors: ['resource_in_use'],
  async remove(ctx, pathID) {
    const mirrored = await lockMirrorsOf(ctx.data, { settingsID: pathID });
    const { id } = orNotFound(await ctx.data.managedSettings.lock(ctx.caller.userID, pathID), 'managed settings');
    if (await ctx.data.managedSettings.isInUse(id))
      throw new ProblemError('resource_in_use', 'A live stream uses these settings. Stop the stream first.');
    await ctx.data.managedSettings.delete(id);
    await remirror(ctx.data, mirrored, 'settings_deleted');
  },
});
