// DELETE /webhooks/{id}: deletes a webhook with its deliveries.
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';

export const deleteWebhook = operation(['service:write'], {
  summary: 'Delete a webhook',
  description: 'Deletes the webhook and its deliveries. Pending events are not sent.',
  tag: 'webhooks',
  route: 'DELETE /webhooks/{id}',
  output: { status: 204 },
  async handle(ctx, { params }) {
    const { id } = orNotFound(await ctx.data.webhooks.lock(ctx.caller.userID, params.id), 'webhook');
    await ctx.data.webhooks.delete(id);
  },
});
