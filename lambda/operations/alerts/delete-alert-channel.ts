// DELETE /alert-channels/{id}: deletes an alert channel.
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';

export const deleteAlertChannel = operation(['service:write'], {
  summary: 'Delete an alert channel',
  description: 'Messages that wait for the channel are not sent.',
  tag: 'alert-channels',
  route: 'DELETE /alert-channels/{id}',
  output: { status: 204 },
  async handle(ctx, { params }) {
    const { id } = orNotFound(await ctx.data.alertChannels.lock(ctx.caller.userID, params.id), 'alert channel');
    await ctx.data.alertChannels.delete(id);
  },
});
