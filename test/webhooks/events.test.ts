// Webhooks receive every event that has happened, in order and in the declared form, and no other.
import { beforeEach, expect, it } from 'vitest';
import { databaseOn } from '../../lambda/data/database.ts';
import { webhookPayload } from '../../lambda/operations/sent-events.ts';
import { webhookEvents, webhookEventTypes } from '../../lambda/operations/webhook-events.ts';
import { applyStableSession, endSession } from '../../lambda/orchestration/live/takeovers.ts';
import { recoverReplicas } from '../../lambda/orchestration/fleet/recover-replicas.ts';
import { createSealer } from '../../lambda/ports/sealer/sealer.ts';
import { actorsOn } from '../support/actors.ts';
import { passSeconds } from '../support/incidents.ts';
import { liveIngestOn } from '../support/live-ingest-role.ts';
import { pretendPrepared, pretendReceived } from '../support/live-inputs.ts';
import { testDataKey, testService } from '../support/service.ts';
import { clearEvents, eventIDs } from '../support/webhook-deliveries.ts';
import { startReceiver } from './receiver.ts';
import type { Payload } from './receiver.ts';
import { testSender } from './sender.ts';

const service = testService();
const ingest = liveIngestOn(service);
const {
  activeStream,
  call,
  create,
  fallDue,
  fire,
  loseLease,
  readyStream,
  register,
  report,
  transaction,
  unprobed,
  upload,
  user,
} = actorsOn(service);
const sender = () => testSender(service.pool(), createSealer([testDataKey]));
const webhook = async (url: string, events: readonly string[] = webhookEventTypes) =>
  (await call('POST', '/webhooks', { url, events })).body as { id: string; secret: string };

beforeEach(() => clearEvents(service));

it('every transition of a stream and every change of its replicas is told in order, and signed', async () => {
  await using receiver = await startReceiver();
  const { secret } = await webhook(receiver.url, ['stream.state_changed', 'replica.connected', 'replica.lost']);
  await register('agent');
  const { id, held } = await activeStream('agent');
  await report(held[0]!, 'failing', { reason: { code: 'connection_reset', detail: 'x' } });
  await report(held[0]!, 'live');
  await call('POST', `/streams/${id}/stop`);
  await report(held[0]!, 'ended');
  await sender().work();

  const told = receiver.verified(secret);
  const inShort = ({ type, data }: Payload) =>
    type === 'stream.state_changed' ? `${data['from']} → ${data['to']}` : type;
  expect(told.map(inShort)).toEqual([
    'draft → activating',
    'replica.connected',
    'activating → active',
    'replica.lost',
    'active → failing',
    'replica.connected',
    'failing → active',
    'active → stopping',
    'stopping → stopped',
  ]);
  const sequences = told.map(({ sequence }) => sequence);
  expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
  expect(told[4]!.data).toEqual({
    streamID: id,
    streamStateID: expect.any(String),
    from: 'active',
    to: 'failing',
    cause: 'media_interrupted',
    reason: { code: 'connection_reset', detail: 'x' },
  });
  const { transitions } = (await call('GET', `/streams/${id}`)).body;
  const changes = told.filter(({ type }) => type === 'stream.state_changed');
  const transitionIDs = transitions.map((transition: { id: string }) => transition.id);
  expect(changes.map(({ data }) => data['streamStateID'])).toEqual(transitionIDs.toReversed());
});

it('every type of event is told in the form that the OpenAPI document says', async () => {
  await using receiver = await startReceiver();
  const { secret } = await webhook(receiver.url);
  const data = databaseOn(service.pool());
  await register('agent');
  const { id, held } = await activeStream('agent');
  await data.streams.anchor(id);
  await fallDue(id, 'item_start', 10);
  await fire();
  await report(held[0]!, 'live', { reason: { code: 'falling_behind', detail: 'x' } });
  await report(held[0]!, 'failing', { reason: { code: 'connection_reset', detail: 'x' } });
  const [good, bad] = [await unprobed(), await unprobed()];
  await data.uploads.recordFacts(good, {
    duration_seconds: 1.5,
    width: 1,
    height: 1,
    framerate: 1,
    video_codec: 'h264',
    audio_codec: null,
    dynamic_range: 'sdr',
  });
  await service.pool().query(`update uploads set content_hash = 'a content' where id = $1`, [good]);
  const progress = { share: 1, findings: [], measurements: null, toolSeconds: 1, isCompleted: true };
  const loudness = { integratedLUFS: -14, rangeLU: 3, truePeakDBTP: -1 };
  await data.inspections.advance((await data.inspections.claim())!, { ...progress, loudness });
  await data.uploads.recordFailure(bad, { code: 'not_media', detail: 'x' });
  const streamID = await create('/streams', {});
  const playlistID = await create('/playlists', { streamID, kind: 'video', mode: 'sequential' });
  const { draft } = (await data.playlists.findAny(playlistID))!;
  await data.playlists.finishPublish(playlistID, { ...draft, version: 1, publishedAt: new Date().toISOString() });
  await data.playlists.failPublish(playlistID, { code: 'playlist_not_playable', detail: 'x' });
  const credits = { creditsLeft: 12.5, creditsExhaustedAt: new Date() };
  const details = {
    credits_end_within_day: credits,
    credits_end_within_hour: credits,
    credits_exhausted: credits,
    streams_stopped_without_credits: { streamIDs: [streamID], streams: [{ id: streamID, name: null }] },
    payment_refunded: { invoiceID: 'inv_1', creditsTakenBack: 5 },
    payment_disputed: { invoiceID: 'inv_1', creditsTakenBack: 5 },
    channel_lost: { connectionID: 'con_1', platform: 'youtube', title: null },
    platform_disagrees: {
      streamID,
      streamName: 'Night radio',
      broadcastID: 'bct_1',
      platform: 'youtube',
      ingest: 'inactive',
      health: 'bad',
      issues: [{ type: 'bitrateLow', severity: 'error', detail: 'x' }],
    },
  } as const;
  for (const [kind, detail] of Object.entries(details)) {
    await data.notifications.add({
      userID: user().id,
      kind: kind as keyof typeof details,
      reference: 'x',
      detail,
      dueAt: new Date(),
    });
  }
  const { sources } = data;
  const url = 'https://example.org/feed.xml';
  await user().call('POST', '/sources', { kind: 'rss', url });
  const reason = { code: 'source_unreachable', detail: 'x' };
  const failed = { state: 'failing', reason, isFailed: true, found: null, nextScanMinutes: 0 } as const;
  await sources.endScan((await sources.claim(60))!, failed);
  await sources.endScan((await sources.claim(60))!, { ...failed, state: 'ok', reason: null, isFailed: false });
  await pretendPrepared(service, id);
  const input = await create('/live-inputs', { name: 'Studio', streamID: id, takes: 'always' });
  const session = await pretendReceived(service, input);
  await ingest.transaction(async (tx) => {
    const stream = (await tx.streams.lockAny(id))!;
    const found = (await tx.liveInputs.find(user().id, input))!;
    await applyStableSession(tx, stream, found, { id: 'tko_1', now: await tx.now() });
  });
  const now = await data.now();
  await ingest.transaction((tx) => endSession(tx, session, { reason: 'disconnected', stored: null, now }));
  await call('POST', `/streams/${id}/hand-back`);
  await sender().work();
  // The upload is confirmed as bad, and is then deleted.
  await passSeconds(service, 31);
  await sender().work();
  await call('DELETE', `/uploads/${bad}`);
  await sender().work();

  const told = receiver.verified(secret);
  for (const payload of told) {
    const event = webhookEvents.find(({ type }) => type === payload.type)!;
    // The parser throws if the form differs, and drops undeclared fields.
    expect(webhookPayload(event).parse(payload)).toEqual(payload);
  }
  expect(new Set(told.map(({ type }) => type))).toEqual(new Set(webhookEventTypes));
});

it('the death of an agent is told as a lost replica, without a reason', async () => {
  await using receiver = await startReceiver();
  const { secret } = await webhook(receiver.url, ['replica.lost']);
  await register('agent');
  const { id } = await activeStream('agent');
  await loseLease('agent');
  await recoverReplicas(service.pool());
  await sender().work();
  expect(receiver.verified(secret).map(({ data }) => data)).toEqual([{ streamID: id, role: 'primary', reason: null }]);
});

it('nothing is told that was undone, that another user did, or that the webhook did not ask for', async () => {
  await using receiver = await startReceiver();
  await webhook(receiver.url, ['stream.state_changed']);
  const id = await readyStream();
  const failed = transaction(async (data) => {
    await data.streamMoves.move((await data.streams.lockAny(id))!, 'start');
    throw new Error('undone');
  });
  await expect(failed).rejects.toThrow('undone');
  const other = await service.user();
  const { body } = await other.call('POST', '/streams', {});
  await other.call('POST', `/streams/${body.id}/schedule`, { scheduleStartAt: '9999-01-01T00:00:00Z' });
  await upload();
  await sender().work();
  expect(receiver.received).toEqual([]);
  expect(await eventIDs(service)).toEqual([]);
});

it('every event is told once, however many streams move at once while webhooks come and go', async () => {
  await using receiver = await startReceiver();
  await using elsewhere = await startReceiver();
  const { secret } = await webhook(receiver.url, ['stream.state_changed']);
  const streams = await Promise.all(Array.from({ length: 30 }, () => create('/streams', {})));
  const move = (id: string) => call('POST', `/streams/${id}/schedule`, { scheduleStartAt: '9999-01-01T00:00:00Z' });
  const comeAndGo = async () => call('DELETE', `/webhooks/${(await webhook(elsewhere.url)).id}`);
  const answers = await Promise.all([...streams.map(move), ...Array.from({ length: 10 }, comeAndGo)]);
  expect(answers.filter(({ status }) => status >= 300)).toEqual([]);
  await Promise.all([sender().work(), sender().work(), sender().work()]);
  const told = receiver.verified(secret);
  expect(new Set(told.map(({ data }) => data['streamID']))).toEqual(new Set(streams));
  expect(told).toHaveLength(30);
});
