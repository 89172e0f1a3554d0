// The types of the API's answers, from the schemas of the catalogue. The schemas themselves reach no browser.
import type * as z from 'zod';
import type { alertChannelSchema } from '../../operations/alerts/alert-channel-schema.ts';
import type { incidentSchema } from '../../operations/alerts/incident-schema.ts';
import type { depositAddressSchema } from '../../operations/crypto/get-crypto-deposit-address.ts';
import type { currencySchema } from '../../operations/crypto/list-crypto-currencies.ts';
import type { depositSchema } from '../../operations/crypto/list-crypto-deposits.ts';
import type { destinationSchema } from '../../operations/destinations/destination-schema.ts';
import type { collectionSchema } from '../../operations/collections/collection-schema.ts';
import type { connectionSchema } from '../../operations/connections/connection-schema.ts';
import type { managedSettingsSchema } from '../../operations/managed-settings/managed-settings-schema.ts';
import type { notificationSchema } from '../../operations/notifications/list-notifications.ts';
import type { overview } from '../../operations/billing/get-billing-overview.ts';
import type { usageSchema } from '../../operations/billing/get-usage-analytics.ts';
import type { prices } from '../../operations/billing/list-prices.ts';
import type { streamUsage } from '../../operations/billing/list-stream-usage.ts';
import type { invoiceSchema } from '../../operations/billing/invoice-schema.ts';
import type { playlistSchema } from '../../operations/playlists/playlist-schema.ts';
import type { comparisonSchema } from '../../operations/programmes/compare-programme.ts';
import type { programmeSchema } from '../../operations/programmes/programme-schema.ts';
import type { queuedItemSchema } from '../../operations/programmes/queue-schema.ts';
import type { keyedLiveInputSchema, liveInputSchema } from '../../operations/live/live-input-schema.ts';
import type { liveInputPassphraseSchema } from '../../operations/live/rotate-live-input-passphrase.ts';
import type { streamTakeover } from '../../operations/live/stream-takeover.ts';
import type { guideLink, guideLinkSettings } from '../../operations/streams/guide-link.ts';
import type { changeList } from '../../operations/service/list-changes.ts';
import type { outputSchema } from '../../operations/outputs/output-schema.ts';
import type { sourceSchema } from '../../operations/sources/source-schema.ts';
import type { streamCounts } from '../../operations/streams/count-streams.ts';
import type { occurrenceSchema } from '../../operations/streams/list-occurrences.ts';
import type { broadcastSchema } from '../../operations/streams/list-stream-broadcasts.ts';
import type { streamSchema } from '../../operations/streams/stream-schema.ts';
import type { timelineRow } from '../../operations/streams/timeline-row.ts';
import type { transition } from '../../operations/streams/stream-transition.ts';
import type { uploadSchema } from '../../operations/uploads/upload-schema.ts';
import type { webhookDeliverySchema } from '../../operations/webhooks/webhook-delivery-schema.ts';
import type { webhookSchema } from '../../operations/webhooks/webhook-schema.ts';
import type { figuresSchema } from '../../operations/streams/stream-figures.ts';

export type Stream = z.output<typeof streamSchema>;
export type StreamCount = z.output<typeof streamCounts>;
export type Playlist = z.output<typeof playlistSchema>;
export type Collection = z.output<typeof collectionSchema>;
export type Programme = z.output<typeof programmeSchema>;
export type ProgrammeComparison = z.output<typeof comparisonSchema>;
export type QueuedItem = z.output<typeof queuedItemSchema>;
export type Output = z.output<typeof outputSchema>;
export type GuideAddresses = z.output<typeof guideLink>;
export type GuideSettings = z.output<typeof guideLinkSettings>;
export type Upload = z.output<typeof uploadSchema>;
export type Destination = z.output<typeof destinationSchema>;
export type Incident = z.output<typeof incidentSchema>;
export type BillingOverview = z.output<typeof overview>;
export type Usage = z.output<typeof usageSchema>;
export type StreamUsage = z.output<typeof streamUsage>;
export type Prices = z.output<typeof prices>;
export type Source = z.output<typeof sourceSchema>;
export type Invoice = z.output<typeof invoiceSchema>;
export type CryptoCurrency = z.output<typeof currencySchema>;
export type CryptoDeposit = z.output<typeof depositSchema>;
export type DepositAddress = z.output<typeof depositAddressSchema>;
export type TimelineRow = z.output<typeof timelineRow>;
export type Occurrence = z.output<typeof occurrenceSchema>;
export type Broadcast = z.output<typeof broadcastSchema>;
export type Connection = z.output<typeof connectionSchema>;
export type ManagedSettings = z.output<typeof managedSettingsSchema>;
export type AlertChannel = z.output<typeof alertChannelSchema>;
export type Notification = z.output<typeof notificationSchema>;
export type Changes = z.output<typeof changeList>;
export type Webhook = z.output<typeof webhookSchema>;
export type WebhookDelivery = z.output<typeof webhookDeliverySchema>;
export type LiveInput = z.output<typeof liveInputSchema>;
export type KeyedLiveInput = z.output<typeof keyedLiveInputSchema>;
export type LiveInputPassphrase = z.output<typeof liveInputPassphraseSchema>;
export type StreamTakeover = z.output<typeof streamTakeover>;
export type Transition = z.output<typeof transition>;

/** The fields of `GET /streams/{id}/stats` that the page shows. */
export interface StreamStats extends z.output<typeof figuresSchema> {
  readonly uptimeSeconds: number;
}

export interface Page<Item> {
  readonly data: readonly Item[];
  readonly page: { readonly hasMore: boolean; readonly nextCursor: string };
}
