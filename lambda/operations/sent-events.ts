// All that webhooks are sent: what they ask for, and what test_webhook sends; and the form of each.
import * as z from 'zod';
import { webhookEvents } from './webhook-events.ts';
import type { WebhookEvent } from './webhook-events.ts';

/** Sent whatever a webhook asks for. */
const testEvent = {
  type: 'webhook.test',
  scope: 'service:read',
  summary: 'A webhook is tested',
  description: 'Somebody has asked for it with test_webhook.',
  data: z.object({ webhookID: z.string() }),
} as const satisfies WebhookEvent;

export const sentEvents = [...webhookEvents, testEvent] as const;
export type SentEventType = (typeof sentEvents)[number]['type'];
export const sentEventTypes = sentEvents.map(({ type }) => type) as [SentEventType, ...SentEventType[]];

/** The body of a request to a webhook: the form that Standard Webhooks recommends, and a number for the order. */
export function webhookPayload({ type, data }: Pick<WebhookEvent, 'type' | 'data'>): z.ZodObject {
  return z.object({
    type: z.literal(type),
    timestamp: z.iso.datetime().describe('When it happened.'),
    sequence: z
      .int()
      .describe(
        'Grows with each event: of two about the same resource, the one with the larger number happened later.',
      ),
    data,
  });
}
