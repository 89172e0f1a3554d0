// POST /webhooks: creates a webhook, an address that receives events.
import * as z from 'zod';
import { webhookSecretPlace } from '../../domain/shared/sealed-places.ts';
import { attemptSeconds, retriedForDays } from '../../domain/notices/webhook-retries.ts';
import { webhookSecret, webhookSecretBytes } from '../../domain/notices/webhook-secret.ts';
import { assertRoom } from '../limits.ts';
import { operation } from '../operation.ts';
import { assertMayReport } from '../reported-kinds.ts';
import {
  assertWebhookURL,
  createdWebhookSchema,
  exampleWebhook,
  presentWebhook,
  scopeOfEvent,
  webhookFields,
} from './webhook-schema.ts';

export const createWebhook = operation(['service:write'], {
  summary: 'Create a webhook',
  description:
    'Creates a webhook. Events are sent to its URL by POST, signed as Standard Webhooks specifies ' +
    `(standardwebhooks.com lists libraries that verify them). Answer with 2xx within ${attemptSeconds} seconds. ` +
    `Every other answer is retried for ${retriedForDays} days, at growing intervals. An answer of 410, or ` +
    `${retriedForDays} days without success, disables the webhook. An event can arrive twice, with the same ` +
    '`webhook-id`, and out of order: compare `sequence`. Only this answer contains the secret.',
  tag: 'webhooks',
  route: 'POST /webhooks',
  body: z.strictObject(webhookFields).meta({ examples: [exampleWebhook] }),
  output: { status: 201, body: createdWebhookSchema, location: (webhook) => `/webhooks/${webhook.id}`, isSecret: true },
  errors: ['webhook_url_forbidden', 'limit_reached'],
  hints: { openWorld: true },
  async handle(ctx, { body }) {
    assertWebhookURL(ctx, body.url);
    assertMayReport(ctx, body.events, scopeOfEvent);
    await assertRoom(ctx, { webhooks: 1 });
    const id = ctx.newID('whk');
    const secret = webhookSecret(ctx.randomBytes(webhookSecretBytes));
    const sealedSecret = ctx.sealer.seal(secret, webhookSecretPlace(id));
    const events = [...new Set(body.events)];
    const { userID, clientID } = ctx.caller;
    const webhook = await ctx.data.webhooks.insert({ id, userID, clientID, url: body.url, events, sealedSecret });
    return { ...presentWebhook(webhook), secret };
  },
});
