// The catalogue: all operations, by resource. A new operation is a new file, and a line here.
import { getMe } from './account/get-me.ts';
import { createAlertChannel } from './alerts/create-alert-channel.ts';
import { deleteAlertChannel } from './alerts/delete-alert-channel.ts';
import { getAlertChannel } from './alerts/get-alert-channel.ts';
import { getIncident } from './alerts/get-incident.ts';
import { listAlertChannels } from './alerts/list-alert-channels.ts';
import { listIncidents } from './alerts/list-incidents.ts';
import { testAlertChannel } from './alerts/test-alert-channel.ts';
import { updateAlertChannel } from './alerts/update-alert-channel.ts';
import { createTopUp } from './billing/create-top-up.ts';
import { getBillingOverview } from './billing/get-billing-overview.ts';
import { getUsageAnalytics } from './billing/get-usage-analytics.ts';
import { listStreamUsage } from './billing/list-stream-usage.ts';
import { listInvoices } from './billing/list-invoices.ts';
import { listPrices } from './billing/list-prices.ts';
import { getCryptoDepositAddress } from './crypto/get-crypto-deposit-address.ts';
import { listCryptoCurrencies } from './crypto/list-crypto-currencies.ts';
import { listCryptoDeposits } from './crypto/list-crypto-deposits.ts';
import { createCollection } from './collections/create-collection.ts';
import { deleteCollection } from './collections/delete-collection.ts';
import { getCollection } from './collections/get-collection.ts';
import { listCollectionUploads } from './collections/list-collection-uploads.ts';
import { listCollections } from './collections/list-collections.ts';
import { updateCollection } from './collections/update-collection.ts';
import { createConnection } from './connections/create-connection.ts';
import { deleteConnection } from './connections/delete-connection.ts';
import { getConnection } from './connections/get-connection.ts';
import { listConnections } from './connections/list-connections.ts';
import { reauthoriseConnection } from './connections/reauthorise-connection.ts';
import { checkDestination } from './destinations/check-destination.ts';
import { createDestination } from './destinations/create-destination.ts';
import { deleteDestination } from './destinations/delete-destination.ts';
import { getDestination } from './destinations/get-destination.ts';
import { listDestinations } from './destinations/list-destinations.ts';
import { restoreDestination } from './destinations/restore-destination.ts';
import { updateDestination } from './destinations/update-destination.ts';
import { createLiveInput } from './live/create-live-input.ts';
import { deleteLiveInput } from './live/delete-live-input.ts';
import { deleteLiveInputPassphrase } from './live/delete-live-input-passphrase.ts';
import { getLiveInput } from './live/get-live-input.ts';
import { getStreamTakeover } from './live/get-stream-takeover.ts';
import { handBackStream } from './live/hand-back-stream.ts';
import { listLiveInputs } from './live/list-live-inputs.ts';
import { listLiveSessions } from './live/list-live-sessions.ts';
import { rotateLiveInputKey } from './live/rotate-live-input-key.ts';
import { rotateLiveInputPassphrase } from './live/rotate-live-input-passphrase.ts';
import { takeOverStream } from './live/take-over-stream.ts';
import { updateLiveInput } from './live/update-live-input.ts';
import { createManagedSettings } from './managed-settings/create-managed-settings.ts';
import { deleteManagedSettings } from './managed-settings/delete-managed-settings.ts';
import { getManagedSettings } from './managed-settings/get-managed-settings.ts';
import { listManagedSettings } from './managed-settings/list-managed-settings.ts';
import { updateManagedSettings } from './managed-settings/update-managed-settings.ts';
import { listNotifications } from './notifications/list-notifications.ts';
import { markNotificationsRead } from './notifications/mark-notifications-read.ts';
import type { DeclaredOperation, Operation } from './operation.ts';
import { createStreamOutput } from './outputs/create-stream-output.ts';
import { deleteStreamOutput } from './outputs/delete-stream-output.ts';
import { getStreamOutput } from './outputs/get-stream-output.ts';
import { listStreamOutputs } from './outputs/list-stream-outputs.ts';
import { updateStreamOutput } from './outputs/update-stream-output.ts';
import { applyPlaylistOperations } from './playlists/apply-playlist-operations.ts';
import { copyPlaylist } from './playlists/copy-playlist.ts';
import { createPlaylist } from './playlists/create-playlist.ts';
import { deletePlaylist } from './playlists/delete-playlist.ts';
import { discardPlaylistDraft } from './playlists/discard-playlist-draft.ts';
import { getPlaylist } from './playlists/get-playlist.ts';
import { listPlaylists } from './playlists/list-playlists.ts';
import { publishPlaylist } from './playlists/publish-playlist.ts';
import { updatePlaylist } from './playlists/update-playlist.ts';
import { compareProgramme } from './programmes/compare-programme.ts';
import { createProgramme } from './programmes/create-programme.ts';
import { deleteProgramme } from './programmes/delete-programme.ts';
import { getProgramme } from './programmes/get-programme.ts';
import { listProgrammeVersions } from './programmes/list-programme-versions.ts';
import { listQueuedItems } from './programmes/list-queued-items.ts';
import { listProgrammes } from './programmes/list-programmes.ts';
import { publishProgramme } from './programmes/publish-programme.ts';
import { queueItem } from './programmes/queue-item.ts';
import { removeQueuedItem } from './programmes/remove-queued-item.ts';
import { revertProgramme } from './programmes/revert-programme.ts';
import { simulateProgramme } from './programmes/simulate-programme.ts';
import { updateProgramme } from './programmes/update-programme.ts';
import { getOpenapi } from './service/get-openapi.ts';
import { listChanges } from './service/list-changes.ts';
import { getStatus } from './service/get-status.ts';
import { createSource } from './sources/create-source.ts';
import { deleteSource } from './sources/delete-source.ts';
import { getSource } from './sources/get-source.ts';
import { listSources } from './sources/list-sources.ts';
import { scanSource } from './sources/scan-source.ts';
import { updateSource } from './sources/update-source.ts';
import { cancelStreamSchedule } from './streams/cancel-stream-schedule.ts';
import { countStreams } from './streams/count-streams.ts';
import { createStream } from './streams/create-stream.ts';
import { deleteStream } from './streams/delete-stream.ts';
import { duplicateStream } from './streams/duplicate-stream.ts';
import { getStreamReadiness } from './streams/get-stream-readiness.ts';
import { createStreamPreview } from './streams/create-stream-preview.ts';
import { createGuideLink } from './streams/create-guide-link.ts';
import { deleteGuideLink } from './streams/delete-guide-link.ts';
import { getGuideLink } from './streams/get-guide-link.ts';
import { updateGuideLink } from './streams/update-guide-link.ts';
import { listRequestableItems } from './guides/list-requestable-items.ts';
import { requestItem } from './guides/request-item.ts';
import { getStreamFrame } from './streams/get-stream-frame.ts';
import { previewStreamLook } from './streams/preview-stream-look.ts';
import { getStreamProof } from './streams/get-stream-proof.ts';
import { getStreamStatsHistory } from './streams/get-stream-stats-history.ts';
import { getStreamStats } from './streams/get-stream-stats.ts';
import { getStream } from './streams/get-stream.ts';
import { getStreamTimeline } from './streams/get-stream-timeline.ts';
import { listOccurrences } from './streams/list-occurrences.ts';
import { listStreamBroadcasts } from './streams/list-stream-broadcasts.ts';
import { listStreamTransitions } from './streams/list-stream-transitions.ts';
import { listStreams } from './streams/list-streams.ts';
import { playNext } from './streams/play-next.ts';
import { previewRecurrence } from './streams/preview-recurrence.ts';
import { retryStream } from './streams/retry-stream.ts';
import { scheduleStream } from './streams/schedule-stream.ts';
import { skipItem } from './streams/skip-item.ts';
import { skipOccurrence } from './streams/skip-occurrence.ts';
import { startStream } from './streams/start-stream.ts';
import { stopStream } from './streams/stop-stream.ts';
import { updateStream } from './streams/update-stream.ts';
import { applyUploadOperations } from './uploads/apply-upload-operations.ts';
import { completeUpload } from './uploads/complete-upload.ts';
import { createClip } from './uploads/create-clip.ts';
import { createDownloadUrl } from './uploads/create-download-url.ts';
import { createUploadPartUrls } from './uploads/create-upload-part-urls.ts';
import { createUploadUrl } from './uploads/create-upload-url.ts';
import { createUpload } from './uploads/create-upload.ts';
import { deleteUpload } from './uploads/delete-upload.ts';
import { getUpload } from './uploads/get-upload.ts';
import { importUpload } from './uploads/import-upload.ts';
import { listUploadFolders } from './uploads/list-upload-folders.ts';
import { listUploadParts } from './uploads/list-upload-parts.ts';
import { listUploads } from './uploads/list-uploads.ts';
import { retryUpload } from './uploads/retry-upload.ts';
import { updateUpload } from './uploads/update-upload.ts';
import { createWebhook } from './webhooks/create-webhook.ts';
import { deleteWebhook } from './webhooks/delete-webhook.ts';
import { getWebhook } from './webhooks/get-webhook.ts';
import { listWebhookDeliveries } from './webhooks/list-webhook-deliveries.ts';
import { listWebhooks } from './webhooks/list-webhooks.ts';
import { redeliverWebhook } from './webhooks/redeliver-webhook.ts';
import { rotateWebhookSecret } from './webhooks/rotate-webhook-secret.ts';
import { testWebhook } from './webhooks/test-webhook.ts';
import { updateWebhook } from './webhooks/update-webhook.ts';

/** The operations by their ids. */
const catalogue: Readonly<Record<string, DeclaredOperation>> = {
  getMe,
  getStatus,
  getOpenapi,
  listChanges,

  listStreams,
  countStreams,
  createStream,
  getStream,
  updateStream,
  deleteStream,
  getStreamReadiness,
  startStream,
  stopStream,
  retryStream,
  duplicateStream,
  scheduleStream,
  cancelStreamSchedule,
  skipOccurrence,
  playNext,
  skipItem,
  listOccurrences,
  previewRecurrence,
  getStreamStats,
  getStreamStatsHistory,
  createStreamPreview,
  getStreamTimeline,
  getStreamProof,
  getStreamFrame,
  previewStreamLook,
  listStreamTransitions,
  createGuideLink,
  getGuideLink,
  updateGuideLink,
  deleteGuideLink,
  listRequestableItems,
  requestItem,
  listStreamBroadcasts,
  listStreamOutputs,
  createStreamOutput,
  getStreamOutput,
  updateStreamOutput,
  deleteStreamOutput,

  listLiveInputs,
  createLiveInput,
  getLiveInput,
  updateLiveInput,
  rotateLiveInputKey,
  rotateLiveInputPassphrase,
  deleteLiveInputPassphrase,
  deleteLiveInput,
  listLiveSessions,
  takeOverStream,
  getStreamTakeover,
  handBackStream,

  listUploads,
  listUploadFolders,
  createUpload,
  importUpload,
  applyUploadOperations,
  getUpload,
  updateUpload,
  createClip,
  createUploadUrl,
  createUploadPartUrls,
  listUploadParts,
  completeUpload,
  retryUpload,
  createDownloadUrl,
  deleteUpload,

  listSources,
  createSource,
  getSource,
  updateSource,
  scanSource,
  deleteSource,

  listPlaylists,
  createPlaylist,
  getPlaylist,
  updatePlaylist,
  applyPlaylistOperations,
  copyPlaylist,
  publishPlaylist,
  discardPlaylistDraft,
  deletePlaylist,

  listCollections,
  createCollection,
  getCollection,
  updateCollection,
  listCollectionUploads,
  deleteCollection,

  listProgrammes,
  createProgramme,
  getProgramme,
  updateProgramme,
  simulateProgramme,
  compareProgramme,
  publishProgramme,
  listProgrammeVersions,
  revertProgramme,
  queueItem,
  listQueuedItems,
  removeQueuedItem,
  deleteProgramme,

  listDestinations,
  createDestination,
  getDestination,
  updateDestination,
  deleteDestination,
  restoreDestination,
  checkDestination,

  listConnections,
  createConnection,
  getConnection,
  reauthoriseConnection,
  deleteConnection,
  listManagedSettings,
  createManagedSettings,
  getManagedSettings,
  updateManagedSettings,
  deleteManagedSettings,

  getBillingOverview,
  listPrices,
  listInvoices,
  getUsageAnalytics,
  listStreamUsage,
  createTopUp,

  listCryptoCurrencies,
  getCryptoDepositAddress,
  listCryptoDeposits,

  listWebhooks,
  createWebhook,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  testWebhook,
  rotateWebhookSecret,
  listWebhookDeliveries,
  redeliverWebhook,

  listAlertChannels,
  createAlertChannel,
  getAlertChannel,
  updateAlertChannel,
  deleteAlertChannel,
  testAlertChannel,
  listIncidents,
  getIncident,
  listNotifications,
  markNotificationsRead,
};

export const operations: readonly Operation[] = Object.entries(catalogue).map(([id, declared]) => ({
  id,
  ...declared,
}));
