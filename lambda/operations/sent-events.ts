// Every event that a webhook can receive, and the form of its payload.
import * as z from 'zod';
import { webhookEvents } from './webhook-events.ts';
import type { WebhookEvent } from './webhook-events.ts';

/** Sent to a webhook on request, whichever events it subscribes to. */
const testEvent = {
  type: 'webhook.test',
  scope: 'service:read',
  summary: 'Test of a webhook',
  description: 'Sent after a call of test_webhook.',
  data: z.object({ webhookID: z.string() }),
} as const satisfies WebhookEvent;

export const sentEvents = [...webhookEvents, testEvent] as const;
export type SentEventType = (typeof sentEvents)[number]['type'];
export const sentEventTypes = sentEvents.map(({ type }) => type) as [SentEventType, ...SentEventType[]];

/** The body of a request to a webhook: the form that Standard Webhooks recommends, with a sequence number. */
export function webhookPayload({ type, data }: Pick<WebhookEvent, 'type' | 'data'>): z.ZodObject {
  return z.object({
    type: z.literal(type),
    timestamp: z.iso.datetime().describe('Time of the event.'),
    sequence: z.int().describe('Increases with each event: the event with the larger number happened later.'),
    data,
  });
}
