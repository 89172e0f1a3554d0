// PATCH /webhooks/{id}: changes the address or the events of a webhook, or enables or disables it.
import * as z from 'zod';
import { orNotFound } from '../fields.ts';
import { assertMaker } from '../maker.ts';
import { operation } from '../operation.ts';
import { assertMayReport } from '../reported-kinds.ts';
import {
  assertWebhookURL,
  exampleWebhook,
  presentWebhook,
  scopeOfEvent,
  webhookFields,
  webhookSchema,
} from './webhook-schema.ts';

const { url, events } = webhookFields;

export const updateWebhook = operation(['service:write'], {
  summary: 'Update a webhook',
  description:
    'Absent fields stay unchanged. Pending events are sent to a new address immediately. Disabling the webhook ' +
    'drops its pending events; after it is enabled again, redeliver_webhook sends them. The secret stays: ' +
    'rotate_webhook_secret replaces it. An application may change the url only of webhooks that it made.',
  tag: 'webhooks',
  route: 'PATCH /webhooks/{id}',
  body: z
    .strictObject({ url: url.optional(), events: events.optional(), enabled: webhookSchema.shape.enabled.optional() })
    .meta({ examples: [{ events: exampleWebhook.events, enabled: true }] }),
  output: { status: 200, body: webhookSchema },
  errors: ['webhook_url_forbidden'],
  async handle(ctx, { params, body }) {
    if (body.url !== undefined) assertWebhookURL(ctx, body.url);
    const before = orNotFound(await ctx.data.webhooks.lock(ctx.caller.userID, params.id), 'webhook');
    if (body.url !== undefined && body.url !== before.url) assertMaker(ctx, before, 'url');
    const enabled = body.enabled ?? before.enabled;
    // Only adding events, a new address or enabling needs the right to read them. Disabling a webhook does not.
    const isTold = body.url !== undefined || body.events || body.enabled;
    if (isTold) assertMayReport(ctx, body.events ?? before.events, scopeOfEvent);
    const saved = await ctx.data.webhooks.save(before.id, {
      url: body.url ?? before.url,
      events: [...new Set(body.events ?? before.events)],
      enabled,
    });
    if (saved.url !== before.url) await ctx.data.webhookDeliveries.hasten(before.id);
    if (before.enabled && !enabled) await ctx.data.webhookDeliveries.failPending(before.id, 'webhook_disabled');
    return presentWebhook(saved);
  },
});
