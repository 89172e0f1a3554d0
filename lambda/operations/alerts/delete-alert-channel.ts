// DELETE /alert-channels/{id}: deletes an alert channel.
import { deleteOperation } from '../delete-operation.ts';
import { orNotFound } from '../fields.ts';

export const deleteAlertChannel = deleteOperation('service:write', {
  id: 'deleteAlertChannel',
  summary: 'Delete an alert channel',
  description: 'Messages that wait for the channel are not sent.',
  tag: 'alert-channels',
  path: '/alert-channels/{id}',
  async remove(ctx, pathID) {
    const { id } = orNotFound(await ctx.data.alertChannels.lock(ctx.caller.userID, pathID), 'alert channel');
    await ctx.data.alertChannels.delete(id);
  },
});
