// POST /webhooks/{id}/rotate-secret: gives a webhook another secret, while the one before goes on for a day.
import { webhookSecretPlace } from '../../domain/shared/sealed-places.ts';
import { webhookSecret, webhookSecretBytes } from '../../domain/notices/webhook-secret.ts';
import { orNotFound, pathID } from '../fields.ts';
import { operation } from '../operation.ts';
import { createdWebhookSchema, presentWebhook } from './webhook-schema.ts';

const formerForHours = 24;

export const rotateWebhookSecret = operation(['service:write'], {
  id: 'rotateWebhookSecret',
  summary: "Replace a webhook's secret",
  description:
    `Answers the new one, once. For ${formerForHours} hours each event is signed with both: ` +
    '`webhook-signature` has two signatures.',
  tag: 'webhooks',
  method: 'POST',
  path: '/webhooks/{id}/rotate-secret',
  params: { id: pathID },
  output: { status: 200, body: createdWebhookSchema, isSecret: true },
  errors: ['not_found'],
  async handle(ctx, { params }) {
    const { id } = orNotFound(await ctx.data.webhooks.lock(ctx.caller.userID, params.id), 'webhook');
    const secret = webhookSecret(ctx.randomBytes(webhookSecretBytes));
    const sealedSecret = ctx.sealer.seal(secret, webhookSecretPlace(id));
    const webhook = await ctx.data.webhooks.replaceSecret(id, sealedSecret, formerForHours);
    return { ...presentWebhook(webhook), secret };
  },
});
