// GET /webhooks/{id}: returns one webhook.
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { presentWebhook, webhookSchema } from './webhook-schema.ts';

export const getWebhook = operation(['service:read'], {
  summary: 'Get a webhook',
  description:
    'Returns the webhook, and the reason if the platform disabled it. Next: list_webhook_deliveries shows its ' +
    'events.',
  tag: 'webhooks',
  route: 'GET /webhooks/{id}',
  output: { status: 200, body: webhookSchema },
  handle: async (ctx, { params }) =>
    presentWebhook(orNotFound(await ctx.data.webhooks.find(ctx.caller.userID, params.id), 'webhook')),
});
