// GET /webhooks: the caller's webhooks, newest first.
import { pageOf, pageQuery, pageThrough } from '../fields.ts';
import { operation } from '../operation.ts';
import { presentWebhook, webhookSchema } from './webhook-schema.ts';

export const listWebhooks = operation(['service:read'], {
  summary: 'List webhooks',
  description:
    'Returns the webhooks without their secrets, newest first. Next: list_webhook_deliveries shows the events of ' +
    'each.',
  tag: 'webhooks',
  route: 'GET /webhooks',
  query: pageQuery,
  output: { status: 200, body: pageOf(webhookSchema).meta({ id: 'WebhookPage' }) },
  handle: (ctx, { query }) =>
    pageThrough(ctx, 'webhooks', query, presentWebhook, (before, count) =>
      ctx.data.webhooks.list(ctx.caller.userID, before, count),
    ),
});
