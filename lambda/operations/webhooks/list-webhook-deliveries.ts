// GET /webhooks/{id}/deliveries: the deliveries of a webhook, newest first.
import { eventsKeptDays } from '../../domain/notices/webhook-retries.ts';
import { orNotFound, pageOf, pageQuery, pageThrough } from '../fields.ts';
import { operation } from '../operation.ts';
import { deliveryState, presentDelivery, webhookDeliverySchema } from './webhook-delivery-schema.ts';

export const listWebhookDeliveries = operation(['service:read'], {
  summary: 'List the deliveries of a webhook',
  description: `Returns one delivery per event, newest first. Deliveries are kept for ${eventsKeptDays} days.`,
  tag: 'webhooks',
  route: 'GET /webhooks/{id}/deliveries',
  query: { ...pageQuery, state: deliveryState.optional().describe('Only deliveries in this state.') },
  output: { status: 200, body: pageOf(webhookDeliverySchema).meta({ id: 'WebhookDeliveryPage' }) },
  async handle(ctx, { params, query }) {
    const { id } = orNotFound(await ctx.data.webhooks.find(ctx.caller.userID, params.id), 'webhook');
    const { state = null } = query;
    return pageThrough(ctx, `deliveries of ${id} state=${state}`, query, presentDelivery, (before, count) =>
      ctx.data.webhookDeliveries.list(id, state, before, count),
    );
  },
});
