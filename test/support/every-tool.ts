// Calls every tool of MCP, in an order in which each call succeeds.
import { expect } from 'vitest';
import { storeIncident } from './incidents.ts';
import { pretendPrepared, pretendReceived } from './live-inputs.ts';
import type { McpClient } from './mcp-clients.ts';
import { pretendPublished } from './stored-playlists.ts';
import { pretendProbed } from './service.ts';
import type { TestService } from './service.ts';
import { nameContent, objectKeyOf } from './stored-uploads.ts';

/** Calls every tool. @returns the names of the tools in the order of their first calls */
export async function callEveryTool(
  client: Pick<McpClient, 'callTool'>,
  platform: Pick<TestService, 'pool' | 'objects'>,
): Promise<string[]> {
  const called = new Set<string>();
  const call = async (name: string, args: object = {}) => {
    called.add(name);
    const { isError = false, structuredContent, content } = await client.callTool(name, args);
    expect([name, isError, structuredContent]).toEqual([name, false, expect.any(Object)]);
    expect(JSON.parse(content[0].text)).toEqual(structuredContent);
    return structuredContent;
  };

  const upload = await call('create_upload', {
    name: 'clip.mp4',
    mimeType: 'video/mp4',
    fileSize: 5,
    idempotencyKey: 'clip',
  });
  await call('create_upload_url', { id: upload.id });
  const key = await objectKeyOf(platform, upload.id);
  await platform.objects().write(key, Buffer.from('media'), { contentType: 'video/mp4' });
  await call('complete_upload', { id: upload.id });
  await call('create_download_url', { id: upload.id });
  await call('retry_upload', { id: upload.id });
  await pretendProbed(platform, upload.id);
  await call('get_upload', { id: upload.id });
  await nameContent(platform, upload.id);
  await call('create_clip', { id: upload.id, fromSeconds: 2 });
  const inParts = await call('create_upload', { name: 'a', mimeType: 'video/mp4', fileSize: 5, multipart: true });
  await call('create_upload_part_urls', { id: inParts.id, partNumbers: [1] });
  await call('list_upload_parts', { id: inParts.id });
  const imported = await call('import_upload', { url: 'http://127.0.0.1:9/clip.mp4' });
  await call('list_uploads', { limit: 1 });
  await call('list_upload_folders');
  await call('update_upload', { id: imported.id, folder: 'Music' });
  await call('apply_upload_operations', { operations: [{ op: 'tag', uploadID: imported.id, tags: ['jazz'] }] });

  const destination = await call('create_destination', {
    name: 'ingest',
    rtmpURL: 'rtmp://127.0.0.1/live',
    streamKey: 'key',
  });
  await call('update_destination', { id: destination.id, name: 'renamed' });
  await call('check_destination', { id: destination.id });
  await call('get_destination', { id: destination.id });
  await call('list_destinations', { archived: false });

  const stream = await call('create_stream', { name: 'loop', destinationID: destination.id });
  await call('update_stream', { id: stream.id, quality: 'q_720p' });
  const playlist = await call('create_playlist', { streamID: stream.id, kind: 'video', mode: 'sequential' });
  await call('apply_playlist_operations', { id: playlist.id, operations: [{ op: 'add', uploadID: upload.id }] });
  await call('update_playlist', { id: playlist.id, name: 'Nights' });
  await call('publish_playlist', { id: playlist.id });
  await call('get_playlist', { id: playlist.id });
  const other = await call('create_stream', { name: 'other' });
  const target = await call('create_playlist', { streamID: other.id, kind: 'video', mode: 'shuffle' });
  await call('copy_playlist', { id: playlist.id, targetPlaylistID: target.id });
  await pretendPublished(platform, target.id);
  await call('discard_playlist_draft', { id: target.id });
  await call('list_playlists', { streamID: stream.id });
  const collection = await call('create_collection', { name: 'Jazz', kind: 'video', source: { anyTags: ['jazz'] } });
  await call('update_collection', { id: collection.id, order: 'newest' });
  await call('get_collection', { id: collection.id });
  await call('list_collections');
  await call('list_collection_uploads', { id: collection.id });
  const programme = await call('create_programme', { streamID: stream.id, timeZone: 'Europe/Berlin' });
  const steps = [
    { id: 'all', collectionID: collection.id },
    { id: 'one', uploadID: upload.id },
  ];
  const jazz = { id: 'jazz', name: 'Jazz', steps };
  await call('update_programme', { id: programme.id, blocks: [jazz], separation: [{ by: 'artist', items: 2 }] });
  await call('get_programme', { id: programme.id });
  await call('list_programmes');
  await call('simulate_programme', { id: programme.id, days: 1 });
  await call('compare_programme', { id: programme.id });
  await call('publish_programme', { id: programme.id });
  const versions = await call('list_programme_versions', { id: programme.id });
  await call('revert_programme', { id: programme.id, version: versions.data[0].version });
  const queued = await call('queue_item', { id: programme.id, uploadID: upload.id });
  await call('list_queued_items', { id: programme.id });
  await call('remove_queued_item', { id: programme.id, queuedItemID: queued.id });
  await call('delete_programme', { id: programme.id });

  const connection = await call('create_connection', { platform: 'youtube' });
  await call('reauthorise_connection', { id: connection.id });
  await call('get_connection', { id: connection.id });
  await call('list_connections');
  const settings = await call('create_managed_settings', {
    connectionID: connection.id,
    name: 'radio',
    titleTemplate: 'Night radio, {date}',
    privacy: 'unlisted',
    madeForKids: false,
  });
  await call('update_managed_settings', { id: settings.id, dvr: false });
  await call('get_managed_settings', { id: settings.id });
  await call('list_managed_settings');

  const source = await call('create_source', { kind: 'rss', url: 'http://127.0.0.1:9/feed.xml', folder: 'Podcast' });
  await call('update_source', { id: source.id, everyMinutes: 30 });
  await call('scan_source', { id: source.id });
  await call('get_source', { id: source.id });
  await call('list_sources');

  const webhook = await call('create_webhook', { url: 'http://127.0.0.1:9/hook', events: ['stream.state_changed'] });
  await call('update_webhook', { id: webhook.id, url: 'http://127.0.0.1:9/other' });

  const channel = await call('create_alert_channel', { name: 'me', kind: 'email' });
  await call('update_alert_channel', { id: channel.id, afterSeconds: 60 });
  await call('test_alert_channel', { id: channel.id });
  await call('get_alert_channel', { id: channel.id });
  await call('list_alert_channels');
  const me = await call('get_me');
  await call('get_incident', { id: await storeIncident(platform, me.id, 'stream_away') });
  await call('list_incidents');
  await call('list_changes');
  await call('delete_alert_channel', { id: channel.id });
  await call('list_notifications');
  await call('mark_notifications_read', {});

  expect((await call('get_stream_readiness', { id: stream.id })).ready).toBe(true);
  await call('schedule_stream', {
    id: stream.id,
    scheduleStartAt: '2999-01-01T00:00:00Z',
    recurrence: { rule: 'FREQ=DAILY', timeZone: 'Europe/Paris' },
  });
  await call('skip_occurrence', { id: stream.id, startAt: '2999-01-02T00:00:00Z' });
  await call('list_occurrences', {});
  await call('preview_recurrence', {
    scheduleStartAt: '2999-01-01T00:00:00Z',
    rule: 'FREQ=DAILY',
    timeZone: 'Europe/Paris',
  });
  await call('cancel_stream_schedule', { id: stream.id });
  expect((await call('start_stream', { id: stream.id })).state).toBe('activating');
  await call('retry_stream', { id: stream.id });
  const like = await call('duplicate_stream', { id: stream.id, name: 'Like it' });
  await call('delete_stream', { id: like.id });
  await call('count_streams');
  await call('get_stream_stats', { id: stream.id });
  await call('get_stream_stats_history', { id: stream.id });
  await call('get_stream_timeline', { id: stream.id });
  await call('list_stream_transitions', { id: stream.id });
  await call('get_stream_proof', { id: stream.id, day: '2026-01-31' });
  await call('create_guide_link', { id: stream.id });
  await call('update_guide_link', { id: stream.id, requests: null });
  await call('get_guide_link', { id: stream.id });
  await call('delete_guide_link', { id: stream.id });
  await call('list_stream_broadcasts', { id: stream.id });
  const second = await call('create_destination', { name: 'b', rtmpURL: 'rtmp://127.0.0.1/live', streamKey: 'second' });
  const output = await call('create_stream_output', { id: stream.id, destinationID: second.id });
  const named = { id: stream.id, outputID: output.id };
  await call('update_stream_output', { ...named, enabled: false });
  await call('get_stream_output', named);
  await call('list_stream_outputs', { id: stream.id });
  await call('delete_stream_output', named);
  const setState = `update streams set state = $2, anchored_at = now() where id = $1`;
  await platform.pool().query(setState, [stream.id, 'active']);
  await call('create_stream_preview', { id: stream.id });
  const [, next] = (await call('get_stream_timeline', { id: stream.id, limit: 2 })).data;
  await call('play_next', { id: stream.id, uploadID: next.uploadID });
  await call('skip_item', { id: stream.id, startAt: next.startAt, uploadID: next.uploadID });
  const input = await call('create_live_input', { name: 'Studio', streamID: stream.id });
  await call('update_live_input', { id: input.id, takes: 'on_request' });
  await call('rotate_live_input_key', { id: input.id });
  await call('rotate_live_input_passphrase', { id: input.id });
  await call('delete_live_input_passphrase', { id: input.id });
  await pretendReceived(platform, input.id);
  await pretendPrepared(platform, stream.id);
  await call('get_live_input', { id: input.id });
  await call('take_over_stream', { id: stream.id, liveInputID: input.id });
  await call('get_stream_takeover', { id: stream.id });
  await call('hand_back_stream', { id: stream.id });
  await call('list_live_sessions', { id: input.id });
  await call('list_live_inputs', { streamID: stream.id });
  await call('delete_live_input', { id: input.id });
  await platform.pool().query(setState, [stream.id, 'activating']);
  await call('stop_stream', { id: stream.id });
  await call('get_stream', { id: stream.id });
  await call('list_streams', { ids: [stream.id, other.id] });

  const { data: deliveries } = await call('list_webhook_deliveries', { id: webhook.id });
  await call('redeliver_webhook', { id: webhook.id, deliveryID: deliveries[0].id });
  await call('test_webhook', { id: webhook.id });
  await call('rotate_webhook_secret', { id: webhook.id });
  await call('get_webhook', { id: webhook.id });
  await call('list_webhooks');

  await call('get_billing_overview');
  await call('list_invoices');
  await call('get_usage_analytics', { granularity: 'month' });
  await call('list_stream_usage', {});
  await call('create_top_up', { amountCents: 500 });
  const { data: currencies } = await call('list_crypto_currencies');
  await call('get_crypto_deposit_address', { id: currencies[0].id });
  await call('list_crypto_deposits');

  await call('delete_source', { id: source.id });
  await call('delete_webhook', { id: webhook.id });
  await call('delete_managed_settings', { id: settings.id });
  await call('delete_connection', { id: connection.id });
  await call('delete_playlist', { id: target.id });
  await call('delete_collection', { id: collection.id });
  expect(await call('delete_stream', { id: other.id })).toEqual({});
  await call('delete_upload', { id: imported.id });
  const spare = await call('create_destination', { name: 'spare', rtmpURL: 'rtmp://127.0.0.1/live', streamKey: 'key' });
  await call('delete_destination', { id: spare.id });
  await call('restore_destination', { id: spare.id });
  return [...called];
}
