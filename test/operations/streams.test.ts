// Streams through the REST surface, without an agent: settings, readiness, start and stop, schedules, deletion.
import { beforeAll, describe, expect, it } from 'vitest';
import { dueKinds } from '../../lambda/data/streams/due-times.ts';
import { queueNames } from '../../lambda/ports/command-queue/queues.ts';
import type { QueueName } from '../../lambda/ports/command-queue/queues.ts';
import { inFuture } from '../support/actors.ts';
import { dueTimeOf } from '../support/due-times.ts';
import { commandsTo } from '../support/outbox-rows.ts';
import { sealedSecretOf } from '../support/sealed-columns.ts';
import { pretendProbed, testService } from '../support/service.ts';
import type { Answer, TestUser } from '../support/service.ts';
import { allowBackendEdit } from '../support/stored-streams.ts';

const service = testService();
let user: TestUser;
let other: TestUser;
beforeAll(async () => {
  user = await service.user();
  other = await service.user();
});

const refusal = ({ status, body }: Answer) => [status, body?.code];

async function destination(owner = user): Promise<string> {
  const body = { name: 'ingest', rtmpURL: 'rtmp://127.0.0.1/live', streamKey: 'a-secret-key' };
  return (await owner.call('POST', '/destinations', body)).body.id;
}

async function upload(owner = user): Promise<string> {
  const { id } = (await owner.call('POST', '/uploads', { name: 'clip', mimeType: 'video/mp4' })).body;
  await pretendProbed(service, id);
  return id;
}

/** A destination on a platform, by its address. */
async function destinationAt(rtmpURL: string): Promise<string> {
  return (await user.call('POST', '/destinations', { name: 'x', rtmpURL, streamKey: 'k' })).body.id;
}

/** Creates a video playlist of a stream. */
async function playlistOf(streamID: string): Promise<string> {
  return (await user.call('POST', '/playlists', { streamID, kind: 'video', mode: 'sequential' })).body.id;
}

async function readyStream(more: object = {}): Promise<string> {
  const body = { videoUploadObjectID: await upload(), destinationID: await destination(), ...more };
  return (await user.call('POST', '/streams', body)).body.id;
}

const get = async (id: string) => (await user.call('GET', `/streams/${id}`)).body;
/** The queue of each command about a stream. */
async function queuesToldOf(id: string): Promise<QueueName[]> {
  const told: QueueName[] = [];
  for (const queue of queueNames) {
    const commands = await commandsTo(service, queue);
    told.push(...commands.filter((body) => 'streamID' in body && body.streamID === id).map(() => queue));
  }
  return told;
}

const codesOf = ({ body }: Answer) => body.issues.map((issue: { code: string }) => issue.code);

describe('POST /streams', () => {
  it('makes a draft from nothing, with the defaults of the user', async () => {
    const { status, headers, body } = await user.call('POST', '/streams', {});
    expect(status).toBe(201);
    expect(headers.get('location')).toContain(`/v1/streams/${body.id}`);
    expect(body).toMatchObject({
      state: 'draft',
      status: 'INACTIVE',
      streamDuration: 0,
      quality: null,
      playlistIDs: [],
      transitions: [],
      replicas: [],
    });
  });

  it('keeps the deprecated streamKey, sealed, and never answers it', async () => {
    const { status, body } = await user.call('POST', '/streams', { streamKey: 'legacy-secret' });
    expect(status).toBe(201);
    expect(JSON.stringify(body)).not.toContain('legacy-secret');
    const sealed = await sealedSecretOf(service, 'streams', body.id);
    expect(sealed.toString('latin1')).not.toContain('legacy-secret');
  });

  it("reports every part that is not the caller's at its field, and writes nothing", async () => {
    const before = (await user.call('GET', '/streams?limit=100')).body.data.length;
    const { status, body } = await user.call('POST', '/streams', {
      videoUploadObjectID: await upload(other),
      destinationID: await destination(other),
      playlistIDs: ['nothing'],
    });
    expect(status).toBe(422);
    expect(body.errors.map((error: { path: string }) => error.path)).toEqual([
      '/videoUploadObjectID',
      '/destinationID',
      '/playlistIDs/0',
    ]);
    expect((await user.call('GET', '/streams?limit=100')).body.data).toHaveLength(before);
  });

  it('refuses a schedule in the past, and an end before its start', async () => {
    expect(refusal(await user.call('POST', '/streams', { scheduleStartAt: '2020-01-01T00:00:00Z' }))).toEqual([
      422,
      'schedule_in_past',
    ]);
    const backwards = { scheduleStartAt: inFuture(100), scheduleEndAt: inFuture(50) };
    expect(refusal(await user.call('POST', '/streams', backwards))).toEqual([422, 'validation_failed']);
  });

  it('takes a codec with prepared media, and says what to do where the backend encodes', async () => {
    const made = await user.call('POST', '/streams', { videoCodec: 'hevc', streamBackend: 'manifest' });
    expect(made.body).toMatchObject({ videoCodec: 'hevc', streamBackend: 'manifest' });
    expect(await get(made.body.id)).toEqual(made.body);
    expect((await user.call('GET', '/streams')).body.data[0]).toEqual(made.body);
    expect((await user.call('POST', '/streams', { videoCodec: 'h264' })).body).toMatchObject({
      videoCodec: 'h264',
      streamBackend: null,
    });
    for (const streamBackend of [undefined, null, 'ffmpeg']) {
      const refused = await user.call('POST', '/streams', { videoCodec: 'av1', streamBackend });
      expect(refusal(refused)).toEqual([422, 'validation_failed']);
      expect(refused.body.errors).toEqual([
        {
          path: '/videoCodec',
          code: 'validation_failed',
          detail: expect.stringMatching(/Set streamBackend to manifest, or videoCodec to h264/),
        },
      ]);
    }
    expect(refusal(await user.call('POST', '/streams', { videoCodec: 'h265', streamBackend: 'manifest' }))).toEqual([
      422,
      'validation_failed',
    ]);
  });

  it('runs once for an Idempotency-Key, replays byte for byte, and refuses another body', async () => {
    const headers = { 'idempotency-key': 'once' };
    const [first, second] = await Promise.all(
      [1, 2].map(() => user.call('POST', '/streams', { name: 'once' }, headers)),
    );
    const ran = [first!, second!].find((answer) => answer.status === 201)!;
    const again = await user.call('POST', '/streams', { name: 'once' }, headers);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body).toEqual(ran.body);
    for (const answer of [first!, second!])
      if (answer.status !== 201) expect(answer.body.code).toBe('idempotency_in_progress');
    expect(
      (await user.call('GET', '/streams?limit=100')).body.data.filter(
        (stream: { name: string }) => stream.name === 'once',
      ),
    ).toHaveLength(1);
    expect(refusal(await user.call('POST', '/streams', { name: 'twice' }, headers))).toEqual([
      422,
      'idempotency_key_reused',
    ]);
    expect((await other.call('POST', '/streams', { name: 'twice' }, headers)).status).toBe(201);
  });
});

describe('GET /streams', () => {
  it('answers a given set on one page, without those of others', async () => {
    const mine = await readyStream();
    const theirs = (await other.call('POST', '/streams', {})).body.id;
    const { body } = await user.call('GET', `/streams?ids=${mine}&ids=${theirs}&ids=unknown`);
    expect(body.data.map((stream: { id: string }) => stream.id)).toEqual([mine]);
    expect(body.page).toEqual({ hasMore: false, nextCursor: '' });
  });
});

describe('readiness and start', () => {
  it('name everything that is missing, and change nothing', async () => {
    const { body: stream } = await user.call('POST', '/streams', {});
    const { body } = await user.call('GET', `/streams/${stream.id}/readiness`);
    expect(body.ready).toBe(false);
    expect(body.issues.map((issue: { path: string; code: string }) => [issue.path, issue.code])).toEqual([
      ['VIDEO', 'no_video'],
      ['DESTINATION', 'destination_missing'],
    ]);
    const start = await user.call('POST', `/streams/${stream.id}/start`);
    expect(refusal(start)).toEqual([422, 'stream_not_ready']);
    expect(start.body.readiness).toEqual(body);
    expect((await get(stream.id)).state).toBe('draft');
  });

  it('ask for credits', async () => {
    const poor = await service.user(0);
    const { body: stream } = await poor.call('POST', '/streams', {});
    const { body } = await poor.call('GET', `/streams/${stream.id}/readiness`);
    expect(body.issues).toContainEqual(expect.objectContaining({ path: 'BILLING', code: 'no_credits' }));
  });

  it('make a ready stream activating with a replica and one command; a second start changes nothing', async () => {
    const id = await readyStream();
    expect((await user.call('GET', `/streams/${id}/readiness`)).body).toMatchObject({ ready: true, issues: [] });
    const { status, body } = await user.call('POST', `/streams/${id}/start`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      state: 'activating',
      status: 'ACTIVE',
      transitions: [{ from: 'draft', to: 'activating', cause: 'start' }],
      replicas: [{ role: 'primary', state: 'waiting' }],
    });
    expect(body.streamStateID).toBe(body.transitions[0].id);
    expect((await user.call('POST', `/streams/${id}/start`)).body).toEqual(body);
    expect(await queuesToldOf(id)).toEqual(['publish-ffmpeg']);
  });

  it('publish changed drafts with the start', async () => {
    const id = (await user.call('POST', '/streams', { destinationID: await destination() })).body.id;
    const playlist = (await user.call('POST', '/playlists', { streamID: id, kind: 'video', mode: 'shuffle' })).body.id;
    expect((await get(id)).playlistIDs).toEqual([playlist]);
    await user.call('POST', `/playlists/${playlist}/operations`, {
      operations: [{ op: 'add', uploadID: await upload() }],
    });
    expect((await user.call('POST', `/streams/${id}/start`)).status).toBe(200);
    const { body } = await user.call('GET', `/playlists/${playlist}`);
    expect(body.live).toMatchObject({ version: 2, mode: 'shuffle', durationSeconds: 10 });
  });

  it('refuse a size that the platform behind the destination does not accept, and name those it does', async () => {
    const destinationID = await destinationAt('rtmps://live.twitch.tv/app');
    const id = await readyStream({ destinationID, quality: 'q_1440p', framerate: 'f_30' });
    const { body } = await user.call('GET', `/streams/${id}/readiness`);
    expect(body).toMatchObject({
      ready: false,
      issues: [
        { path: 'DESTINATION', code: 'destination_limit', suggestion: expect.stringContaining('q_1080p with f_30') },
      ],
    });
    expect(refusal(await user.call('PATCH', `/streams/${id}`, { status: 'ACTIVE' }))).toEqual([
      422,
      'stream_not_ready',
    ]);
    expect((await user.call('PATCH', `/streams/${id}`, { quality: 'q_1080p', status: 'ACTIVE' })).body.state).toBe(
      'activating',
    );
  });

  it('refuse a codec that the platform does not accept, and let the stream start in H.264', async () => {
    const destinationID = await destinationAt('rtmps://live-api-s.facebook.com/rtmp');
    const id = await readyStream({
      destinationID,
      streamBackend: 'manifest',
      quality: 'q_1080p',
      framerate: 'f_30',
      videoCodec: 'hevc',
    });
    const { body } = await user.call('GET', `/streams/${id}/readiness`);
    expect(body).toMatchObject({
      ready: false,
      issues: [
        { code: 'destination_limit', error: 'Facebook accepts only H.264.', suggestion: 'Set videoCodec to h264.' },
      ],
    });
    expect((await user.call('PATCH', `/streams/${id}`, { videoCodec: null, status: 'ACTIVE' })).body).toMatchObject({
      state: 'preparing',
      videoCodec: null,
    });
  });

  it('need one playable item of a playlist, and name the items that are left out', async () => {
    const id = (await user.call('POST', '/streams', { destinationID: await destination() })).body.id;
    const playlist = await playlistOf(id);
    const broken = (await user.call('POST', '/uploads', { name: 'never sent', mimeType: 'video/mp4' })).body.id;
    await user.call('POST', `/playlists/${playlist}/operations`, { operations: [{ op: 'add', uploadID: broken }] });
    expect(codesOf(await user.call('GET', `/streams/${id}/readiness`))).toEqual(['playlist_not_playable']);
    const edited = await user.call('POST', `/playlists/${playlist}/operations`, {
      operations: [{ op: 'add', uploadID: await upload() }],
    });
    expect(edited.body.draft.items.map((item: { failure: { code: string } | null }) => item.failure?.code)).toEqual([
      'upload_not_uploaded',
      undefined,
    ]);
    const ready = await user.call('GET', `/streams/${id}/readiness`);
    expect(ready.body).toMatchObject({
      ready: true,
      issues: [{ code: 'playlist_items_skipped', stage: 'PREPARATION', path: 'PLAYLIST' }],
    });
    expect((await user.call('POST', `/streams/${id}/start`)).status).toBe(200);
  });
});

describe('stop', () => {
  it('stops at once a stream that no agent holds, and answers one that is not running as it is', async () => {
    const id = await readyStream();
    expect((await user.call('POST', `/streams/${id}/stop`)).body.state).toBe('draft');
    await user.call('POST', `/streams/${id}/start`);
    const { body } = await user.call('POST', `/streams/${id}/stop`);
    expect(body).toMatchObject({ state: 'stopped', status: 'INACTIVE', replicas: [] });
    expect(body.stoppedAt).not.toBeNull();
    expect((await user.call('POST', `/streams/${id}/stop`)).body.state).toBe('stopped');
    expect((await user.call('POST', `/streams/${id}/start`)).body.state).toBe('activating');
  });
});

describe('PATCH /streams/{id}', () => {
  it('leaves absent fields as they are, clears those that are null, and applies all or nothing', async () => {
    const id = await readyStream({ name: 'before', quality: 'q_720p' });
    const { body } = await user.call('PATCH', `/streams/${id}`, { name: null });
    expect(body).toMatchObject({ name: null, quality: 'q_720p' });
    const refused = await user.call('PATCH', `/streams/${id}`, { name: 'after', destinationID: 'nothing' });
    expect(refusal(refused)).toEqual([422, 'validation_failed']);
    expect((await get(id)).name).toBeNull();
  });

  it('starts and stops by status, and undoes the rest when the start is refused', async () => {
    const id = await readyStream();
    expect((await user.call('PATCH', `/streams/${id}`, { status: 'ACTIVE' })).body.state).toBe('activating');
    expect((await user.call('PATCH', `/streams/${id}`, { status: 'INACTIVE' })).body.state).toBe('stopped');
    const refused = await user.call('PATCH', `/streams/${id}`, { name: 'new', destinationID: null, status: 'ACTIVE' });
    expect(refusal(refused)).toEqual([422, 'stream_not_ready']);
    expect(await get(id)).toMatchObject({ name: null, destinationID: expect.any(String) });
  });

  it('changes only name, duration, end and status of a live stream', async () => {
    const id = await readyStream();
    await user.call('POST', `/streams/${id}/start`);
    expect(refusal(await user.call('PATCH', `/streams/${id}`, { quality: 'q_720p' }))).toEqual([422, 'stream_live']);
    const { body } = await user.call('PATCH', `/streams/${id}`, {
      name: 'live',
      streamDuration: 60,
      scheduleEndAt: inFuture(60),
    });
    expect(body).toMatchObject({ name: 'live', streamDuration: 60, state: 'activating' });
  });

  it('changes the codec of a stream that is not live, with the backend that it needs', async () => {
    const editor = await service.user();
    await allowBackendEdit(service, editor.id);
    const { id } = (await editor.call('POST', '/streams', { streamBackend: 'manifest' })).body;
    const patch = (body: object) => editor.call('PATCH', `/streams/${id}`, body);
    const pathOf = ({ body }: Answer) => body.errors[0].path;
    expect((await patch({ videoCodec: 'av1' })).body.videoCodec).toBe('av1');
    expect((await patch({ name: 'same' })).body.videoCodec).toBe('av1');
    expect(pathOf(await patch({ streamBackend: null }))).toBe('/streamBackend');
    expect((await patch({ streamBackend: null, videoCodec: null })).body).toMatchObject({
      streamBackend: null,
      videoCodec: null,
    });
    expect(pathOf(await patch({ videoCodec: 'hevc' }))).toBe('/videoCodec');
    expect((await patch({ streamBackend: 'manifest', videoCodec: 'hevc' })).body.videoCodec).toBe('hevc');
    const live = await readyStream({ streamBackend: 'manifest', videoCodec: 'hevc' });
    await user.call('POST', `/streams/${live}/start`);
    expect(refusal(await user.call('PATCH', `/streams/${live}`, { videoCodec: 'h264' }))).toEqual([422, 'stream_live']);
  });

  it('refuses an update for an older state, a backend that may not be edited, and a mirror of no account', async () => {
    const id = await readyStream();
    const { streamStateID } = (await user.call('POST', `/streams/${id}/start`)).body;
    await user.call('POST', `/streams/${id}/stop`);
    expect(refusal(await user.call('PATCH', `/streams/${id}`, { name: 'x', streamStateID }))).toEqual([
      422,
      'version_conflict',
    ]);
    expect(refusal(await user.call('PATCH', `/streams/${id}`, { streamBackend: 'manifest' }))).toEqual([
      403,
      'feature_disabled',
    ]);
    expect(refusal(await user.call('PATCH', `/streams/${id}`, { retryMirror: true }))).toEqual([422, 'not_managed']);
  });

  it('moves a playlist from the stream that had it to the one that names it', async () => {
    const first = await readyStream();
    const second = await readyStream();
    const playlist = await playlistOf(first);
    await user.call('PATCH', `/streams/${second}`, { playlistIDs: [playlist] });
    expect((await get(first)).playlistIDs).toEqual([]);
    expect((await user.call('GET', `/playlists/${playlist}`)).body.streamID).toBe(second);
  });

  it('makes a stream a draft again that was invalid, once nothing that it names is gone', async () => {
    const uploadID = await upload();
    const id = await readyStream({ videoUploadObjectID: uploadID });
    await user.call('DELETE', `/uploads/${uploadID}`);
    expect((await get(id)).state).toBe('invalid');
    expect((await user.call('PATCH', `/streams/${id}`, { videoUploadObjectID: await upload() })).body.state).toBe(
      'draft',
    );
  });
});

describe('schedules', () => {
  it('are armed, moved and cancelled', async () => {
    const id = await readyStream();
    const startAt = inFuture(3600);
    const { body } = await user.call('POST', `/streams/${id}/schedule`, {
      scheduleStartAt: startAt,
      scheduleEndAt: inFuture(7200),
    });
    expect(body).toMatchObject({ state: 'scheduled', scheduleStartAt: startAt, nextOccurrences: [startAt] });
    const later = inFuture(5000);
    await user.call('PATCH', `/streams/${id}`, { scheduleStartAt: later });
    expect(await dueTimeOf(service, id, 'schedule_start')).toEqual(new Date(later));
    const again = { scheduleStartAt: startAt, recurrence: { rule: 'FREQ=DAILY', timeZone: 'UTC' } };
    expect((await user.call('POST', `/streams/${id}/schedule`, again)).body).toMatchObject({
      state: 'scheduled',
      scheduleStartAt: startAt,
      scheduleEndAt: null,
      recurrence: again.recurrence,
    });
    expect(await dueTimeOf(service, id, 'schedule_end')).toBeNull();
    expect(refusal(await user.call('PATCH', `/streams/${id}`, { scheduleStartAt: null }))).toEqual([
      422,
      'stream_not_schedulable',
    ]);
    expect(refusal(await user.call('POST', `/streams/${id}/stop`))).toEqual([422, 'stream_not_stoppable']);
    const cancelled = await user.call('DELETE', `/streams/${id}/schedule`);
    expect(cancelled.body).toMatchObject({
      state: 'draft',
      scheduleStartAt: null,
      scheduleEndAt: null,
      nextOccurrences: [],
    });
    for (const kind of dueKinds) expect(await dueTimeOf(service, id, kind)).toBeNull();
    expect(refusal(await user.call('DELETE', `/streams/${id}/schedule`))).toEqual([422, 'stream_not_scheduled']);
  });

  it('are refused in the past, in a wrong order, and for a stream that is live', async () => {
    const id = await readyStream();
    const schedule = (body: object) => user.call('POST', `/streams/${id}/schedule`, body);
    expect(refusal(await schedule({ scheduleStartAt: '2020-01-01T00:00:00Z' }))).toEqual([422, 'schedule_in_past']);
    expect(refusal(await schedule({ scheduleStartAt: inFuture(60), scheduleEndAt: inFuture(30) }))).toEqual([
      422,
      'validation_failed',
    ]);
    expect(refusal(await schedule({ scheduleStartAt: 'tomorrow' }))).toEqual([422, 'validation_failed']);
    const wrong = {
      scheduleStartAt: '2020-01-02T00:00:00Z',
      scheduleEndAt: '2020-01-01T00:00:00Z',
      recurrence: { rule: 'FREQ=HOURLY;BYHOUR=77', timeZone: 'UTC' },
    };
    expect((await schedule(wrong)).body.errors.map(({ path }: { path: string }) => path)).toEqual([
      '/scheduleStartAt',
      '/scheduleEndAt',
      '/recurrence/rule',
    ]);
    await user.call('POST', `/streams/${id}/start`);
    expect(refusal(await schedule({ scheduleStartAt: inFuture(60) }))).toEqual([422, 'stream_not_schedulable']);
  });
});

describe('stats', () => {
  it('are zeros and nulls before the first run', async () => {
    const { body } = await user.call('GET', `/streams/${await readyStream()}/stats`);
    expect(body).toMatchObject({
      state: 'draft',
      startedAt: null,
      uptimeSeconds: 0,
      framesSent: 0,
      bytesSent: 0,
      currentItem: null,
      sampledAt: null,
      replicas: [],
    });
  });
});

describe('DELETE /streams/{id}', () => {
  it('leaves the playlists, and hides a live stream from its user at once', async () => {
    const id = await readyStream();
    const playlist = (await user.call('POST', '/playlists', { streamID: id, kind: 'audio', mode: 'sequential' })).body
      .id;
    await user.call('PATCH', `/streams/${id}`, { playlistIDs: [] });
    await user.call('POST', `/streams/${id}/start`);
    expect((await user.call('DELETE', `/streams/${id}`)).status).toBe(204);
    expect((await user.call('GET', `/streams/${id}`)).status).toBe(404);
    expect((await user.call('GET', `/playlists/${playlist}`)).body.streamID).toBe(id);
  });
});
