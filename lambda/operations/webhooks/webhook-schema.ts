// A webhook in answers, and the fields of requests that create or update one.
// The answer to its creation is the only one with its secret.
import * as z from 'zod';
import type { Webhook } from '../../data/notices/webhooks.ts';
import { describeDisabling } from '../../domain/notices/webhook-failures.ts';
import { retriedForDays } from '../../domain/notices/webhook-retries.ts';
import { faultOfWebhookURL } from '../../domain/notices/webhook-url.ts';
import type { Context } from '../context.ts';
import { failure, text, timestamp } from '../fields.ts';
import { fieldProblem } from '../field-problems.ts';
import type { Scope } from '../scopes.ts';
import { webhookEvents, webhookEventTypes } from '../webhook-events.ts';
import type { WebhookEventType } from '../webhook-events.ts';
import { shownColumns } from '../shown-columns.ts';

/** The fields of requests that create or update a webhook. */
export const webhookFields = {
  url: text(1, 2048).describe(
    'Public https:// URL that receives events by POST. Redirects are not followed. (A local run also accepts ' +
      'http:// and private addresses.)',
  ),
  events: z
    .array(z.enum(webhookEventTypes))
    .min(1)
    .max(webhookEventTypes.length)
    .describe(
      'Events to send. Events about credits and payments need the scope service:billing, the others service:read.',
    ),
};

export const exampleWebhook = {
  url: 'https://hooks.example.org/streams',
  events: ['stream.state_changed', 'credits.low'] satisfies WebhookEventType[],
};

const shape = {
  id: z.string(),
  url: z.string(),
  events: z.array(z.enum(webhookEventTypes)),
  enabled: z.boolean().describe('false: no events are sent, and none are kept for later.'),
  disabledReason: failure
    .nullable()
    .describe(
      'Reason why the platform disabled the webhook: `gone` (it answered 410) or `failing` (it accepted no ' +
        `event for ${retriedForDays} days). null otherwise.`,
    ),
  lastDeliveredAt: timestamp.nullable().describe('Time when the webhook last accepted an event. null: never.'),
  createdAt: timestamp,
};

export const webhookSchema = z.object(shape).meta({ id: 'Webhook' });

export const createdWebhookSchema = z
  .object({ ...shape, secret: z.string().describe('Secret that signs the events. Only this answer contains it.') })
  .meta({
    id: 'CreatedWebhook',
    examples: [
      {
        id: 'whk_0mb3kq5zj4h8s2n7t1w9x6c0p',
        ...exampleWebhook,
        enabled: true,
        disabledReason: null,
        lastDeliveredAt: null,
        createdAt: '2030-01-31T18:00:00.000Z',
        secret: `whsec_${'A'.repeat(43)}=`,
      },
    ],
  });

export function presentWebhook(webhook: Webhook): z.input<typeof webhookSchema> {
  return {
    ...shownColumns(webhookSchema, webhook),
    events: webhook.events as WebhookEventType[],
    disabledReason: webhook.disabled_reason && describeDisabling(webhook.disabled_reason),
  };
}

/** The scope that reads the data of events of a type. */
export const scopeOfEvent = (type: string): Scope =>
  webhookEvents.find((event) => event.type === type)?.scope ?? 'service:read';

/**
 * Refuses a malformed URL, and addresses that this stage forbids.
 * @throws {ProblemError} validation_failed, webhook_url_forbidden
 */
export function assertWebhookURL(ctx: Context, url: string): void {
  const fault = faultOfWebhookURL(url, ctx.settings);
  if (fault === 'malformed') throw fieldProblem('url', 'Use an https:// URL without user name and password.');
  if (fault === 'forbidden')
    throw fieldProblem(
      'url',
      'Webhooks to this address are not allowed. Use a public https:// address.',
      'webhook_url_forbidden',
    );
}
