// POST /webhooks/{id}/deliveries/{deliveryID}/redeliver: sends an event again.
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';
import { presentDelivery, webhookDeliverySchema } from './webhook-delivery-schema.ts';

export const redeliverWebhook = operation(['service:write'], {
  summary: 'Deliver an event again',
  description:
    'Sends the event again, whether or not it was accepted before: immediately, with the same `webhook-id` and ' +
    'body, and with the retries of a new event.',
  tag: 'webhooks',
  route: 'POST /webhooks/{id}/deliveries/{deliveryID}/redeliver',
  output: { status: 202, body: webhookDeliverySchema },
  errors: ['webhook_disabled'],
  hints: { openWorld: true },
  async handle(ctx, { params }) {
    const webhook = orNotFound(await ctx.data.webhooks.lock(ctx.caller.userID, params.id), 'webhook');
    if (!webhook.enabled) throw new ProblemError('webhook_disabled', 'The webhook is disabled. Enable it first.');
    return presentDelivery(
      orNotFound(await ctx.data.webhookDeliveries.redeliver(webhook.id, params.deliveryID), 'delivery'),
    );
  },
});
