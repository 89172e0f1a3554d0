// Every operation is called as a field, with its complete answer, and returns the answer of REST.
import type { GraphQLObjectType, GraphQLOutputType } from 'graphql';
import { ensureSigningKey } from '../../../lambda/auth/signing-keys.ts';
import { getNamedType, isListType, isNonNullType, isObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { operations } from '../../../lambda/operations/index.ts';
import { relations } from '../../../lambda/operations/relations.ts';
import { buildSchema } from '../../../lambda/surfaces/graphql/schema.ts';
import { graphqlOn } from '../../support/graphql.ts';
import { finishFrames } from '../../support/frames.ts';
import { pretendPrepared, pretendReceived } from '../../support/live-inputs.ts';
import { storeIncident } from '../../support/incidents.ts';
import { pretendProbed, testService } from '../../support/service.ts';
import { nameContent } from '../../support/stored-uploads.ts';
import type { TestUser } from '../../support/service.ts';
import { pretendPublished } from '../../support/stored-playlists.ts';
import { pretendOnAir } from '../../support/stored-streams.ts';

const service = testService();
const { ask } = graphqlOn(service);
const { schema } = buildSchema(operations);
const offered = operations.filter(({ isForGuests }) => isForGuests !== true);
let user: TestUser;
const called = new Set<string>();
beforeAll(async () => {
  user = await service.user();
});

const rootOf = (id: string) =>
  ['query', 'mutation'].map((name) => schema.getRootType(name as 'query')!).find((type) => id in type.getFields())!;
const ownFields = (type: GraphQLObjectType) =>
  Object.values(type.getFields()).filter(
    ({ name }) => !relations.some(({ from, field }) => from === type.name && field === name),
  );

const withEverything = ({ name, type }: { name: string; type: GraphQLOutputType }) => `${name} ${everythingOf(type)}`;

/** The selection of everything below a type that does not lead to another resource. */
function everythingOf(type: GraphQLOutputType): string {
  const named = getNamedType(type);
  return isObjectType(named) ? `{ ${ownFields(named).map(withEverything).join(' ')} }` : '';
}

/** An answer of REST as GraphQL shows it: omitted fields are null, and pages are connections. */
function asShown(type: GraphQLOutputType, value: unknown): unknown {
  if (isNonNullType(type)) return asShown(type.ofType, value);
  if (value === undefined || value === null) return null;
  if (isListType(type)) return (value as unknown[]).map((member) => asShown(type.ofType, member));
  if (!isObjectType(type)) return value;
  const object = value as Record<string, unknown>;
  if (type.name.endsWith('Connection')) {
    const { data, page } = object as { data: unknown[]; page: { hasMore: boolean; nextCursor: string } };
    const { nodes } = type.getFields();
    const shown = asShown(nodes!.type, data) as unknown[];
    const edges = shown.map((node, index) => ({
      node,
      cursor: page.hasMore && index === shown.length - 1 ? page.nextCursor : null,
    }));
    return { nodes: shown, edges, pageInfo: { hasNextPage: page.hasMore, endCursor: page.nextCursor || null } };
  }
  return Object.fromEntries(ownFields(type).map((field) => [field.name, asShown(field.type, object[field.name])]));
}

/** Calls an operation with variables of the types of its arguments. */
async function call(id: string, args: Record<string, unknown> = {}) {
  called.add(id);
  const root = rootOf(id);
  const field = root.getFields()[id]!;
  const given = field.args.filter(({ name }) => name in args);
  const declared = given.map(({ name, type }) => `$${name}: ${String(type)}`).join(', ');
  const passed = given.map(({ name }) => `${name}: $${name}`).join(', ');
  const inParentheses = (list: string) => (list === '' ? '' : `(${list})`);
  const selection = `${id}${inParentheses(passed)} ${everythingOf(field.type)}`;
  const query = `${root.name.toLowerCase()}${inParentheses(declared)} { ${selection} }`;
  const { body } = await ask(user, query, args);
  expect(body.errors).toBeUndefined();
  return body.data[id];
}

/** Calls an operation, and compares its answer with that of REST at a path. */
async function callAs(
  path: string | ((answer: { id: string }) => string),
  id: string,
  args: Record<string, unknown> = {},
) {
  const answer = await call(id, args);
  const { status, body } = await user.call('GET', typeof path === 'string' ? path : path(answer));
  expect(status).toBe(200);
  expect(answer).toEqual(asShown(rootOf(id).getFields()[id]!.type, body));
  return answer;
}

const made = {
  webhook: '',
  channel: '',
  source: '',
  connection: '',
  settings: '',
  upload: '',
  imported: '',
  destination: '',
  stream: '',
  other: '',
  playlist: '',
  target: '',
  collection: '',
  programme: '',
};

describe('webhooks', () => {
  it('are created, updated and read', async () => {
    const { secret, ...webhook } = await call('createWebhook', {
      url: 'https://hooks.example.org/streams',
      events: ['stream.state_changed', 'credits.low'],
    });
    expect(secret).toMatch(/^whsec_/);
    made.webhook = webhook.id;
    expect(await callAs(`/webhooks/${webhook.id}`, 'getWebhook', { id: webhook.id })).toEqual(webhook);
    expect(
      await callAs(`/webhooks/${webhook.id}`, 'updateWebhook', { id: webhook.id, events: ['stream.state_changed'] }),
    ).toMatchObject({ events: ['stream.state_changed'] });
    await callAs('/webhooks', 'listWebhooks');
  });
});

describe('alerts', () => {
  it('have channels that are created, updated, tested and read, and incidents', async () => {
    const channel = await callAs((answer) => `/alert-channels/${answer.id}`, 'createAlertChannel', {
      name: 'Night shift',
      kind: 'discord',
      target: 'https://discord.com/api/webhooks/1/secret',
      events: ['stream_away'],
      quietHours: { from: '22:00', to: '07:00', timeZone: 'Europe/Paris' },
    });
    const { id } = channel;
    made.channel = id;
    expect(channel).toMatchObject({ target: 'discord.com', afterSeconds: 30 });
    await callAs(`/alert-channels/${id}`, 'getAlertChannel', { id });
    await callAs(`/alert-channels/${id}`, 'updateAlertChannel', { id, quietHours: null });
    await callAs('/alert-channels', 'listAlertChannels');
    await callAs(`/alert-channels/${id}`, 'testAlertChannel', { id });
    const incident = await storeIncident(service, user.id, 'stream_away');
    await callAs(`/incidents/${incident}`, 'getIncident', { id: incident });
    await callAs('/incidents?open=true', 'listIncidents', { open: true });
  });
});

describe('sources', () => {
  it('are created, updated, looked at and read', async () => {
    const source = await callAs((answer) => `/sources/${answer.id}`, 'createSource', {
      kind: 'webdav',
      url: 'https://cloud.example.org/videos/',
      folder: 'Cloud',
      credentials: { username: 'ada', password: 'a password of tests' },
      everyMinutes: 10,
    });
    made.source = source.id;
    const { id } = source;
    expect(await callAs(`/sources/${id}`, 'getSource', { id })).toMatchObject({ hasCredentials: true, state: 'ok' });
    expect(await callAs(`/sources/${id}`, 'updateSource', { id, credentials: null, everyMinutes: 60 })).toMatchObject({
      hasCredentials: false,
      everyMinutes: 60,
    });
    await callAs(`/sources/${id}`, 'scanSource', { id });
    await callAs('/sources', 'listSources');
  });
});

describe('connections and managed settings', () => {
  it('are created, updated and read', async () => {
    const { authorizeURL, expiresAt, ...connection } = await call('createConnection', { platform: 'youtube' });
    expect([authorizeURL, expiresAt]).toEqual([expect.stringMatching(/^http/), expect.stringMatching(/Z$/)]);
    made.connection = connection.id;
    const { id } = connection;
    expect(await callAs(`/connections/${id}`, 'getConnection', { id })).toEqual(connection);
    expect(await call('reauthoriseConnection', { id })).toMatchObject(connection);
    await callAs('/connections', 'listConnections');
    const settings = await callAs((answer) => `/managed-settings/${answer.id}`, 'createManagedSettings', {
      connectionID: id,
      name: 'radio',
      titleTemplate: 'Night radio, {date}',
      privacy: 'unlisted',
      madeForKids: false,
    });
    made.settings = settings.id;
    const path = `/managed-settings/${settings.id}`;
    expect(await callAs(path, 'updateManagedSettings', { id: settings.id, dvr: false })).toMatchObject({ dvr: false });
    await callAs(path, 'getManagedSettings', { id: settings.id });
    await callAs('/managed-settings', 'listManagedSettings');
  });
});

describe('uploads', () => {
  it('are created, sent, completed, imported and read', async () => {
    made.upload = (
      await callAs(({ id }) => `/uploads/${id}`, 'createUpload', {
        name: 'clip.mp4',
        mimeType: 'video/mp4',
        fileSize: 5,
        type: 'video',
      })
    ).id;
    const { url, method, headers } = await call('createUploadUrl', { id: made.upload });
    expect([url, method, headers['content-type'] ?? headers['Content-Type']]).toEqual([
      expect.stringMatching(/^http/),
      'PUT',
      'video/mp4',
    ]);
    await pretendProbed(service, made.upload);
    await callAs(`/uploads/${made.upload}`, 'completeUpload', { id: made.upload });
    await pretendProbed(service, made.upload);
    await nameContent(service, made.upload);
    await callAs(({ id }) => `/uploads/${id}`, 'createClip', { id: made.upload, fromSeconds: 1, untilSeconds: 5.5 });
    made.imported = (
      await callAs(({ id }) => `/uploads/${id}`, 'importUpload', { url: 'http://127.0.0.1:9/clip.mp4', name: 'clip' })
    ).id;
    await callAs(`/uploads/${made.imported}`, 'getUpload', { id: made.imported });
    await callAs(`/uploads/${made.imported}`, 'updateUpload', { id: made.imported, folder: 'Music', tags: ['jazz'] });
    const operations = [
      { rename: { uploadID: made.imported, name: 'song' } },
      { moveFolder: { folder: 'Music', to: '' } },
    ];
    expect(await call('applyUploadOperations', { operations })).toMatchObject({ changed: 2, deleted: 0 });
    await callAs('/uploads?limit=1', 'listUploads', { first: 1 });
    await callAs('/uploads/folders', 'listUploadFolders');
    await callAs(`/uploads/${made.upload}`, 'retryUpload', { id: made.upload });
    expect(await call('createDownloadUrl', { id: made.upload })).toMatchObject({ method: 'GET' });
    const film = { name: 'film.mp4', mimeType: 'video/mp4', fileSize: 5, multipart: true };
    const { id } = await callAs((upload) => `/uploads/${upload.id}`, 'createUpload', film);
    expect((await call('createUploadPartUrls', { id, partNumbers: [1] })).parts).toMatchObject([{ partNumber: 1 }]);
    await callAs(`/uploads/${id}/parts`, 'listUploadParts', { id });
  });
});

describe('destinations', () => {
  it('are created, updated and read', async () => {
    const fields = {
      name: 'ingest',
      rtmpURL: 'rtmp://127.0.0.1/live',
      streamKey: 'a-stream-key',
      backupRtmpURL: 'rtmp://127.0.0.1/backup',
    };
    made.destination = (await callAs(({ id }) => `/destinations/${id}`, 'createDestination', fields)).id;
    const updated = await callAs(`/destinations/${made.destination}`, 'updateDestination', {
      id: made.destination,
      backupRtmpURL: null,
    });
    expect(updated).toMatchObject({ name: 'ingest', backupRtmpURL: null });
    await callAs(`/destinations/${made.destination}`, 'getDestination', { id: made.destination });
    await callAs('/destinations?archived=false', 'listDestinations', { archived: false });
    expect(await call('checkDestination', { id: made.destination })).toMatchObject({ state: 'pending', feeds: [] });
    await callAs(`/destinations/${made.destination}`, 'getDestination', { id: made.destination });
  });
});

describe('playlists', () => {
  it('are created, edited, copied, published and read', async () => {
    made.stream = (
      await callAs(({ id }) => `/streams/${id}`, 'createStream', {
        name: 'loop',
        destinationID: made.destination,
        quality: 'q_720p',
      })
    ).id;
    made.other = (await call('createStream')).id;
    made.playlist = (
      await callAs(({ id }) => `/playlists/${id}`, 'createPlaylist', {
        streamID: made.stream,
        kind: 'video',
        mode: 'sequential',
        name: 'p',
      })
    ).id;
    made.target = (await call('createPlaylist', { streamID: made.other, kind: 'video', mode: 'shuffle' })).id;
    const edits = [
      { add: { uploadID: made.upload, itemID: 'a' } },
      { add: { uploadID: made.imported, itemID: 'b', index: 0 } },
      { move: { itemID: 'a', index: 0 } },
      { replace: { itemID: 'b', uploadID: made.upload } },
      { setMode: { mode: 'shuffle' } },
    ];
    const edited = await callAs(`/playlists/${made.playlist}`, 'applyPlaylistOperations', {
      id: made.playlist,
      operations: edits,
      expectedVersion: 1,
    });
    expect(edited).toMatchObject({
      version: 2,
      draft: {
        mode: 'shuffle',
        items: [
          { id: 'a', uploadID: made.upload },
          { id: 'b', uploadID: made.upload },
        ],
      },
    });
    const removed = await call('applyPlaylistOperations', {
      id: made.playlist,
      operations: [{ remove: { itemID: 'b' } }],
    });
    expect(removed.draft.items).toHaveLength(1);
    const cleared = await call('applyPlaylistOperations', {
      id: made.target,
      operations: [{ add: { uploadID: made.upload } }, { clear: true }],
    });
    expect(cleared.draft.items).toEqual([]);
    await callAs(`/playlists/${made.target}`, 'copyPlaylist', { id: made.playlist, targetPlaylistID: made.target });
    await callAs(`/playlists/${made.playlist}`, 'publishPlaylist', { id: made.playlist });
    await callAs(`/playlists/${made.playlist}`, 'updatePlaylist', { id: made.playlist, name: 'q' });
    await callAs(`/playlists/${made.playlist}`, 'getPlaylist', { id: made.playlist });
    await pretendPublished(service, made.playlist);
    await callAs(`/playlists/${made.playlist}`, 'discardPlaylistDraft', { id: made.playlist });
    await callAs(`/playlists?streamID=${made.stream}`, 'listPlaylists', { streamID: made.stream });
  });
});

describe('collections', () => {
  it('are created, changed and read, with their uploads', async () => {
    made.collection = (
      await callAs(({ id }) => `/collections/${id}`, 'createCollection', {
        name: 'Jazz',
        kind: 'video',
        source: { anyTags: ['jazz'], noTags: ['late'] },
        order: 'series',
        groupBy: 'tag:series:',
      })
    ).id;
    const id = made.collection;
    expect(
      await callAs(`/collections/${id}`, 'updateCollection', { id, source: { uploadIDs: [made.upload] } }),
    ).toMatchObject({ count: 1, groupBy: 'tag:series:', source: { uploadIDs: [made.upload], anyTags: null } });
    await callAs(`/collections/${id}`, 'getCollection', { id });
    await callAs('/collections', 'listCollections');
    await callAs(`/collections/${id}/uploads`, 'listCollectionUploads', { id });
  });
});

describe('programmes', () => {
  it('are created, changed, read, published, reverted and simulated', async () => {
    const zone = { streamID: made.stream, timeZone: 'Europe/Berlin' };
    made.programme = (await callAs(({ id }) => `/programmes/${id}`, 'createProgramme', zone)).id;
    const id = made.programme;
    const steps = [{ id: 'jazz', collectionID: made.collection }];
    const blocks = [{ id: 'music', name: 'Music', steps }];
    const inserts = [{ id: 'jingle', name: 'Jingle', uploadID: made.upload, atMinutes: [0] }];
    const separation = [{ by: 'artist', items: 2 }];
    expect(await callAs(`/programmes/${id}`, 'updateProgramme', { id, blocks, inserts, separation })).toMatchObject({
      version: 2,
    });
    await callAs(`/programmes/${id}`, 'getProgramme', { id });
    await callAs('/programmes', 'listProgrammes');
    const at = { from: '2026-06-01T00:00:00.000Z', days: 1 };
    await callAs(`/programmes/${id}`, 'publishProgramme', { id });
    await callAs(`/programmes/${id}/versions`, 'listProgrammeVersions', { id });
    await callAs(`/programmes/${id}`, 'revertProgramme', { id, version: 2 });
    await call('compareProgramme', { id, hours: 1 });
    const queued = await call('queueItem', { id, uploadID: made.upload });
    await callAs(`/programmes/${id}/queue`, 'listQueuedItems', { id });
    await call('removeQueuedItem', { id, queuedItemID: queued.id });
    await callAs(`/programmes/${id}/simulation?from=${at.from}&days=1`, 'simulateProgramme', { id, ...at });
  });
});

describe('streams', () => {
  it('are updated, scheduled, started, stopped and read', async () => {
    const { stream: id } = made;
    expect(
      await callAs(`/streams/${id}`, 'updateStream', { id, framerate: 'f_30', streamDuration: 0, name: null }),
    ).toMatchObject({ framerate: 'f_30', name: null });
    expect((await callAs(`/streams/${id}/readiness`, 'getStreamReadiness', { id })).ready).toBe(true);
    const recurrence = { rule: 'FREQ=DAILY', timeZone: 'Europe/Paris' };
    const scheduled = await callAs(`/streams/${id}`, 'scheduleStream', {
      id,
      scheduleStartAt: '2999-01-01T00:00:00+01:00',
      scheduleEndAt: '2999-01-01T01:00:00Z',
      recurrence,
    });
    expect(scheduled).toMatchObject({ state: 'scheduled', scheduleStartAt: '2998-12-31T23:00:00.000Z', recurrence });
    const frame = call('getStreamFrame', { id, at: '2999-01-01T00:00:01+01:00' });
    await vi.waitUntil(() => finishFrames(service, 'ready'), { timeout: 20_000 });
    expect((await frame).url).toContain('/objects/');
    await callAs(`/streams/${id}`, 'skipOccurrence', { id, startAt: '2999-01-01T23:00:00Z' });
    const asked = { scheduleStartAt: '2998-12-31T23:00:00Z', rule: 'FREQ=DAILY', timeZone: 'Europe/Paris' };
    await callAs(`/schedule/preview?${String(new URLSearchParams(asked))}`, 'previewRecurrence', asked);
    const weeks = { from: '2998-12-31T00:00:00Z', to: '2999-01-14T00:00:00Z' };
    const { data } = await callAs(`/schedule/occurrences?from=${weeks.from}&to=${weeks.to}`, 'listOccurrences', weeks);
    expect(data).toHaveLength(14);
    expect((await callAs(`/streams/${id}`, 'cancelStreamSchedule', { id })).state).toBe('draft');
    expect((await callAs(`/streams/${id}`, 'startStream', { id })).state).toBe('activating');
    await call('getStreamStats', { id });
    await pretendOnAir(service, id);
    expect(await call('createStreamPreview', { id })).toMatchObject({ posterURL: expect.stringMatching(/now\.jpg$/) });
    expect(await call('previewStreamLook', { id, look: {} })).toMatchObject({ url: null });
    await callAs(`/streams/${id}`, 'stopStream', { id });
    await callAs(`/streams/${id}/stats`, 'getStreamStats', { id });
    await callAs(`/streams/${id}/stats/history?resolution=1h`, 'getStreamStatsHistory', { id, resolution: '1h' });
    await callAs(`/streams/${id}`, 'getStream', { id });
    await callAs(`/streams?ids=${id}&ids=${made.other}`, 'listStreams', { ids: [id, made.other] });
    await callAs('/streams?limit=1', 'listStreams', { first: 1 });
    await callAs(`/streams/${id}/timeline`, 'getStreamTimeline', { id });
    await ensureSigningKey(service.pool(), service.service().sealer, new Date());
    const [day] = new Date().toISOString().split('T');
    await call('getStreamProof', { id, day });
    const { id: destinationID } = await call('createDestination', {
      name: 'Second',
      url: 'rtmp://127.0.0.1/second',
      streamKey: 'second-key',
    });
    const output = await call('createStreamOutput', { id, destinationID });
    const named = { id, outputID: output.id };
    expect(await call('updateStreamOutput', { ...named, enabled: false })).toMatchObject({ enabled: false });
    await callAs(`/streams/${id}/outputs/${output.id}`, 'getStreamOutput', named);
    await callAs(`/streams/${id}/outputs`, 'listStreamOutputs', { id });
    await call('deleteStreamOutput', named);
    await call('createGuideLink', { id });
    await call('updateGuideLink', { id, requests: null });
    await callAs(`/streams/${id}/guide-link`, 'getGuideLink', { id });
    await call('deleteGuideLink', { id });
    await callAs(`/streams/${id}/transitions`, 'listStreamTransitions', { id });
    await callAs(`/streams/${id}/broadcasts`, 'listStreamBroadcasts', { id });
    await callAs('/streams?state=stopped', 'listStreams', { state: 'stopped' });
    await callAs('/streams?q=a&needsAttention=true&sort=name', 'listStreams', {
      q: 'a',
      needsAttention: true,
      sort: 'name',
    });
    await callAs('/streams/count', 'countStreams');
    await callAs(({ id: copy }) => `/streams/${copy}`, 'duplicateStream', { id, name: 'Like it' });
    await call('startStream', { id });
    await callAs(`/streams/${id}`, 'retryStream', { id });
    const setState = `update streams set state = $2, anchored_at = now() where id = $1`;
    await service.pool().query(setState, [id, 'active']);
    const [, next] = (await call('getStreamTimeline', { id, first: 2 })).nodes;
    await call('skipItem', { id, startAt: next.startAt, uploadID: next.uploadID });
    await service.pool().query('update streams set planned_tracks = null where id = $1', [id]);
    expect((await call('playNext', { id, uploadID: next.uploadID })).startsAt).toEqual(expect.any(String));
    const studio = { name: 'Studio', streamID: id, allow: ['203.0.113.0/24'] };
    const { key, ...input } = await call('createLiveInput', studio);
    expect(key).toMatch(/^live_/);
    const ofInput = { id: input.id };
    expect(await callAs(`/live-inputs/${input.id}`, 'getLiveInput', ofInput)).toEqual(input);
    await callAs(`/live-inputs/${input.id}`, 'updateLiveInput', { ...ofInput, takes: 'always' });
    expect((await call('rotateLiveInputKey', ofInput)).key).not.toBe(key);
    expect((await call('rotateLiveInputPassphrase', ofInput)).passphrase).toMatch(/^.{32}$/);
    expect(await call('deleteLiveInputPassphrase', ofInput)).toBe(true);
    await pretendReceived(service, input.id);
    await pretendPrepared(service, id);
    const { data: inputs } = await callAs(`/live-inputs?streamID=${id}`, 'listLiveInputs', { streamID: id });
    expect(inputs).toMatchObject([{ state: 'ready', session: { receivedSeconds: 20 } }]);
    await call('takeOverStream', { id, liveInputID: input.id });
    await callAs(`/streams/${id}/takeover`, 'getStreamTakeover', { id });
    const { data: sessions } = await callAs(`/live-inputs/${input.id}/sessions`, 'listLiveSessions', ofInput);
    expect(sessions).toMatchObject([{ receivedSeconds: 20, recordings: [] }]);
    await call('handBackStream', { id });
    expect(await call('deleteLiveInput', ofInput)).toBe(true);
    await service.pool().query(setState, [id, 'activating']);
    await call('stopStream', { id });
  });
});

describe('deliveries of webhooks', () => {
  it('are read, and asked for again', async () => {
    const { nodes } = await callAs(
      `/webhooks/${made.webhook}/deliveries?limit=2&state=pending`,
      'listWebhookDeliveries',
      { id: made.webhook, first: 2, state: 'pending' },
    );
    expect(nodes[0]).toMatchObject({ eventType: 'stream.state_changed', state: 'pending' });
    expect(await call('testWebhook', { id: made.webhook })).toMatchObject({ eventType: 'webhook.test' });
    expect((await call('rotateWebhookSecret', { id: made.webhook })).secret).toMatch(/^whsec_/);
    const again = await call('redeliverWebhook', { id: made.webhook, deliveryID: nodes[0].id });
    expect(again).toMatchObject({ id: nodes[0].id, eventID: nodes[0].eventID, state: 'pending' });
  });
});

describe('account, service, billing and crypto', () => {
  it('are read', async () => {
    await callAs('/me', 'getMe');
    expect(await call('getStatus')).toMatchObject({ status: 'ok', checks: { queue: { status: 'ok' } } });
    await callAs('/openapi.json', 'getOpenapi');
    expect(await call('listChanges')).toMatchObject({ reset: true, changed: [] });
    await callAs('/billing/overview', 'getBillingOverview');
    await callAs('/billing/invoices', 'listInvoices');
    await callAs('/prices', 'listPrices');
    await callAs('/crypto/deposits', 'listCryptoDeposits');
    await callAs('/notifications', 'listNotifications');
    await call('markNotificationsRead', {});
    const range = { from: '2026-01-01T00:00:00Z', to: '2026-03-01T00:00:00Z' };
    const usage = await callAs(
      `/billing/usage?from=${range.from}&to=${range.to}&granularity=month&timeZone=Europe/Paris`,
      'getUsageAnalytics',
      { ...range, granularity: 'month', timeZone: 'Europe/Paris' },
    );
    expect(usage.data).toHaveLength(3);
    await callAs('/billing/usage/streams', 'listStreamUsage');
    expect(await call('createTopUp', { amountCents: 500 })).toMatchObject({
      amountCents: 500,
      credits: 500,
      checkoutURL: expect.stringMatching(/^http/),
    });
    // rateAt is relative to now: this answer cannot be compared with another.
    const [currency] = await call('listCryptoCurrencies');
    expect(currency).toMatchObject({
      id: expect.any(String),
      decimals: expect.any(Number),
      rateAt: expect.stringMatching(/Z$/),
    });
    await callAs(`/crypto/currencies/${encodeURIComponent(currency.id)}/deposit-address`, 'getCryptoDepositAddress', {
      id: currency.id,
    });
  });
});

describe('deletions', () => {
  it.each([
    ['deleteWebhook', () => made.webhook, 'webhooks'],
    ['deleteAlertChannel', () => made.channel, 'alert-channels'],
    ['deleteSource', () => made.source, 'sources'],
    ['deleteManagedSettings', () => made.settings, 'managed-settings'],
    ['deleteConnection', () => made.connection, 'connections'],
    ['deletePlaylist', () => made.target, 'playlists'],
    ['deleteProgramme', () => made.programme, 'programmes'],
    ['deleteCollection', () => made.collection, 'collections'],
    ['deleteStream', () => made.other, 'streams'],
    ['deleteUpload', () => made.imported, 'uploads'],
  ] as const)('%s answers true, and it is gone', async (id, idOf, resource) => {
    expect(await call(id, { id: idOf() })).toBe(true);
    expect((await user.call('GET', `/${resource}/${idOf()}`)).status).toBe(404);
  });

  it('deleteDestination answers true, and it is archived', async () => {
    const { body: spare } = await user.call('POST', '/destinations', {
      name: 'spare',
      rtmpURL: 'rtmp://127.0.0.1/live',
      streamKey: 'another-key',
    });
    expect(await call('deleteDestination', { id: spare.id })).toBe(true);
    expect((await callAs(`/destinations/${spare.id}`, 'getDestination', { id: spare.id })).archivedAt).not.toBeNull();
    await callAs(`/destinations/${spare.id}`, 'restoreDestination', { id: spare.id });
  });
});

afterAll(() => {
  // A new operation in the catalogue needs a call here.
  expect([...called].toSorted()).toEqual(offered.map(({ id }) => id).toSorted());
});
