// POST /webhooks/{id}/test: sends a test event to a webhook.
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';
import { presentDelivery, webhookDeliverySchema } from './webhook-delivery-schema.ts';

export const testWebhook = operation(['service:write'], {
  summary: 'Test a webhook',
  description:
    'Sends webhook.test immediately, whichever events the webhook subscribes to. Next: list_webhook_deliveries.',
  tag: 'webhooks',
  route: 'POST /webhooks/{id}/test',
  output: { status: 202, body: webhookDeliverySchema },
  errors: ['webhook_disabled'],
  hints: { openWorld: true },
  async handle(ctx, { params }) {
    const webhook = orNotFound(await ctx.data.webhooks.lock(ctx.caller.userID, params.id), 'webhook');
    if (!webhook.enabled) throw new ProblemError('webhook_disabled', 'The webhook is disabled. Enable it first.');
    return presentDelivery(await ctx.data.webhookDeliveries.test(webhook.id));
  },
});
