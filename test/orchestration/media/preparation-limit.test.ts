// A user's prepared media is limited: requests beyond the limit are refused or omitted everywhere.
import { describe, expect, it } from 'vitest';
import { publishDraft } from '../../../lambda/orchestration/playout/publish-draft.ts';
import { applyProbeResult } from '../../../lambda/orchestration/playout/apply-probe-result.ts';
import { actorsOn } from '../../support/actors.ts';
import { pretendProbed, testService } from '../../support/service.ts';

const service = testService();
const {
  call,
  commands,
  create,
  data,
  fallDue,
  fire,
  playlist,
  readyStream,
  stream,
  transaction,
  unprobed,
  upload,
  user,
} = actorsOn(service);
const prepared = { streamBackend: 'manifest', quality: 'q_720p', framerate: 'f_30' };
const limitFactor = 100;

const allow = (seconds: number) => data().limits.override(user().id, 'preparedSeconds', seconds);
const used = async () => {
  const limits = (await call('GET', '/me')).body.limits as { limit: string; used: number }[];
  return limits.find(({ limit }) => limit === 'preparedSeconds')!.used;
};
/** The requested uploads, each once. */
const askedFor = async () => [...new Set(await commandsToPrepare())];
const commandsToPrepare = async () =>
  (await commands()).filter(({ body }) => body.task === 'prepare_upload').map(({ body }) => body['uploadID'] as string);
const clip = (seconds: number) => upload({ durationSeconds: seconds });
const start = (id: string) => call('POST', `/streams/${id}/start`);
const add = (playlistID: string, uploadIDs: readonly string[]) =>
  call('POST', `/playlists/${playlistID}/operations`, {
    operations: uploadIDs.map((uploadID) => ({ op: 'add', uploadID })),
  });

/** A stream that can start, with a playlist of these uploads. */
async function playlistStream(uploadIDs: readonly string[], more: object = {}) {
  const id = await readyStream({ ...prepared, videoUploadObjectID: null, ...more });
  const playlistID = await create('/playlists', { streamID: id, kind: 'video', mode: 'sequential' });
  await add(playlistID, uploadIDs);
  return { id, playlistID };
}

describe('a start', () => {
  it('is refused with what would be too much, and nothing is asked for', async () => {
    await allow(99);
    const { id } = await playlistStream([await clip(60), await clip(40)]);
    const { status, body } = await start(id);
    expect([status, body.code, body.limit, body.used]).toEqual([422, 'limit_reached', 'preparedSeconds', 0]);
    expect([(await stream(id)).state, await askedFor(), await used()]).toEqual(['draft', [], 0]);
    await allow(100);
    expect((await start(id)).body.state).toBe('preparing');
    expect([(await askedFor()).length, await used()]).toEqual([2, 100]);
  });

  it('counts each format once, by how much work it is, and a second start nothing', async () => {
    const item = await clip(100);
    const ids = [
      await readyStream({ ...prepared, videoUploadObjectID: item }),
      await readyStream({ ...prepared, videoUploadObjectID: item }),
      await readyStream({ ...prepared, quality: 'q_2160p', framerate: 'f_60', videoUploadObjectID: item }),
    ];
    const counts = [];
    for (const id of ids) {
      expect((await start(id)).status).toBe(200);
      counts.push(await used());
    }
    expect(counts).toEqual([100, 100, 1647]);
  });

  it('counts an upload whose pictures take more work to decode by that work, and its sound as any other', async () => {
    const item = await clip(100);
    await service.pool().query('update uploads set decode_cost = 18 where id = $1', [item]);
    await start(await readyStream({ ...prepared, videoUploadObjectID: item }));
    expect(await used()).toBe(1800);
    await start(await readyStream({ ...prepared, videoUploadObjectID: await clip(10), audioUploadObjectID: item }));
    expect(await used()).toBe(1800 + 10 + 12);
  });

  it('by a user without a purchase counts for ten times as long, and later ones wait for that', async () => {
    await service.pool().query(`update invoices set type = 'free_credits' where user_id = $1`, [user().id]);
    await allow(1000);
    const [long, short] = [await clip(300), await clip(60)];
    await start(await readyStream({ ...prepared, videoUploadObjectID: long }));
    expect(await used()).toBe(300);
    const next = await readyStream({ ...prepared, videoUploadObjectID: short });
    const { status, body } = await start(next);
    expect([status, body.code, body.used, body.allowed]).toEqual([422, 'limit_reached', 300, 300]);
    expect(body.detail).toMatch(/^Within 3 hours you have used 300 of at most 300 .* Try again in 3 hours\.$/);
    const letPass = (minutes: number) =>
      service.pool().query('update request_windows set began_at = now() - make_interval(mins => $1)', [minutes]);
    await letPass(179);
    expect((await start(next)).status).toBe(422);
    await letPass(181);
    expect((await start(next)).status).toBe(200);
  });

  it('by a schedule fails with the same words', async () => {
    await allow(10);
    const { id } = await playlistStream([await clip(60)]);
    const later = new Date(Date.now() + 3_600_000).toISOString();
    await call('POST', `/streams/${id}/schedule`, { scheduleStartAt: later });
    await fallDue(id, 'schedule_start');
    await fire();
    const { state, stateReason } = await stream(id);
    expect([state, stateReason.code]).toEqual(['failed', 'limit_reached']);
    expect(stateReason.detail).toContain('You have 0 of at most 10 seconds');
  });

  it('of two at once at the edge, one is refused', async () => {
    await allow(60);
    const ids = await Promise.all([60, 60].map(async (seconds) => (await playlistStream([await clip(seconds)])).id));
    const answers = await Promise.all(ids.map(start));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
    expect(await used()).toBe(60);
  });
});

describe('what is kept prepared', () => {
  it('is asked for within the limit only, and what is prepared already stays so', async () => {
    await allow(100);
    const id = await readyStream({ ...prepared, videoUploadObjectID: null });
    const playlistID = await create('/playlists', { streamID: id, kind: 'video', mode: 'sequential' });
    await call('PATCH', `/streams/${id}`, { preparedPlaylistIDs: [playlistID] });
    const first = await clip(80);
    expect((await add(playlistID, [first])).status).toBe(200);
    expect((await add(playlistID, [await clip(80)])).status).toBe(200);
    expect([await askedFor(), await used()]).toEqual([[first], 80]);
    await allow(160);
    await add(playlistID, [first]);
    expect([(await askedFor()).length, await used()]).toEqual([2, 160]);
  });

  it('by a worker has the same limit', async () => {
    await allow(50);
    const late = await unprobed();
    const { id, playlistID } = await playlistStream([late]);
    await call('PATCH', `/streams/${id}`, { preparedPlaylistIDs: [playlistID] });
    await pretendProbed(service, late, { durationSeconds: 60 });
    await transaction((tx) => applyProbeResult(tx, late, limitFactor));
    expect([await askedFor(), await used()]).toEqual([[], 0]);
    await allow(60);
    await transaction((tx) => applyProbeResult(tx, late, limitFactor));
    expect([await askedFor(), await used()]).toEqual([[late], 60]);
  });
});

it('a draft that is published beyond the limit fails with its words', async () => {
  await allow(100);
  const { playlistID } = await playlistStream([await clip(60)]);
  const publish = async () => {
    const request = 1 + ((await data().playlists.find(user().id, playlistID))?.publish_request ?? 0);
    await call('POST', `/playlists/${playlistID}/publish`);
    const options = { now: new Date(), random: () => 0.5, limitFactor };
    await transaction((tx) => publishDraft(tx, playlistID, request, options));
    return playlist(playlistID);
  };
  expect((await publish()).publishStatus).toBe('PREPARING');
  await add(playlistID, [await clip(60)]);
  const { publishStatus, publishFailure } = await publish();
  expect([publishStatus, publishFailure.code]).toEqual(['FAILED', 'limit_reached']);
  expect(publishFailure.detail).toContain('You have 60 of at most 100 seconds');
  expect(await used()).toBe(60);
});

it('there is room again for what was deleted', async () => {
  const item = await clip(60);
  const id = await readyStream({ ...prepared, videoUploadObjectID: item });
  await start(id);
  await call('POST', `/streams/${id}/stop`);
  expect(await used()).toBe(60);
  await call('DELETE', `/streams/${id}`);
  expect((await call('DELETE', `/uploads/${item}`)).status).toBe(204);
  expect(await used()).toBe(0);
});
