// DELETE /webhooks/{id}: deletes a webhook with its deliveries.
import { deleteOperation } from '../delete-operation.ts';
import { orNotFound } from '../fields.ts';

export const deleteWebhook = deleteOperation('service:write', {
  id: 'deleteWebhook',
  summary: 'Delete a webhook',
  description: 'Deletes the webhook and its deliveries. Pending events are not sent.',
  tag: 'webhooks',
  path: '/webhooks/{id}',
  async remove(ctx, pathID) {
    const { id } = orNotFound(await ctx.data.webhooks.lock(ctx.caller.userID, pathID), 'webhook');
    await ctx.data.webhooks.delete(id);
  },
});
