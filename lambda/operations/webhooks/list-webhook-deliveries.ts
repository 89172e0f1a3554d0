// GET /webhooks/{id}/deliveries: what was sent to a webhook, newest first.
import { eventsKeptDays } from '../../domain/notices/webhook-retries.ts';
import { orNotFound, pageOf, pageQuery, pageThrough, pathID } from '../fields.ts';
import { operation } from '../operation.ts';
import { deliveryState, presentDelivery, webhookDeliverySchema } from './webhook-delivery-schema.ts';

export const listWebhookDeliveries = operation(['service:read'], {
  id: 'listWebhookDeliveries',
  summary: 'List the deliveries of a webhook',
  description: `One for each event that it was to be told of, kept for ${eventsKeptDays} days.`,
  tag: 'webhooks',
  method: 'GET',
  path: '/webhooks/{id}/deliveries',
  params: { id: pathID },
  query: { ...pageQuery, state: deliveryState.optional().describe('Only those in this state.') },
  output: { status: 200, body: pageOf(webhookDeliverySchema).meta({ id: 'WebhookDeliveryPage' }) },
  errors: ['not_found', 'invalid_cursor'],
  async handle(ctx, { params, query }) {
    const { id } = orNotFound(await ctx.data.webhooks.find(ctx.caller.userID, params.id), 'webhook');
    const { state = null } = query;
    return pageThrough(
      ctx,
      `deliveries of ${id} state=${state}`,
      query,
      (before, count) => ctx.data.webhookDeliveries.list(id, state, before, count),
      presentDelivery,
    );
  },
});
