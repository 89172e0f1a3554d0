// DELETE /managed-settings/{id}: deletes managed settings that no live stream goes by.
import { lockMirrorsOf, remirror } from '../../orchestration/channels/mirror-stream.ts';
import { orNotFound, pathID } from '../fields.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';

export const deleteManagedSettings = operation(['service:write'], {
  id: 'deleteManagedSettings',
  summary: 'Delete managed settings',
  description: 'Streams that name them cannot start until they name others. Refused while a live stream goes by them.',
  tag: 'managed-settings',
  method: 'DELETE',
  path: '/managed-settings/{id}',
  params: { id: pathID },
  output: { status: 204 },
  errors: ['not_found', 'resource_in_use'],
  async handle(ctx, { params }) {
    const mirrored = await lockMirrorsOf(ctx.data, { settingsID: params.id });
    const { id } = orNotFound(await ctx.data.managedSettings.lock(ctx.caller.userID, params.id), 'managed settings');
    if (await ctx.data.managedSettings.isInUse(id))
      throw new ProblemError('resource_in_use', 'A live stream goes by these settings. Stop it first.');
    await ctx.data.managedSettings.delete(id);
    await remirror(ctx.data, mirrored, 'settings_deleted');
    return undefined;
  },
});
