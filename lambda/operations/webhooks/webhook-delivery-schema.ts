// A delivery, of one event to one webhook, as clients see it.
import * as z from 'zod';
import { webhookDeliveryStates } from '../../data/notices/webhook-deliveries.ts';
import type { WebhookDelivery } from '../../data/notices/webhook-deliveries.ts';
import { describeWebhookFailure } from '../../domain/notices/webhook-failures.ts';
import { failure, timestamp } from '../fields.ts';
import { sentEventTypes } from '../sent-events.ts';
import type { SentEventType } from '../sent-events.ts';

export const deliveryState = z.enum(webhookDeliveryStates);

export const webhookDeliverySchema = z
  .object({
    id: z.string(),
    eventID: z.string().describe('Sent as `webhook-id`, the same in every attempt.'),
    eventType: z.enum(sentEventTypes),
    sequence: z.int().describe('Of the event, as it is in its body.'),
    state: deliveryState.describe('pending: it is tried, now or at nextAttemptAt.'),
    attempts: z.int32().describe('Since the event happened, or was last asked for again.'),
    nextAttemptAt: timestamp.nullable(),
    lastAttemptAt: timestamp.nullable(),
    responseStatus: z.int32().nullable().describe('HTTP status of the last attempt; null without an answer.'),
    responseExcerpt: z.string().nullable().describe('The first 1,024 bytes of that answer.'),
    failure: failure.nullable().describe('Why the last attempt failed.'),
    createdAt: timestamp,
  })
  .meta({ id: 'WebhookDelivery' });

export function presentDelivery(delivery: WebhookDelivery): z.input<typeof webhookDeliverySchema> {
  return {
    id: delivery.id,
    eventID: delivery.event_id,
    eventType: delivery.event_type as SentEventType,
    sequence: delivery.event_seq,
    state: delivery.state,
    attempts: delivery.attempts,
    nextAttemptAt: delivery.state === 'pending' ? delivery.next_attempt_at : null,
    lastAttemptAt: delivery.last_attempt_at,
    responseStatus: delivery.response_status,
    responseExcerpt: delivery.response_excerpt,
    failure: delivery.failure === null ? null : describeWebhookFailure(delivery.failure),
    createdAt: delivery.created_at,
  };
}
