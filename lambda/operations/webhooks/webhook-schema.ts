// A webhook as clients see it, and the fields that requests to create and to update one take.
// Clients see its secret once, when it is created.
import * as z from 'zod';
import type { Webhook } from '../../data/notices/webhooks.ts';
import { describeDisabling } from '../../domain/notices/webhook-failures.ts';
import { retriedForDays } from '../../domain/notices/webhook-retries.ts';
import { faultOfWebhookURL } from '../../domain/notices/webhook-url.ts';
import type { Context } from '../context.ts';
import { failure, text, timestamp } from '../fields.ts';
import { fieldProblem } from '../field-problems.ts';
import { webhookEvents, webhookEventTypes } from '../webhook-events.ts';
import type { WebhookEventType } from '../webhook-events.ts';

/** The fields that requests to create and to update a webhook take. */
export const webhookFields = {
  url: text(1, 2048).describe(
    'https:// and a public address (a run on your own machine takes http:// and any). Events are sent there by POST; ' +
      'redirects are not followed.',
  ),
  events: z
    .array(z.enum(webhookEventTypes))
    .min(1)
    .max(webhookEventTypes.length)
    .describe('What it is told of. Events of credits and payments need service:billing, the others service:read.'),
};

export const exampleWebhook = {
  url: 'https://hooks.example.org/streams',
  events: ['stream.state_changed', 'credits.low'] satisfies WebhookEventType[],
};

const shape = {
  id: z.string(),
  url: z.string(),
  events: z.array(z.enum(webhookEventTypes)),
  enabled: z.boolean().describe('While it is not, nothing is sent, and what happens is not kept for it.'),
  disabledReason: failure
    .nullable()
    .describe(
      `Why we disabled it: \`gone\` (it answered 410) or \`failing\` (it took no event for ${retriedForDays} ` +
        'days). null otherwise.',
    ),
  lastDeliveredAt: timestamp.nullable().describe('When it last took an event.'),
  createdAt: timestamp,
};

export const webhookSchema = z.object(shape).meta({ id: 'Webhook' });

export const createdWebhookSchema = z
  .object({ ...shape, secret: z.string().describe('What the signatures are made with. It is in this answer only.') })
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
    id: webhook.id,
    url: webhook.url,
    events: webhook.events as WebhookEventType[],
    enabled: webhook.enabled,
    disabledReason: webhook.disabled_reason && describeDisabling(webhook.disabled_reason),
    lastDeliveredAt: webhook.last_delivered_at,
    createdAt: webhook.created_at,
  };
}

/**
 * Refuses to tell a caller by webhook what they may not read.
 * @throws {ProblemError} insufficient_scope
 */
export function assertMayHear({ caller }: Context, events: readonly string[]): void {
  const untold = webhookEvents.filter(({ type, scope }) => events.includes(type) && !caller.scopes.includes(scope));
  const [first] = untold;
  if (first)
    throw fieldProblem(
      'events',
      `${untold.map(({ type }) => type).join(', ')}: needs the scope ${first.scope}. Ask the user for it, or leave ` +
        'it out.',
      'insufficient_scope',
    );
}

/**
 * Refuses what is no address of a webhook, and addresses that users of this stage may not have called.
 * @throws {ProblemError} validation_failed, webhook_url_forbidden
 */
export function assertWebhookURL(ctx: Context, url: string): void {
  const fault = faultOfWebhookURL(url, ctx.settings);
  if (fault === 'malformed') throw fieldProblem('url', 'Must be an https:// URL without user name and password.');
  if (fault === 'forbidden')
    throw fieldProblem(
      'url',
      'Webhooks may not be sent to this address. Use a public https:// one.',
      'webhook_url_forbidden',
    );
}
