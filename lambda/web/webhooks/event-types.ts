// The event types of webhooks. The schemas of the catalogue reach no browser, so the compiler keeps both lists equal.
import type { WebhookEventType } from '../../operations/webhook-events.ts';

export type EventType = WebhookEventType;

const all: Readonly<Record<EventType, true>> = {
  'stream.state_changed': true,
  'stream.warned': true,
  'stream.output_changed': true,
  'stream.platform_disagrees': true,
  'item.started': true,
  'live_input.changed': true,
  'takeover.began': true,
  'takeover.ended': true,
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
