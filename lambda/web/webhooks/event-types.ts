// What a webhook can ask for, as the catalogue has it. Its schemas reach no browser: the compiler keeps the two equal.
import type { WebhookEventType } from '../../operations/webhook-events.ts';

export type EventType = WebhookEventType;

const all: Readonly<Record<EventType, true>> = {
  'stream.state_changed': true,
  'stream.warned': true,
  'stream.output_changed': true,
  'stream.platform_disagrees': true,
  'item.started': true,
  'replica.connected': true,
  'replica.lost': true,
  'upload.completed': true,
  'upload.failed': true,
  'upload.examined': true,
  'source.failing': true,
  'source.recovered': true,
  'playlist.published': true,
  'playlist.publish_failed': true,
  'connection.lost': true,
  'incident.began': true,
  'incident.ended': true,
  'credits.low': true,
  'credits.exhausted': true,
  'credits.streams_stopped': true,
  'payment.refunded': true,
  'payment.disputed': true,
};
export const eventTypes = Object.keys(all) as EventType[];
