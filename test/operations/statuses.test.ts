// Every operation on streams, uploads, playlists, destinations and webhooks can return each code that it declares.
import { ensureSigningKey } from '../../lambda/auth/signing-keys.ts';
import { describe, expect, it, vi } from 'vitest';
import { databaseOn } from '../../lambda/data/database.ts';
import type { LimitName } from '../../lambda/domain/shared/limits.ts';
import { operations } from '../../lambda/operations/index.ts';
import { toolName } from '../../lambda/operations/operation.ts';
import { problemCodes } from '../../lambda/operations/problem-kinds.ts';
import type { ProblemCode } from '../../lambda/operations/problem-codes.ts';
import { actorsOn, inFuture } from '../support/actors.ts';
import { finishFrames } from '../support/frames.ts';
import { pretendPrepared, pretendReceived } from '../support/live-inputs.ts';
import { storeIncident } from '../support/incidents.ts';
import { testService } from '../support/service.ts';
import type { Answer } from '../support/service.ts';
import { pretendPublished } from '../support/stored-playlists.ts';
import { pretendFailed, pretendOnAir } from '../support/stored-streams.ts';
import { failImport, failProbe, nameContent, objectKeyOf } from '../support/stored-uploads.ts';

const service = testService();
const { activeStream, call, destination, readyStream, register, startedStream, unprobed, upload, user } =
  actorsOn(service);

type Outcome = ProblemCode | 'done';
type Scenarios = Partial<Record<Outcome, () => Promise<Answer>>>;

const past = '2020-01-01T00:00:00Z';
const soon = { scheduleStartAt: inFuture(3600) };

const emptyStream = async () => (await call('POST', '/streams', {})).body.id as string;
const newPlaylistAnswer = async (streamID?: string) =>
  call('POST', '/playlists', { streamID: streamID ?? (await emptyStream()), kind: 'video', mode: 'sequential' });
const newPlaylist = async (streamID?: string) => (await newPlaylistAnswer(streamID)).body.id as string;
const add = async (playlistID: string) =>
  call('POST', `/playlists/${playlistID}/operations`, { operations: [{ op: 'add', uploadID: await upload() }] });
const filledPlaylist = async (streamID?: string) => {
  const id = await newPlaylist(streamID);
  await add(id);
  return id;
};
const scheduledStream = async () => {
  const id = await readyStream();
  await call('POST', `/streams/${id}/schedule`, soon);
  return id;
};
const stoppingStream = async () => {
  await register('agent');
  const { id } = await activeStream('agent');
  await call('POST', `/streams/${id}/stop`);
  return id;
};
const failedStream = async () => {
  const id = await readyStream();
  await pretendFailed(service, id);
  return id;
};
/** An upload whose bytes have been sent, without the call that completes it. */
const sentUpload = async (bytes = 'media', more: object = {}) => {
  const { id } = (await call('POST', '/uploads', { name: 'clip', mimeType: 'video/mp4', ...more })).body;
  const objectKey = await objectKeyOf(service, id);
  await service.objects().write(objectKey, Buffer.from(bytes), { contentType: 'video/mp4' });
  return id as string;
};
/** An examined upload whose content has its name. */
const namedUpload = async () => {
  const id = await upload();
  await nameContent(service, id);
  return id;
};
/** A multipart upload without any part so far. */
const uploadInParts = async () =>
  (await call('POST', '/uploads', { name: 'clip', mimeType: 'video/mp4', fileSize: 5, multipart: true })).body
    .id as string;
/** An upload that a playlist holds. */
const heldUpload = async () => {
  const id = await upload();
  await call('POST', `/playlists/${await newPlaylist()}/operations`, { operations: [{ op: 'add', uploadID: id }] });
  return id;
};
/** A playlist that a live stream plays. */
const livePlaylist = async () => {
  const id = await readyStream({ videoUploadObjectID: null });
  const playlistID = await filledPlaylist(id);
  await call('POST', `/streams/${id}/start`);
  return playlistID;
};

/** A destination with a unique key. */
const otherDestination = async () =>
  (await call('POST', '/destinations', { ...newDestination, streamKey: `key-${Math.random()}` })).body.id as string;
const archivedDestination = async () => {
  const id = await destination();
  await call('DELETE', `/destinations/${id}`);
  return id;
};
const addOutput = async (stream: Promise<string>, destinationID?: string, more: object = {}) =>
  call('POST', `/streams/${await stream}/outputs`, {
    destinationID: destinationID ?? (await otherDestination()),
    ...more,
  });
/** Calls an operation on the first output of a stream. */
const onFirst = async (method: string, stream: Promise<string>, body?: object) => {
  const { id, outputs } = (await call('GET', `/streams/${await stream}`)).body;
  return call(method, `/streams/${id}/outputs/${outputs[0].id}`, body);
};
const patch = async (stream: Promise<string>, body: object) => call('PATCH', `/streams/${await stream}`, body);
const on = async (resource: string, id: Promise<string>, action = '', body?: object) =>
  call('POST', `/${resource}/${await id}/${action}`, body);
const get = async (resource: string, id: Promise<string>, rest = '') => call('GET', `/${resource}/${await id}${rest}`);
const remove = async (resource: string, id: Promise<string>, rest = '') =>
  call('DELETE', `/${resource}/${await id}${rest}`);
const list = (resource: string): Scenarios => ({
  done: () => call('GET', `/${resource}`),
  validation_failed: () => call('GET', `/${resource}?limit=0`),
  invalid_cursor: () => call('GET', `/${resource}?cursor=x`),
});

/** The answer to a call while an operator has set this limit of the user to zero. */
const without = async (limit: LimitName, called: () => Promise<Answer>) => {
  const { limits } = databaseOn(service.pool());
  await limits.override(user().id, limit, 0);
  const answer = await called();
  await limits.override(user().id, limit, null);
  return answer;
};

/** A service of a stage that receives no contributions. */
const withoutIngest = testService({ liveIngest: null });
const liveInputAnswer = async (streamID: Promise<string>) =>
  call('POST', '/live-inputs', { name: 'Studio', streamID: await streamID });
const liveInput = async () => (await liveInputAnswer(emptyStream())).body.id as string;
const emptyManifestStream = async () => {
  const id = await emptyStream();
  await service.pool().query(`update streams set stream_backend = 'manifest' where id = $1`, [id]);
  return id;
};
/** A stream on the air that can be taken over. */
const preparedStream = async () => {
  const id = await startedStream();
  await pretendPrepared(service, id);
  return id;
};
const preparedInput = async () => (await liveInputAnswer(preparedStream())).body.id as string;
/** Lets a new input take a stream over, which has received media for some seconds; null: it receives nothing. */
const takeOver = async (streamID: string, receivedSeconds: number | null) => {
  const { body: input } = await liveInputAnswer(Promise.resolve(streamID));
  if (receivedSeconds !== null) await pretendReceived(service, input.id, receivedSeconds);
  return call('POST', `/streams/${streamID}/takeovers`, { liveInputID: input.id });
};

const newDestination = { name: 'x', rtmpURL: 'rtmp://example.com/live', streamKey: 'k' };
const forbidden = 'rtmp://169.254.169.254/live';

const connection = async () => (await call('POST', '/connections', { platform: 'youtube' })).body.id as string;
const newSettings = async (connectionID = connection()) => ({
  connectionID: await connectionID,
  name: 'x',
  titleTemplate: 'Night radio, {date}',
  privacy: 'unlisted',
  madeForKids: false,
});
const settings = async (connectionID = connection()) =>
  (await call('POST', '/managed-settings', await newSettings(connectionID))).body.id as string;
/**
 * A live stream whose settings say that it is managed. No API call can start one yet, so its row is changed directly.
 */
const liveOnManaged = async (managedSettingsID: string) => {
  const id = await startedStream();
  await service
    .pool()
    .query(`update streams set stream_destination = 'managed', managed_settings_id = $2 where id = $1`, [
      id,
      managedSettingsID,
    ]);
};

const newCollection = { name: 'x', kind: 'video', source: { text: 'night' } };
const collection = async () => (await call('POST', '/collections', newCollection)).body.id as string;

const newProgramme = async () => ({ streamID: (await call('POST', '/streams', {})).body.id as string });
const programme = async () => (await call('POST', '/programmes', await newProgramme())).body.id as string;

/** The next row of a stream on the air, and the stream. */
const nextRow = async () => {
  const id = await startedStream();
  await service.pool().query(`update streams set state = 'active', anchored_at = now() where id = $1`, [id]);
  const [, { startAt, uploadID }] = (await call('GET', `/streams/${id}/timeline?limit=2`)).body.data;
  return { id, row: { startAt, uploadID } };
};

/** A programme that draws from an upload, and the upload. */
const playableProgramme = async () => {
  const id = await programme();
  const uploadID = await upload();
  const blocks = [{ id: 'all', name: 'All', steps: [{ id: 'one', uploadID }] }];
  await call('PATCH', `/programmes/${id}`, { blocks });
  return { id, uploadID };
};
const queuedItem = async () => {
  const programmeID = await programme();
  const { body } = await call('POST', `/programmes/${programmeID}/queue`, { uploadID: await upload() });
  return { programmeID, itemID: body.id as string };
};
const publishedProgramme = async () => {
  const made = await playableProgramme();
  await call('POST', `/programmes/${made.id}/publish`);
  return made;
};

/**
 * The path of requests to a live stream. Guests may ask for the uploads of this source; null: for none.
 */
const requestsPath = async (from: object | null = { folder: '' }) => {
  const { id, uploadID } = await playableProgramme();
  const { streamID } = (await call('GET', `/programmes/${id}`)).body;
  const destinationID = await destination();
  await call('PATCH', `/streams/${streamID}`, { videoUploadObjectID: uploadID, destinationID });
  await call('POST', `/programmes/${id}/publish`);
  await call('POST', `/streams/${streamID}/start`);
  const collectionID = from && (await call('POST', '/collections', { name: 'x', kind: 'video', source: from })).body.id;
  const requests = collectionID && { collectionID };
  const { requestsURL } = (await call('POST', `/streams/${streamID}/guide-link`, { requests })).body;
  return (requestsURL as string).slice(service.service().baseURL.length);
};

const newSource = { kind: 'rss', url: 'https://example.org/feed.xml' };
const source = async () => (await call('POST', '/sources', newSource)).body.id as string;

const newWebhook = { url: 'https://hooks.example.org/', events: ['stream.state_changed'] };
const webhook = async () => (await call('POST', '/webhooks', newWebhook)).body.id as string;
/** A webhook with a delivery in progress. */
const notifiedWebhook = async () => {
  const id = await webhook();
  await scheduledStream();
  return { id, deliveryID: (await call('GET', `/webhooks/${id}/deliveries`)).body.data[0].id as string };
};
const redeliver = (id: string, deliveryID: string) =>
  call('POST', `/webhooks/${id}/deliveries/${deliveryID}/redeliver`);
const newChannel = { name: 'x', kind: 'slack', target: 'https://hooks.slack.com/services/T0/B0/x' };
const alertChannel = async () => (await call('POST', '/alert-channels', newChannel)).body.id as string;
const incident = () => storeIncident(service, user().id, 'stream_away');
const forbiddenHook = 'https://169.254.169.254/';

const scenarios: Readonly<Record<string, Scenarios>> = {
  list_streams: list('streams'),
  count_streams: { done: () => call('GET', '/streams/count') },
  create_stream: {
    done: () => call('POST', '/streams', {}),
    validation_failed: () => call('POST', '/streams', { quality: 'best' }),
    schedule_in_past: () => call('POST', '/streams', { scheduleEndAt: past }),
    stream_live: async () => call('POST', '/streams', { playlistIDs: [await livePlaylist()] }),
    limit_reached: () => without('streams', () => call('POST', '/streams', {})),
  },
  get_stream: { done: () => get('streams', emptyStream()), not_found: () => call('GET', '/streams/nothing') },
  update_stream: {
    done: () => patch(emptyStream(), { name: 'x' }),
    not_found: () => call('PATCH', '/streams/nothing', { name: 'x' }),
    validation_failed: () => patch(emptyStream(), { destinationID: 'nothing' }),
    feature_disabled: () => patch(emptyStream(), { streamBackend: 'manifest' }),
    version_conflict: () => patch(startedStream(), { name: 'x', streamStateID: '0' }),
    stream_live: () => patch(startedStream(), { quality: 'q_720p' }),
    output_exists: async () => {
      const id = readyStream();
      const destinationID = await otherDestination();
      await addOutput(id, destinationID);
      return patch(id, { destinationID });
    },
    schedule_in_past: () => patch(emptyStream(), { scheduleStartAt: past }),
    stream_not_schedulable: () => patch(scheduledStream(), { scheduleStartAt: null }),
    not_managed: () => patch(emptyStream(), { retryMirror: true }),
    connection_needed: () => patch(emptyStream(), { streamDestination: 'managed', retryMirror: true }),
    stream_not_startable: () => patch(stoppingStream(), { status: 'ACTIVE' }),
    stream_not_ready: () => patch(emptyStream(), { status: 'ACTIVE' }),
    limit_reached: () => without('runningSlots', () => patch(readyStream(), { status: 'ACTIVE' })),
    stream_not_stoppable: () => patch(scheduledStream(), { status: 'INACTIVE' }),
  },
  delete_stream: {
    done: () => remove('streams', startedStream()),
    not_found: () => call('DELETE', '/streams/nothing'),
  },
  get_stream_readiness: {
    done: () => get('streams', emptyStream(), '/readiness'),
    not_found: () => call('GET', '/streams/nothing/readiness'),
  },
  start_stream: {
    done: () => on('streams', readyStream(), 'start'),
    not_found: () => call('POST', '/streams/nothing/start'),
    stream_not_startable: () => on('streams', stoppingStream(), 'start'),
    stream_not_ready: () => on('streams', emptyStream(), 'start'),
    limit_reached: () => without('runningSlots', () => on('streams', readyStream(), 'start')),
  },
  stop_stream: {
    done: () => on('streams', startedStream(), 'stop'),
    validation_failed: () => on('streams', startedStream(), 'stop', { endsRecurrence: 'no' }),
    not_found: () => call('POST', '/streams/nothing/stop'),
    stream_not_stoppable: () => on('streams', failedStream(), 'stop'),
  },
  retry_stream: {
    done: () => on('streams', startedStream(), 'retry'),
    not_found: () => call('POST', '/streams/nothing/retry'),
    stream_not_running: () => on('streams', failedStream(), 'retry'),
  },
  duplicate_stream: {
    done: () => on('streams', readyStream(), 'duplicate', {}),
    not_found: () => call('POST', '/streams/nothing/duplicate', {}),
    validation_failed: () => on('streams', readyStream(), 'duplicate', { name: 1 }),
    limit_reached: async () => {
      const id = await readyStream();
      return without('streams', () => call('POST', `/streams/${id}/duplicate`, {}));
    },
  },
  schedule_stream: {
    done: () => on('streams', emptyStream(), 'schedule', soon),
    not_found: () => call('POST', '/streams/nothing/schedule', soon),
    validation_failed: () => on('streams', emptyStream(), 'schedule', { ...soon, scheduleEndAt: inFuture(60) }),
    schedule_in_past: () => on('streams', emptyStream(), 'schedule', { scheduleStartAt: past }),
    stream_not_schedulable: () => on('streams', startedStream(), 'schedule', soon),
  },
  cancel_stream_schedule: {
    done: () => remove('streams', scheduledStream(), '/schedule'),
    not_found: () => call('DELETE', '/streams/nothing/schedule'),
    stream_not_scheduled: () => remove('streams', emptyStream(), '/schedule'),
  },
  skip_occurrence: {
    done: () => on('streams', scheduledStream(), 'schedule/skip', { startAt: soon.scheduleStartAt }),
    not_found: () => call('POST', '/streams/nothing/schedule/skip', { startAt: soon.scheduleStartAt }),
    validation_failed: () => on('streams', scheduledStream(), 'schedule/skip', { startAt: past }),
  },
  play_next: {
    done: async () => {
      const { id } = await nextRow();
      return call('POST', `/streams/${id}/play-next`, { uploadID: await upload() });
    },
    not_found: async () => call('POST', '/streams/nothing/play-next', { uploadID: await upload() }),
    validation_failed: async () => {
      const { id } = await nextRow();
      return call('POST', `/streams/${id}/play-next`, { uploadID: 'nothing' });
    },
    stream_not_running: async () => on('streams', emptyStream(), 'play-next', { uploadID: await upload() }),
    limit_reached: async () => {
      const { id } = await nextRow();
      const uploadID = await upload();
      for (let count = 0; count < 10; count++) await call('POST', `/streams/${id}/play-next`, { uploadID });
      return call('POST', `/streams/${id}/play-next`, { uploadID });
    },
  },
  skip_item: {
    done: async () => {
      const { id, row } = await nextRow();
      return call('POST', `/streams/${id}/skip`, row);
    },
    not_found: () => call('POST', '/streams/nothing/skip', { startAt: past, uploadID: 'nothing' }),
    validation_failed: () => on('streams', emptyStream(), 'skip', { startAt: 'soon' }),
    stream_not_running: () => on('streams', emptyStream(), 'skip', { startAt: past, uploadID: 'nothing' }),
    skip_too_late: async () => {
      const { id, row } = await nextRow();
      return call('POST', `/streams/${id}/skip`, { ...row, uploadID: 'another' });
    },
    limit_reached: async () => {
      const { id } = await nextRow();
      const skip = async (place: number) => {
        const { startAt, uploadID } = (await call('GET', `/streams/${id}/timeline?limit=30`)).body.data[place];
        return call('POST', `/streams/${id}/skip`, { startAt, uploadID });
      };
      for (const place of [10, 15, 20]) await skip(place);
      return skip(25);
    },
  },
  list_live_inputs: {
    done: () => call('GET', '/live-inputs'),
    validation_failed: () => call('GET', '/live-inputs?streamID='),
  },
  create_live_input: {
    done: () => liveInputAnswer(emptyStream()),
    validation_failed: () => liveInputAnswer(Promise.resolve('nothing')),
    live_ingest_off: async () =>
      (await withoutIngest.user()).call('POST', '/live-inputs', { name: 'x', streamID: 'x' }),
    limit_reached: async () => {
      const streamID = await emptyStream();
      for (let made = 0; made < 5; made++) await liveInputAnswer(Promise.resolve(streamID));
      return liveInputAnswer(Promise.resolve(streamID));
    },
  },
  get_live_input: {
    done: () => get('live-inputs', liveInput()),
    not_found: () => call('GET', '/live-inputs/nothing'),
  },
  update_live_input: {
    done: async () => call('PATCH', `/live-inputs/${await liveInput()}`, { takes: 'always' }),
    not_found: () => call('PATCH', '/live-inputs/nothing', {}),
    validation_failed: async () => call('PATCH', `/live-inputs/${await liveInput()}`, { allow: ['203.0.113.0/33'] }),
    limit_reached: async () => {
      const [slateUploadID, id] = [await upload(), await preparedInput()];
      await service.pool().query(
        `insert into prepared_uploads (upload_id, format, user_id, seconds)
         select id, 'sound', user_id, 1e12 from uploads where id = $1`,
        [slateUploadID],
      );
      const answer = await call('PATCH', `/live-inputs/${id}`, { slateUploadID });
      await service.pool().query('delete from prepared_uploads where upload_id = $1', [slateUploadID]);
      return answer;
    },
  },
  rotate_live_input_key: {
    done: () => on('live-inputs', liveInput(), 'rotate-key'),
    not_found: () => call('POST', '/live-inputs/nothing/rotate-key'),
  },
  rotate_live_input_passphrase: {
    done: () => on('live-inputs', liveInput(), 'rotate-passphrase'),
    not_found: () => call('POST', '/live-inputs/nothing/rotate-passphrase'),
    live_ingest_off: async () => (await withoutIngest.user()).call('POST', '/live-inputs/nothing/rotate-passphrase'),
  },
  delete_live_input_passphrase: {
    done: () => remove('live-inputs', liveInput(), '/passphrase'),
    not_found: () => call('DELETE', '/live-inputs/nothing/passphrase'),
  },
  delete_live_input: {
    done: () => remove('live-inputs', liveInput()),
    not_found: () => call('DELETE', '/live-inputs/nothing'),
  },
  list_live_sessions: {
    done: async () => call('GET', `/live-inputs/${await liveInput()}/sessions`),
    not_found: () => call('GET', '/live-inputs/nothing/sessions'),
  },
  take_over_stream: {
    done: async () => takeOver(await preparedStream(), 20),
    not_found: () => call('POST', '/streams/nothing/takeovers', { liveInputID: 'nothing' }),
    validation_failed: async () =>
      call('POST', `/streams/${await preparedStream()}/takeovers`, { liveInputID: await liveInput() }),
    stream_not_running: async () => takeOver(await emptyManifestStream(), 20),
    live_needs_manifest: async () => takeOver(await emptyStream(), 20),
    nothing_received: async () => takeOver(await preparedStream(), null),
    not_stable_yet: async () => takeOver(await preparedStream(), 1),
    slate_not_prepared: async () => {
      const streamID = await preparedStream();
      const slate = { slateUploadID: await upload() };
      const { body: input } = await call('POST', '/live-inputs', { name: 'Studio', streamID, ...slate });
      await pretendReceived(service, input.id, 20);
      return call('POST', `/streams/${streamID}/takeovers`, { liveInputID: input.id });
    },
    taken_over_already: async () => {
      const id = await preparedStream();
      await takeOver(id, 20);
      return takeOver(id, 20);
    },
  },
  get_stream_takeover: {
    done: () => get('streams', emptyStream(), '/takeover'),
    not_found: () => call('GET', '/streams/nothing/takeover'),
  },
  hand_back_stream: {
    done: async () => {
      const id = await preparedStream();
      await takeOver(id, 20);
      return call('POST', `/streams/${id}/hand-back`);
    },
    not_found: () => call('POST', '/streams/nothing/hand-back'),
    not_taken_over: () => on('streams', emptyStream(), 'hand-back'),
  },
  list_occurrences: {
    done: () => call('GET', '/schedule/occurrences'),
    validation_failed: () => call('GET', `/schedule/occurrences?to=${past}`),
  },
  preview_recurrence: {
    done: () => call('GET', `/schedule/preview?scheduleStartAt=${past}&rule=FREQ%3DDAILY&timeZone=UTC`),
    validation_failed: () => call('GET', `/schedule/preview?scheduleStartAt=${past}&rule=DAILY&timeZone=UTC`),
  },
  get_stream_stats: {
    done: () => get('streams', emptyStream(), '/stats'),
    not_found: () => call('GET', '/streams/nothing/stats'),
  },
  get_stream_stats_history: {
    done: () => get('streams', emptyStream(), '/stats/history'),
    not_found: () => call('GET', '/streams/nothing/stats/history'),
    validation_failed: () => get('streams', emptyStream(), '/stats/history?from=2020-01-01T00:00:00Z'),
  },
  create_stream_preview: {
    done: async () => {
      const id = await startedStream();
      await pretendOnAir(service, id);
      return call('POST', `/streams/${id}/preview`);
    },
    not_found: () => call('POST', '/streams/nothing/preview'),
    preview_unavailable: () => on('streams', startedStream(), 'preview'),
  },
  get_stream_timeline: {
    done: () => get('streams', emptyStream(), '/timeline'),
    not_found: () => call('GET', '/streams/nothing/timeline'),
    validation_failed: () => get('streams', emptyStream(), '/timeline?to=2020-01-01T00:00:00Z'),
    invalid_cursor: () => get('streams', emptyStream(), '/timeline?cursor=x'),
  },
  get_stream_proof: {
    done: async () => {
      await ensureSigningKey(service.pool(), service.service().sealer, new Date());
      return get('streams', emptyStream(), '/proof?day=2026-01-31');
    },
    not_found: () => call('GET', '/streams/nothing/proof?day=2026-01-31'),
    validation_failed: () => get('streams', emptyStream(), '/proof?day=9999-01-31'),
  },
  get_stream_frame: {
    done: async () => {
      const id = await scheduledStream();
      const asked = call('GET', `/streams/${id}/frame?at=${encodeURIComponent(soon.scheduleStartAt)}`);
      await vi.waitUntil(() => finishFrames(service, 'ready'), { timeout: 20_000 });
      return asked;
    },
    not_found: () => call('GET', '/streams/nothing/frame'),
    validation_failed: () => get('streams', emptyStream(), '/frame?width=1'),
    preview_unavailable: () => get('streams', emptyStream(), '/frame'),
  },
  preview_stream_look: {
    done: () => on('streams', readyStream(), 'look/preview', { look: {} }),
    not_found: () => call('POST', '/streams/nothing/look/preview', { look: {} }),
    validation_failed: () => on('streams', readyStream(), 'look/preview', {}),
    preview_unavailable: () => on('streams', emptyStream(), 'look/preview', { look: {} }),
  },
  create_guide_link: {
    done: () => on('streams', emptyStream(), 'guide-link'),
    not_found: () => call('POST', '/streams/nothing/guide-link'),
    validation_failed: async () =>
      on('streams', emptyStream(), 'guide-link', { requests: { collectionID: 'nothing' } }),
  },
  get_guide_link: {
    done: async () => {
      const id = await emptyStream();
      await call('POST', `/streams/${id}/guide-link`);
      return call('GET', `/streams/${id}/guide-link`);
    },
    not_found: async () => call('GET', `/streams/${await emptyStream()}/guide-link`),
  },
  update_guide_link: {
    done: async () => {
      const id = await emptyStream();
      await call('POST', `/streams/${id}/guide-link`);
      return call('PATCH', `/streams/${id}/guide-link`, { requests: null });
    },
    not_found: () => call('PATCH', '/streams/nothing/guide-link', { requests: null }),
    validation_failed: () => call('PATCH', '/streams/nothing/guide-link', { requests: { perHour: 0 } }),
  },
  delete_guide_link: {
    done: () => remove('streams', emptyStream(), '/guide-link'),
    not_found: () => call('DELETE', '/streams/nothing/guide-link'),
  },
  list_requestable_items: {
    done: async () => call('GET', await requestsPath()),
    not_found: () => call('GET', '/guides/nothing/requests'),
    validation_failed: () => call('GET', '/guides/nothing/requests?limit=0'),
    invalid_cursor: async () => call('GET', `${await requestsPath()}?cursor=x`),
    item_request_refused: async () => call('GET', await requestsPath(null)),
  },
  request_item: {
    done: async () => {
      const uploadID = await upload();
      return call('POST', await requestsPath({ uploadIDs: [uploadID] }), { uploadID });
    },
    not_found: () => call('POST', '/guides/nothing/requests', { uploadID: 'nothing' }),
    validation_failed: () => call('POST', '/guides/nothing/requests', {}),
    item_request_refused: async () => call('POST', await requestsPath(), { uploadID: 'nothing' }),
  },
  list_stream_transitions: {
    done: () => get('streams', emptyStream(), '/transitions'),
    not_found: () => call('GET', '/streams/nothing/transitions'),
    validation_failed: () => get('streams', emptyStream(), '/transitions?limit=0'),
    invalid_cursor: () => get('streams', emptyStream(), '/transitions?cursor=x'),
  },
  list_stream_broadcasts: {
    done: () => get('streams', emptyStream(), '/broadcasts'),
    not_found: () => call('GET', '/streams/nothing/broadcasts'),
    validation_failed: () => get('streams', emptyStream(), '/broadcasts?limit=0'),
    invalid_cursor: () => get('streams', emptyStream(), '/broadcasts?cursor=x'),
  },

  list_stream_outputs: {
    done: () => get('streams', readyStream(), '/outputs'),
    not_found: () => call('GET', '/streams/nothing/outputs'),
  },
  create_stream_output: {
    done: () => addOutput(startedStream()),
    not_found: () => addOutput(Promise.resolve('nothing')),
    validation_failed: () => addOutput(readyStream(), 'nothing'),
    output_exists: async () => {
      const destinationID = await otherDestination();
      return addOutput(readyStream({ destinationID }), destinationID);
    },
    limit_reached: async () => {
      const id = readyStream();
      for (let count = 1; count < 30; count++) await addOutput(id);
      return addOutput(id);
    },
  },
  get_stream_output: {
    done: () => onFirst('GET', readyStream()),
    not_found: () => get('streams', readyStream(), '/outputs/nothing'),
  },
  update_stream_output: {
    done: () => onFirst('PATCH', readyStream(), { enabled: false, name: 'main' }),
    not_found: async () => call('PATCH', `/streams/${await readyStream()}/outputs/nothing`, { enabled: false }),
    validation_failed: () => onFirst('PATCH', readyStream(), { enabled: 'no' }),
    stream_live: () => onFirst('PATCH', startedStream(), { enabled: false }),
    limit_reached: async () => {
      const id = startedStream();
      const { body: output } = await addOutput(id, undefined, { enabled: false });
      return without('runningSlots', async () =>
        call('PATCH', `/streams/${await id}/outputs/${output.id}`, { enabled: true }),
      );
    },
  },
  delete_stream_output: {
    done: () => onFirst('DELETE', readyStream()),
    not_found: () => remove('streams', readyStream(), '/outputs/nothing'),
    stream_live: () => onFirst('DELETE', startedStream()),
  },

  list_uploads: list('uploads'),
  list_upload_folders: list('uploads/folders'),
  create_upload: {
    done: () => call('POST', '/uploads', { name: 'x', mimeType: 'video/mp4' }),
    validation_failed: () => call('POST', '/uploads', { name: 'x', mimeType: 'text/plain' }),
    limit_reached: () => without('incomingBytes', () => call('POST', '/uploads', { name: 'x', mimeType: 'video/mp4' })),
  },
  get_upload: { done: () => get('uploads', unprobed()), not_found: () => call('GET', '/uploads/nothing') },
  apply_upload_operations: {
    done: async () => call('POST', '/uploads/batch', { operations: [{ op: 'delete', uploadID: await upload() }] }),
    validation_failed: () => call('POST', '/uploads/batch', { operations: [{ op: 'delete', uploadID: 'nothing' }] }),
    resource_in_use: async () =>
      call('POST', '/uploads/batch', { operations: [{ op: 'delete', uploadID: await heldUpload() }] }),
  },
  update_upload: {
    done: async () => call('PATCH', `/uploads/${await unprobed()}`, { folder: 'Music/Live', tags: ['jazz'] }),
    not_found: () => call('PATCH', '/uploads/nothing', { name: 'x' }),
    validation_failed: async () => call('PATCH', `/uploads/${await unprobed()}`, { folder: 'a//b' }),
    limit_reached: () =>
      without('captionBytes', async () =>
        call('PATCH', `/uploads/${await upload()}`, { captions: '1\n00:00:00,000 --> 00:00:02,000\nHello\n' }),
      ),
  },
  create_clip: {
    done: async () => on('uploads', namedUpload(), 'clips', { fromSeconds: 2 }),
    not_found: () => call('POST', '/uploads/nothing/clips', {}),
    upload_incomplete: () => on('uploads', unprobed(), 'clips', {}),
    validation_failed: () => on('uploads', namedUpload(), 'clips', { fromSeconds: 9.5 }),
    limit_reached: async () => {
      const id = await namedUpload();
      return without('uploads', () => call('POST', `/uploads/${id}/clips`, {}));
    },
  },
  create_upload_url: {
    done: () => on('uploads', unprobed(), 'upload-url'),
    not_found: () => call('POST', '/uploads/nothing/upload-url'),
    resource_in_use: () => on('uploads', upload(), 'upload-url'),
  },
  create_upload_part_urls: {
    done: () => on('uploads', uploadInParts(), 'part-urls', { partNumbers: [1] }),
    not_found: () => call('POST', '/uploads/nothing/part-urls', { partNumbers: [1] }),
    validation_failed: () => on('uploads', uploadInParts(), 'part-urls', { partNumbers: [2] }),
    resource_in_use: () => on('uploads', unprobed(), 'part-urls', { partNumbers: [1] }),
    part_mismatch: async () => {
      const id = uploadInParts();
      await on('uploads', id, 'part-urls', { partNumbers: [1] });
      return on('uploads', id, 'part-urls', { partNumbers: [1], sha256: [`${'A'.repeat(43)}=`] });
    },
  },
  list_upload_parts: {
    done: () => get('uploads', uploadInParts(), '/parts'),
    not_found: () => call('GET', '/uploads/nothing/parts'),
    resource_in_use: () => get('uploads', unprobed(), '/parts'),
  },
  complete_upload: {
    parts_missing: () => on('uploads', uploadInParts(), 'complete'),
    done: () => on('uploads', sentUpload(), 'complete'),
    not_found: () => call('POST', '/uploads/nothing/complete'),
    upload_incomplete: () => on('uploads', unprobed(), 'complete'),
    limit_reached: async () => {
      const id = await sentUpload();
      return without('storedBytes', () => call('POST', `/uploads/${id}/complete`));
    },
    upload_mismatch: () => on('uploads', sentUpload('media', { fileSize: 4 }), 'complete'),
    payload_too_large: async () => {
      const id = await sentUpload();
      // The object only claims to be too large: a real one of that size would have to be written.
      vi.spyOn(service.objects(), 'head').mockResolvedValueOnce({
        sizeBytes: 5 * 1024 ** 3 + 1,
        contentType: 'video/mp4',
      });
      return on('uploads', Promise.resolve(id), 'complete');
    },
  },
  retry_upload: {
    done: () => on('uploads', upload(), 'retry'),
    not_found: () => call('POST', '/uploads/nothing/retry'),
    upload_incomplete: async () => {
      const id = await sentUpload();
      await call('POST', `/uploads/${id}/complete`);
      await failProbe(service, id, 'content_blocked');
      await service.objects().delete(await objectKeyOf(service, id));
      return call('POST', `/uploads/${id}/retry`);
    },
    limit_reached: async () => {
      const { id } = (await call('POST', '/uploads/import', { url: 'https://example.com/a.mp4' })).body;
      await failImport(service, id);
      return without('imports', () => call('POST', `/uploads/${id}/retry`));
    },
  },
  create_download_url: {
    done: () => on('uploads', upload(), 'download-url'),
    not_found: () => call('POST', '/uploads/nothing/download-url'),
    upload_incomplete: () => on('uploads', unprobed(), 'download-url'),
  },
  delete_upload: {
    done: () => remove('uploads', upload()),
    not_found: () => call('DELETE', '/uploads/nothing'),
    resource_in_use: () => remove('uploads', heldUpload()),
  },

  list_playlists: list('playlists'),
  create_playlist: {
    done: async () => call('POST', '/playlists', { streamID: await emptyStream(), kind: 'audio', mode: 'shuffle' }),
    validation_failed: () => call('POST', '/playlists', { streamID: 'nothing', kind: 'audio', mode: 'shuffle' }),
    limit_reached: () => without('playlists', newPlaylistAnswer),
  },
  get_playlist: { done: () => get('playlists', newPlaylist()), not_found: () => call('GET', '/playlists/nothing') },
  update_playlist: {
    done: async () => call('PATCH', `/playlists/${await newPlaylist()}`, { name: 'x' }),
    not_found: () => call('PATCH', '/playlists/nothing', { name: 'x' }),
    validation_failed: async () => call('PATCH', `/playlists/${await newPlaylist()}`, { name: '' }),
  },
  apply_playlist_operations: {
    done: async () => add(await newPlaylist()),
    not_found: () => call('POST', '/playlists/nothing/operations', { operations: [{ op: 'clear' }] }),
    validation_failed: () =>
      on('playlists', newPlaylist(), 'operations', { operations: [{ op: 'remove', itemID: 'x' }] }),
    limit_reached: async () => {
      const id = await newPlaylist();
      return without('playlistItems', () => add(id));
    },
    version_conflict: () =>
      on('playlists', newPlaylist(), 'operations', { operations: [{ op: 'clear' }], expectedVersion: 9 }),
  },
  copy_playlist: {
    done: async () => on('playlists', filledPlaylist(), 'copy', { targetPlaylistID: await newPlaylist() }),
    not_found: async () => call('POST', '/playlists/nothing/copy', { targetPlaylistID: await newPlaylist() }),
    validation_failed: () => on('playlists', filledPlaylist(), 'copy', { targetPlaylistID: 'nothing' }),
    limit_reached: async () => {
      const [from, to] = [await filledPlaylist(), await newPlaylist()];
      return without('playlistItems', () => call('POST', `/playlists/${from}/copy`, { targetPlaylistID: to }));
    },
    playlist_not_empty: async () =>
      on('playlists', filledPlaylist(), 'copy', { targetPlaylistID: await filledPlaylist() }),
  },
  publish_playlist: {
    done: () => on('playlists', filledPlaylist(), 'publish'),
    not_found: () => call('POST', '/playlists/nothing/publish'),
    playlist_empty: () => on('playlists', newPlaylist(), 'publish'),
    validation_failed: () => on('playlists', filledPlaylist(), 'publish', { from: 'last' }),
    stream_deleted: async () => {
      const id = await filledPlaylist();
      await call('DELETE', `/streams/${(await call('GET', `/playlists/${id}`)).body.streamID}`);
      return call('POST', `/playlists/${id}/publish`);
    },
  },
  discard_playlist_draft: {
    done: async () => {
      const id = await filledPlaylist();
      await pretendPublished(service, id);
      return call('POST', `/playlists/${id}/discard-draft`);
    },
    not_found: () => call('POST', '/playlists/nothing/discard-draft'),
    nothing_published: () => on('playlists', filledPlaylist(), 'discard-draft'),
  },
  delete_playlist: {
    done: () => remove('playlists', filledPlaylist()),
    not_found: () => call('DELETE', '/playlists/nothing'),
    stream_live: () => remove('playlists', livePlaylist()),
    resource_in_use: async () => {
      const id = await filledPlaylist();
      const { streamID } = (await call('GET', `/playlists/${id}`)).body;
      await call('POST', `/streams/${streamID}/schedule`, { scheduleStartAt: inFuture(3600) });
      return call('DELETE', `/playlists/${id}`);
    },
  },

  list_collections: list('collections'),
  create_collection: {
    done: () => call('POST', '/collections', newCollection),
    validation_failed: () => call('POST', '/collections', { ...newCollection, source: { sourceID: 'nothing' } }),
    limit_reached: () => without('collections', () => call('POST', '/collections', newCollection)),
  },
  get_collection: {
    done: () => get('collections', collection()),
    not_found: () => call('GET', '/collections/nothing'),
  },
  update_collection: {
    done: async () => call('PATCH', `/collections/${await collection()}`, { name: 'x' }),
    not_found: () => call('PATCH', '/collections/nothing', { name: 'x' }),
    validation_failed: async () => call('PATCH', `/collections/${await collection()}`, { source: {} }),
  },
  list_collection_uploads: {
    done: () => get('collections', collection(), '/uploads'),
    not_found: () => call('GET', '/collections/nothing/uploads'),
    validation_failed: () => get('collections', collection(), '/uploads?limit=0'),
    invalid_cursor: () => get('collections', collection(), '/uploads?cursor=x'),
  },
  delete_collection: {
    done: () => remove('collections', collection()),
    not_found: () => call('DELETE', '/collections/nothing'),
  },

  list_programmes: list('programmes'),
  create_programme: {
    done: async () => call('POST', '/programmes', await newProgramme()),
    validation_failed: () => call('POST', '/programmes', { streamID: 'nothing' }),
    programme_invalid: async () => call('POST', '/programmes', { ...(await newProgramme()), timeZone: 'Mars' }),
    programme_exists: async () => {
      const made = await newProgramme();
      await call('POST', '/programmes', made);
      return call('POST', '/programmes', made);
    },
  },
  get_programme: {
    done: () => get('programmes', programme()),
    not_found: () => call('GET', '/programmes/nothing'),
  },
  update_programme: {
    done: async () => call('PATCH', `/programmes/${await programme()}`, { filler: null }),
    not_found: () => call('PATCH', '/programmes/nothing', { filler: null }),
    validation_failed: async () => call('PATCH', `/programmes/${await programme()}`, { blocks: [{}] }),
    programme_invalid: async () => call('PATCH', `/programmes/${await programme()}`, { timeZone: 'Mars' }),
    version_conflict: async () => call('PATCH', `/programmes/${await programme()}`, { expectedVersion: 7 }),
  },
  simulate_programme: {
    done: () => get('programmes', programme(), '/simulation'),
    not_found: () => call('GET', '/programmes/nothing/simulation'),
    validation_failed: () => get('programmes', programme(), '/simulation?days=401'),
  },
  compare_programme: {
    done: () => get('programmes', programme(), '/comparison'),
    not_found: () => call('GET', '/programmes/nothing/comparison'),
    validation_failed: () => get('programmes', programme(), '/comparison?hours=49'),
  },
  publish_programme: {
    done: async () => call('POST', `/programmes/${(await playableProgramme()).id}/publish`),
    not_found: () => call('POST', '/programmes/nothing/publish'),
    programme_invalid: async () => {
      const { id, uploadID } = await playableProgramme();
      await call('DELETE', `/uploads/${uploadID}`);
      return call('POST', `/programmes/${id}/publish`);
    },
    nothing_to_plan: async () => call('POST', `/programmes/${await programme()}/publish`),
  },
  list_programme_versions: {
    done: () => get('programmes', programme(), '/versions'),
    not_found: () => call('GET', '/programmes/nothing/versions'),
  },
  revert_programme: {
    done: async () => call('POST', `/programmes/${(await publishedProgramme()).id}/revert`, { version: 2 }),
    not_found: () => call('POST', '/programmes/nothing/revert', { version: 1 }),
    validation_failed: async () => call('POST', `/programmes/${await programme()}/revert`, { version: 1 }),
    programme_invalid: async () => {
      const { id, uploadID } = await publishedProgramme();
      await call('DELETE', `/uploads/${uploadID}`);
      return call('POST', `/programmes/${id}/revert`, { version: 2 });
    },
  },
  queue_item: {
    done: async () => call('POST', `/programmes/${await programme()}/queue`, { uploadID: await upload() }),
    not_found: () => call('POST', '/programmes/nothing/queue', { uploadID: 'nothing' }),
    validation_failed: async () => call('POST', `/programmes/${await programme()}/queue`, { uploadID: 'nothing' }),
    limit_reached: async () => {
      const [id, uploadID] = [await programme(), await upload()];
      for (let index = 0; index < 100; index++) await call('POST', `/programmes/${id}/queue`, { uploadID });
      return call('POST', `/programmes/${id}/queue`, { uploadID });
    },
  },
  list_queued_items: {
    done: () => get('programmes', programme(), '/queue'),
    not_found: () => call('GET', '/programmes/nothing/queue'),
  },
  remove_queued_item: {
    done: async () => {
      const { programmeID, itemID } = await queuedItem();
      return call('DELETE', `/programmes/${programmeID}/queue/${itemID}`);
    },
    not_found: async () => call('DELETE', `/programmes/${await programme()}/queue/nothing`),
    queued_item_begun: async () => {
      const { programmeID, itemID } = await queuedItem();
      await service.pool().query('update queued_items set plays_at = now() where id = $1', [itemID]);
      return call('DELETE', `/programmes/${programmeID}/queue/${itemID}`);
    },
  },
  delete_programme: {
    done: () => remove('programmes', programme()),
    not_found: () => call('DELETE', '/programmes/nothing'),
  },

  list_destinations: list('destinations'),
  create_destination: {
    done: () => call('POST', '/destinations', newDestination),
    validation_failed: () => call('POST', '/destinations', { ...newDestination, streamKey: 'a b' }),
    destination_forbidden: () => call('POST', '/destinations', { ...newDestination, rtmpURL: forbidden }),
    limit_reached: () => without('destinations', () => call('POST', '/destinations', newDestination)),
  },
  get_destination: {
    done: () => get('destinations', destination()),
    not_found: () => call('GET', '/destinations/nothing'),
  },
  update_destination: {
    done: async () => call('PATCH', `/destinations/${await destination()}`, { name: 'x' }),
    not_found: () => call('PATCH', '/destinations/nothing', { name: 'x' }),
    validation_failed: async () => call('PATCH', `/destinations/${await destination()}`, { rtmpURL: 'example.com' }),
    destination_forbidden: async () =>
      call('PATCH', `/destinations/${await destination()}`, { backupRtmpURL: forbidden }),
    output_exists: async () => {
      const destinationID = await otherDestination();
      const other = await otherDestination();
      await addOutput(readyStream({ destinationID }), other);
      const { rtmpURL } = (await call('GET', `/destinations/${destinationID}`)).body;
      const same = { rtmpURL, streamKey: 'same' };
      await call('PATCH', `/destinations/${destinationID}`, same);
      return call('PATCH', `/destinations/${other}`, same);
    },
    limit_reached: async () => {
      const destinationID = await otherDestination();
      await on('streams', readyStream({ destinationID }), 'start');
      const url = 'srt://example.com:9000';
      return without('runningSlots', () => call('PATCH', `/destinations/${destinationID}`, { url }));
    },
  },
  delete_destination: {
    done: () => remove('destinations', destination()),
    not_found: () => call('DELETE', '/destinations/nothing'),
    resource_in_use: async () => {
      const destinationID = await destination();
      await startedStream({ destinationID });
      return call('DELETE', `/destinations/${destinationID}`);
    },
  },

  restore_destination: {
    done: () => on('destinations', archivedDestination(), 'restore'),
    not_found: () => call('POST', '/destinations/nothing/restore'),
    limit_reached: async () => {
      const id = await archivedDestination();
      return without('destinations', () => call('POST', `/destinations/${id}/restore`));
    },
  },
  check_destination: {
    done: () => on('destinations', destination(), 'check'),
    not_found: () => call('POST', '/destinations/nothing/check'),
    limit_reached: async () => {
      const id = await destination();
      return without('destinationChecks', () => call('POST', `/destinations/${id}/check`));
    },
  },

  list_connections: list('connections'),
  create_connection: {
    done: () => call('POST', '/connections', { platform: 'youtube', returnTo: '/account?connected=youtube' }),
    validation_failed: () => call('POST', '/connections', { platform: 'youtube', returnTo: '//example.org/' }),
    connection_needed: () => call('POST', '/connections', { platform: 'kick' }),
    limit_reached: () => without('connections', () => call('POST', '/connections', { platform: 'youtube' })),
  },
  get_connection: {
    done: () => get('connections', connection()),
    not_found: () => call('GET', '/connections/nothing'),
  },
  reauthorise_connection: {
    done: () => on('connections', connection(), 'reauthorise', {}),
    not_found: () => call('POST', '/connections/nothing/reauthorise', {}),
    validation_failed: () => on('connections', connection(), 'reauthorise', { returnTo: 'https://example.org/' }),
    connection_needed: async () => {
      const id = await connection();
      await service.pool().query(`update connections set platform = 'twitch' where id = $1`, [id]);
      return call('POST', `/connections/${id}/reauthorise`, {});
    },
  },
  delete_connection: {
    done: () => remove('connections', connection()),
    not_found: () => call('DELETE', '/connections/nothing'),
    resource_in_use: async () => {
      const id = await connection();
      await liveOnManaged(await settings(Promise.resolve(id)));
      return call('DELETE', `/connections/${id}`);
    },
  },
  list_managed_settings: list('managed-settings'),
  create_managed_settings: {
    done: async () => call('POST', '/managed-settings', await newSettings()),
    validation_failed: async () =>
      call('POST', '/managed-settings', { ...(await newSettings()), titleTemplate: 'Hour {hour}' }),
    limit_reached: () => without('managedSettings', async () => call('POST', '/managed-settings', await newSettings())),
  },
  get_managed_settings: {
    done: () => get('managed-settings', settings()),
    not_found: () => call('GET', '/managed-settings/nothing'),
  },
  update_managed_settings: {
    done: async () => call('PATCH', `/managed-settings/${await settings()}`, { dvr: false }),
    not_found: () => call('PATCH', '/managed-settings/nothing', { dvr: false }),
    validation_failed: async () => call('PATCH', `/managed-settings/${await settings()}`, { connectionID: 'nothing' }),
    resource_in_use: async () => {
      const id = await settings();
      await liveOnManaged(id);
      return call('PATCH', `/managed-settings/${id}`, { connectionID: await connection() });
    },
  },
  delete_managed_settings: {
    done: () => remove('managed-settings', settings()),
    not_found: () => call('DELETE', '/managed-settings/nothing'),
    resource_in_use: async () => {
      const id = await settings();
      await liveOnManaged(id);
      return call('DELETE', `/managed-settings/${id}`);
    },
  },

  list_sources: list('sources'),
  create_source: {
    done: () => call('POST', '/sources', newSource),
    validation_failed: () => call('POST', '/sources', { ...newSource, credentials: { accessKeyID: 'AKID' } }),
    import_url_forbidden: () => call('POST', '/sources', { ...newSource, url: 'http://169.254.169.254/' }),
    limit_reached: () => without('sources', () => call('POST', '/sources', newSource)),
  },
  get_source: { done: () => get('sources', source()), not_found: () => call('GET', '/sources/nothing') },
  update_source: {
    done: async () => call('PATCH', `/sources/${await source()}`, { everyMinutes: 10 }),
    not_found: () => call('PATCH', '/sources/nothing', { everyMinutes: 10 }),
    validation_failed: async () => call('PATCH', `/sources/${await source()}`, { everyMinutes: 1 }),
  },
  scan_source: {
    done: async () => call('POST', `/sources/${await source()}/scan`),
    not_found: () => call('POST', '/sources/nothing/scan'),
  },
  delete_source: { done: () => remove('sources', source()), not_found: () => call('DELETE', '/sources/nothing') },
  list_alert_channels: list('alert-channels'),
  create_alert_channel: {
    done: () => call('POST', '/alert-channels', newChannel),
    validation_failed: () => call('POST', '/alert-channels', { ...newChannel, afterSeconds: 3601 }),
    webhook_url_forbidden: () => call('POST', '/alert-channels', { ...newChannel, target: forbiddenHook }),
    limit_reached: () => without('alertChannels', () => call('POST', '/alert-channels', newChannel)),
  },
  get_alert_channel: {
    done: () => get('alert-channels', alertChannel()),
    not_found: () => call('GET', '/alert-channels/nothing'),
  },
  update_alert_channel: {
    done: async () => call('PATCH', `/alert-channels/${await alertChannel()}`, { enabled: false }),
    not_found: () => call('PATCH', '/alert-channels/nothing', { enabled: false }),
    validation_failed: async () => call('PATCH', `/alert-channels/${await alertChannel()}`, { events: [] }),
    webhook_url_forbidden: async () =>
      call('PATCH', `/alert-channels/${await alertChannel()}`, { target: forbiddenHook }),
  },
  delete_alert_channel: {
    done: () => remove('alert-channels', alertChannel()),
    not_found: () => call('DELETE', '/alert-channels/nothing'),
  },
  test_alert_channel: {
    done: () => on('alert-channels', alertChannel(), 'test'),
    not_found: () => call('POST', '/alert-channels/nothing/test'),
    webhook_disabled: async () => {
      const id = await alertChannel();
      await call('PATCH', `/alert-channels/${id}`, { enabled: false });
      return call('POST', `/alert-channels/${id}/test`);
    },
  },
  list_incidents: list('incidents'),
  get_incident: { done: () => get('incidents', incident()), not_found: () => call('GET', '/incidents/nothing') },
  list_webhooks: list('webhooks'),
  create_webhook: {
    done: () => call('POST', '/webhooks', newWebhook),
    validation_failed: () => call('POST', '/webhooks', { ...newWebhook, events: ['stream.exploded'] }),
    webhook_url_forbidden: () => call('POST', '/webhooks', { ...newWebhook, url: forbiddenHook }),
    limit_reached: () => without('webhooks', () => call('POST', '/webhooks', newWebhook)),
  },
  get_webhook: { done: () => get('webhooks', webhook()), not_found: () => call('GET', '/webhooks/nothing') },
  update_webhook: {
    done: async () => call('PATCH', `/webhooks/${await webhook()}`, { enabled: false }),
    not_found: () => call('PATCH', '/webhooks/nothing', { enabled: false }),
    validation_failed: async () => call('PATCH', `/webhooks/${await webhook()}`, { url: 'not a url' }),
    webhook_url_forbidden: async () => call('PATCH', `/webhooks/${await webhook()}`, { url: forbiddenHook }),
  },
  delete_webhook: { done: () => remove('webhooks', webhook()), not_found: () => call('DELETE', '/webhooks/nothing') },
  test_webhook: {
    done: () => on('webhooks', webhook(), 'test'),
    not_found: () => call('POST', '/webhooks/nothing/test'),
    webhook_disabled: async () => {
      const id = await webhook();
      await call('PATCH', `/webhooks/${id}`, { enabled: false });
      return call('POST', `/webhooks/${id}/test`);
    },
  },
  rotate_webhook_secret: {
    done: () => on('webhooks', webhook(), 'rotate-secret'),
    not_found: () => call('POST', '/webhooks/nothing/rotate-secret'),
  },
  list_webhook_deliveries: {
    done: () => get('webhooks', webhook(), '/deliveries'),
    not_found: () => call('GET', '/webhooks/nothing/deliveries'),
    validation_failed: () => get('webhooks', webhook(), '/deliveries?state=lost'),
    invalid_cursor: () => get('webhooks', webhook(), '/deliveries?cursor=x'),
  },
  redeliver_webhook: {
    done: async () => {
      const { id, deliveryID } = await notifiedWebhook();
      return redeliver(id, deliveryID);
    },
    not_found: async () => redeliver(await webhook(), 'nothing'),
    webhook_disabled: async () => {
      const { id, deliveryID } = await notifiedWebhook();
      await call('PATCH', `/webhooks/${id}`, { enabled: false });
      return redeliver(id, deliveryID);
    },
  },
  list_notifications: list('notifications'),
  mark_notifications_read: {
    done: () => call('POST', '/notifications/read', {}),
    validation_failed: () => call('POST', '/notifications/read', { ids: [] }),
  },
};

const tags = new Set<string>([
  'streams',
  'guides',
  'schedule',
  'uploads',
  'playlists',
  'collections',
  'programmes',
  'destinations',
  'connections',
  'managed-settings',
  'sources',
  'webhooks',
  'alert-channels',
  'incidents',
  'live-inputs',
  'notifications',
]);
/** Operations that need servers to import from; other tests have them. */
const elsewhere = new Set(['import_upload']);
const covered = operations.filter((operation) => tags.has(operation.tag) && !elsewhere.has(toolName(operation)));

it('every operation with every code that it declares has a scenario here', () => {
  const declared = covered.map((operation) => {
    const takesInput = operation.body !== undefined || Object.keys(operation.query.shape).length > 0;
    return [
      toolName(operation),
      ['done', ...operation.errors, ...(takesInput ? ['validation_failed'] : [])].toSorted(),
    ];
  });
  const tested = Object.entries(scenarios).map(([name, outcomes]) => [name, Object.keys(outcomes).toSorted()]);
  expect(Object.fromEntries(tested)).toEqual(Object.fromEntries(declared));
});

describe.for(covered)('$method $path', (operation) => {
  const outcomes = Object.entries(scenarios[toolName(operation)] ?? {}) as [Outcome, () => Promise<Answer>][];

  it.for(outcomes)('ends in %s', async ([outcome, act]) => {
    const { status, headers, body } = await act();
    if (outcome === 'done') {
      const { output } = operation;
      const isThere = output.body !== undefined && output.status !== 302;
      expect([status, body]).toEqual([output.status, isThere ? expect.anything() : undefined]);
      return;
    }
    expect({ status, code: body?.code }).toEqual({ status: problemCodes[outcome].status, code: outcome });
    expect(headers.get('content-type')).toBe('application/problem+json');
    expect(body.detail).toMatch(/^\S.*\.$/s);
  });
});

describe.for(covered.filter(({ path }) => path.includes('{id}')))('$method $path', (operation) => {
  it("answers for what is somebody else's as for what is not there", async () => {
    const { method, path, body } = operation;
    const other = await service.user();
    const id = await {
      streams: emptyStream,
      uploads: unprobed,
      playlists: newPlaylist,
      collections: collection,
      programmes: programme,
      destinations: destination,
      connections: connection,
      'managed-settings': settings,
      webhooks: webhook,
      sources: source,
      'alert-channels': alertChannel,
      incidents: incident,
      'live-inputs': liveInput,
    }[operation.tag as 'streams']();
    const bodies: Readonly<Record<string, object>> = {
      schedule_stream: soon,
      skip_occurrence: { startAt: soon.scheduleStartAt },
      preview_stream_look: { look: {} },
      apply_playlist_operations: { operations: [{ op: 'clear' }] },
      create_upload_part_urls: { partNumbers: [1] },
      copy_playlist: { targetPlaylistID: await playlistOf(other) },
      create_stream_output: { destinationID: 'nothing' },
      revert_programme: { version: 1 },
      queue_item: { uploadID: 'nothing' },
      skip_item: { startAt: past, uploadID: 'nothing' },
      play_next: { uploadID: 'nothing' },
      take_over_stream: { liveInputID: 'nothing' },
    };
    const sent = body && (bodies[toolName(operation)] ?? {});
    const answers = [
      await other.call(method, path.replace('{id}', id), sent),
      await other.call(method, path.replace('{id}', 'nothing'), sent),
    ];
    expect(answers.map(({ status, body: problem }) => [status, problem.code])).toEqual([
      [404, 'not_found'],
      [404, 'not_found'],
    ]);
    expect(answers[0]!.body).toEqual(answers[1]!.body);
  });
});

async function playlistOf(owner: ReturnType<typeof user>): Promise<string> {
  const streamID = (await owner.call('POST', '/streams', {})).body.id;
  return (await owner.call('POST', '/playlists', { streamID, kind: 'video', mode: 'sequential' })).body.id;
}
