// A delivery of one event to one webhook in answers.
import * as z from 'zod';
import type { WebhookDelivery } from '../../data/notices/webhook-deliveries.ts';
import { describeWebhookFailure } from '../../domain/notices/webhook-failures.ts';
import { failure, timestamp } from '../fields.ts';
import { sentEventTypes } from '../sent-events.ts';
import type { SentEventType } from '../sent-events.ts';
import { shownColumns } from '../shown-columns.ts';
import { webhookDeliveryStates } from '../../domain/notices/delivery-words.ts';

export const deliveryState = z.enum(webhookDeliveryStates);

export const webhookDeliverySchema = z
  .object({
    id: z.string(),
    eventID: z.string().describe('ID of the event, sent as `webhook-id` with every attempt.'),
    eventType: z.enum(sentEventTypes),
    sequence: z.int().describe('Sequence number of the event, as in its body.'),
    state: deliveryState.describe('pending: the delivery is attempted, now or at nextAttemptAt.'),
    attempts: z.int32().describe('Number of attempts since the event, or since the last redelivery request.'),
    nextAttemptAt: timestamp.nullable().describe('Time of the next attempt. null: no attempt is pending.'),
    lastAttemptAt: timestamp.nullable().describe('Time of the last attempt. null: none was made.'),
    responseStatus: z.int32().nullable().describe('HTTP status of the last attempt. null: no answer.'),
    responseExcerpt: z.string().nullable().describe('First 1,024 bytes of that answer. null: no answer.'),
    failure: failure.nullable().describe('Reason why the last attempt failed. null: it succeeded, or none was made.'),
    createdAt: timestamp,
  })
  .meta({ id: 'WebhookDelivery' });

export function presentDelivery(delivery: WebhookDelivery): z.input<typeof webhookDeliverySchema> {
  return {
    ...shownColumns(webhookDeliverySchema, delivery),
    eventType: delivery.event_type as SentEventType,
    sequence: delivery.event_seq,
    nextAttemptAt: delivery.state === 'pending' ? delivery.next_attempt_at : null,
    failure: delivery.failure === null ? null : describeWebhookFailure(delivery.failure),
  };
}
