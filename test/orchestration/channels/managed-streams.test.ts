// Streams to a connected channel: reasons that prevent a start, and the wait for their ingest at the platform.
import { describe, expect, it } from 'vitest';
import { launchOnIngest } from '../../../lambda/orchestration/runs/launch-stream.ts';
import { actorsOn, inFuture } from '../../support/actors.ts';
import { managedActors } from '../../support/managed-streams.ts';
import { testService } from '../../support/service.ts';

const service = testService();
const actors = actorsOn(service);
const { call, claim, commands, data, dueKinds, readyStream, register, report, stream, transaction } = actors;
const { connect, onChannel, storeIngest } = managedActors(service, actors);

const ingest = { url: 'rtmp://127.0.0.1/live', backupURL: 'rtmp://127.0.0.1/backup', key: 'key' };
const managedStream = async (more: object = {}) =>
  readyStream({ destinationID: null, ...(await onChannel()), ...more });
const readiness = async (id: string) => {
  const { ready, issues } = (await call('GET', `/streams/${id}/readiness`)).body;
  return [ready, issues.map(({ code }: { code: string }) => code)] as const;
};
const start = (id: string) => call('POST', `/streams/${id}/start`);
const published = async () => (await commands()).filter(({ queue }) => queue.startsWith('publish'));
const store = (sql: string, ...values: unknown[]) => service.pool().query(sql, values);

describe('the readiness of a managed stream', () => {
  it('asks for a connected channel, then for its settings, and lets the stream start with both', async () => {
    const id = await readyStream({ destinationID: null, streamDestination: 'managed' });
    expect(await readiness(id)).toEqual([false, ['not_connected']]);
    const connectionID = await connect();
    expect(await readiness(id)).toEqual([false, ['settings_missing']]);
    await call('PATCH', `/streams/${id}`, await onChannel(connectionID));
    expect(await readiness(id)).toEqual([true, []]);
    await call('DELETE', `/managed-settings/${(await stream(id)).managedSettingsID}`);
    expect(await readiness(id)).toEqual([false, ['settings_missing']]);
  });

  it.each(['grant_revoked', 'scope_missing', 'live_not_enabled'] as const)('names the state %s', async (state) => {
    const id = await managedStream(await onChannel(await connect(state)));
    expect(await readiness(id)).toEqual([false, [state]]);
    expect((await start(id)).body).toMatchObject({ code: 'stream_not_ready' });
  });

  it('waits for calls that are used up, unless a broadcast is prepared', async () => {
    const id = await managedStream();
    const { managedSettingsID } = await stream(id);
    await store(
      `insert into platform_quota (platform, day, exhausted_until) values ('youtube', current_date, $1)`,
      inFuture(60),
    );
    expect(await readiness(id)).toEqual([false, ['quota_exhausted']]);
    await store(
      `insert into broadcasts
         (id, stream_id, connection_id, n, title, external_id, scheduled_start_at, auto_start, bound)
       select 'brd_1', $1, connection_id, 1, 'x', 'ext', now(), true, true from managed_settings where id = $2`,
      id,
      managedSettingsID,
    );
    expect(await readiness(id)).toEqual([true, []]);
    await store('delete from platform_quota');
  });

  it('tells two days before that a grant ends by itself', async () => {
    const id = await managedStream();
    await store(`update connections set grant_ends_at = now() + interval '3 days'`);
    expect(await readiness(id)).toEqual([true, []]);
    await store(`update connections set grant_ends_at = now() + interval '47 hours'`);
    expect(await readiness(id)).toEqual([true, ['grant_expiring']]);
  });

  it('says that a title is cut, and that the platform does not take the format', async () => {
    const id = await managedStream({
      ...(await onChannel(undefined, { titleTemplate: `${'Night radio '.repeat(9)}{date}` })),
      quality: 'q_2160p',
      framerate: 'f_60',
    });
    expect(await readiness(id)).toEqual([true, ['title_cut']]);
    await store(`update connections set platform = 'twitch'`);
    expect((await readiness(id))[1]).toContain('destination_limit');
  });
});

it('the readiness of a managed stream tells of titles that are cut as viewers read them', async () => {
  const videoUploadObjectID = await actors.upload();
  const id = await managedStream({
    ...(await onChannel(undefined, { titleTemplate: 'Now: {item}' })),
    videoUploadObjectID,
  });
  expect(await readiness(id)).toEqual([true, []]);
  await call('PATCH', `/uploads/${videoUploadObjectID}`, { title: 'Night '.repeat(12), artist: 'Radio '.repeat(12) });
  expect(await readiness(id)).toEqual([true, ['title_cut']]);

  // Songs are named in place of the picture behind them.
  const playlistID = await actors.create('/playlists', { streamID: id, kind: 'audio', mode: 'sequential' });
  const operations = [{ op: 'add', uploadID: await actors.upload() }];
  await call('POST', `/playlists/${playlistID}/operations`, { operations });
  expect(await readiness(id)).toEqual([true, []]);
});

it('the thumbnail of managed settings is in use until they name another one', async () => {
  const thumbnailUploadID = await actors.upload();
  const { managedSettingsID } = await onChannel(undefined, { thumbnailUploadID });
  const { usedBy } = (await call('GET', `/uploads/${thumbnailUploadID}`)).body;
  expect(usedBy).toEqual({ playlists: 0, streams: 0, managedSettings: 1, clips: 0 });
  const refused = await call('DELETE', `/uploads/${thumbnailUploadID}`);
  expect([refused.status, refused.body.code]).toEqual([422, 'resource_in_use']);
  expect(refused.body.errors[0].detail).toBe(
    `The upload is used by the thumbnail of managed settings ${managedSettingsID} (x).`,
  );
  await call('PATCH', `/managed-settings/${managedSettingsID}`, { thumbnailUploadID: null });
  expect((await call('DELETE', `/uploads/${thumbnailUploadID}`)).status).toBe(204);
});

it('an upload that is being deleted does not become a thumbnail', async () => {
  const thumbnailUploadID = await actors.upload();
  const { managedSettingsID } = await onChannel();
  const locks = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  const { naming } = await transaction(async (tx) => {
    await tx.uploads.lock(actors.user().id, thumbnailUploadID);
    const change = call('PATCH', `/managed-settings/${managedSettingsID}`, { thumbnailUploadID });
    await expect.poll(async () => (await store(locks)).rowCount).toBe(1);
    await tx.uploads.delete(thumbnailUploadID);
    return { naming: change };
  });
  expect((await naming).body.errors).toMatchObject([{ path: '/thumbnailUploadID' }]);
});

describe('a managed stream that is started', () => {
  it('waits in activating until its ingest is known, and says for what', async () => {
    const id = await managedStream();
    expect((await start(id)).body).toMatchObject({ state: 'activating', stateReason: { code: 'platform_awaited' } });
    expect([await published(), await dueKinds(id)]).toEqual([[], []]);
    await register('agent');
    expect(await claim('agent')).toEqual([]);
    await storeIngest(id, ingest);
    for (let times = 0; times < 2; times++) await transaction((tx) => launchOnIngest(tx, id));
    expect(await published()).toMatchObject([{ body: { streamID: id } }]);
    expect(await stream(id)).toMatchObject({ state: 'activating', stateReason: null });
    const [replica] = await claim('agent');
    await report(replica!, 'live');
    expect(await stream(id)).toMatchObject({ state: 'active' });
  });

  it('stops at once while it waits, and is not launched any more', async () => {
    const id = await managedStream();
    await start(id);
    expect((await call('POST', `/streams/${id}/stop`)).body).toMatchObject({ state: 'stopped' });
    await storeIngest(id, ingest);
    await transaction((tx) => launchOnIngest(tx, id));
    expect([await published(), (await stream(id)).state]).toEqual([[], 'stopped']);
  });

  it('is launched at once where its ingest is known from before', async () => {
    const id = await managedStream();
    await storeIngest(id, ingest);
    await start(id);
    expect(await published()).toHaveLength(1);
    expect(await dueKinds(id)).toEqual(['activation_timeout']);
  });

  it('waits where the ingest that is known is of another channel', async () => {
    const id = await managedStream();
    await storeIngest(id, ingest);
    await call('PATCH', `/streams/${id}`, await onChannel());
    expect((await start(id)).body).toMatchObject({ state: 'activating', stateReason: { code: 'platform_awaited' } });
  });

  it('marks the destination of its channel as used, and keeps its connection from being deleted', async () => {
    const id = await managedStream();
    await storeIngest(id, ingest);
    await start(id);
    await register('agent');
    const [replica] = await claim('agent');
    await report(replica!, 'live');
    const [{ id: connectionID }] = (await call('GET', '/connections')).body.data;
    const deleted = await call('DELETE', `/connections/${connectionID}`);
    expect(deleted.body).toMatchObject({ code: 'resource_in_use' });
    expect((await data().managedStreams.channel(id))?.connection_id).toBe(connectionID);
  });
});
