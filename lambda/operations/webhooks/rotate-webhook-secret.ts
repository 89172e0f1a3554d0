// POST /webhooks/{id}/rotate-secret: replaces the secret of a webhook. The previous one stays valid for a day.
import { webhookSecretPlace } from '../../domain/shared/sealed-places.ts';
import { webhookSecret, webhookSecretBytes } from '../../domain/notices/webhook-secret.ts';
import { orNotFound } from '../fields.ts';
import { assertMaker } from '../maker.ts';
import { operation } from '../operation.ts';
import { createdWebhookSchema, presentWebhook } from './webhook-schema.ts';

const formerForHours = 24;

export const rotateWebhookSecret = operation(['service:write'], {
  summary: "Replace a webhook's secret",
  description:
    `Returns the new secret. No other answer contains it. For ${formerForHours} hours, each event is signed with ` +
    'both secrets: `webhook-signature` has two signatures. An application may do this only to webhooks that it made.',
  tag: 'webhooks',
  route: 'POST /webhooks/{id}/rotate-secret',
  output: { status: 200, body: createdWebhookSchema, isSecret: true },
  async handle(ctx, { params }) {
    const before = orNotFound(await ctx.data.webhooks.lock(ctx.caller.userID, params.id), 'webhook');
    assertMaker(ctx, before, 'path/id');
    const { id } = before;
    const secret = webhookSecret(ctx.randomBytes(webhookSecretBytes));
    const sealedSecret = ctx.sealer.seal(secret, webhookSecretPlace(id));
    const webhook = await ctx.data.webhooks.replaceSecret(id, sealedSecret, formerForHours);
    return { ...presentWebhook(webhook), secret };
  },
});
