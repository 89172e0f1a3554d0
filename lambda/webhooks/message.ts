// The message of an event for webhooks. Its body has the same bytes in every attempt.
import type { BegunDelivery } from '../data/notices/webhook-deliveries.ts';
import type { Message } from './sign.ts';

/** @param at the time of sending */
export function messageOf(
  { event_id: id, event_type: type, event_seq: sequence, event_at, event_data: data }: BegunDelivery,
  at: Date,
): Message {
  return { id, at, body: JSON.stringify({ type, timestamp: event_at.toISOString(), sequence, data }) };
}
