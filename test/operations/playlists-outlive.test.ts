// Playlists outlive the streams that they were made for, move to others, and are deleted by themselves.
import { describe, expect, it } from 'vitest';
import { actorsOn, inFuture } from '../support/actors.ts';
import { testService } from '../support/service.ts';

const service = testService();
const { call, claim, create, playlist, readyStream, register, report, stream, upload } = actorsOn(service);

/** A stream that plays a playlist of one upload. */
async function played(settings: object = {}, kind: 'video' | 'audio' = 'video') {
  const streamID = await readyStream({ videoUploadObjectID: null, ...settings });
  const id = await create('/playlists', { streamID, kind, mode: 'sequential' });
  const uploadID = await upload();
  await call('POST', `/playlists/${id}/operations`, { operations: [{ op: 'add', uploadID }] });
  return { id, streamID };
}

/** A playlist whose stream is deleted. */
async function left(settings: object = {}) {
  const { id, streamID } = await played(settings);
  expect((await call('DELETE', `/streams/${streamID}`)).status).toBe(204);
  return { id, streamID };
}

describe('a playlist that has no stream yet', () => {
  it('is filled, cannot be published, and comes to the stream that names it', async () => {
    const id = await create('/playlists', { kind: 'video', mode: 'sequential', name: 'Nights' });
    const operations = [{ op: 'add', uploadID: await upload() }];
    expect((await call('POST', `/playlists/${id}/operations`, { operations })).status).toBe(200);
    expect(await playlist(id)).toMatchObject({ streamID: null, name: 'Nights', draft: { items: [{ name: 'clip' }] } });
    expect((await call('POST', `/playlists/${id}/publish`)).body.code).toBe('stream_deleted');
    const streamID = await readyStream({ videoUploadObjectID: null });
    expect((await call('PATCH', `/streams/${streamID}`, { playlistIDs: [id] })).body.playlistIDs).toEqual([id]);
    expect((await playlist(id)).streamID).toBe(streamID);
  });

  it('is deleted by itself', async () => {
    const id = await create('/playlists', { kind: 'audio', mode: 'shuffle' });
    expect(await playlist(id)).toMatchObject({ streamID: null, name: 'Music' });
    expect((await call('DELETE', `/playlists/${id}`)).status).toBe(204);
  });

  it('needs a stream of the caller if it names one', async () => {
    const wished = { streamID: 'str_none', kind: 'video', mode: 'sequential' };
    expect((await call('POST', '/playlists', wished)).body.errors).toMatchObject([{ path: '/streamID' }]);
  });
});

describe('a playlist whose stream is deleted', () => {
  it('stays with its items, still names that stream, and is listed and edited', async () => {
    const { id, streamID } = await left();
    expect(await playlist(id)).toMatchObject({ id, streamID, draft: { items: [{ name: 'clip' }] } });
    expect((await call('GET', `/playlists?streamID=${streamID}`)).body.data).toMatchObject([{ id }]);
    const operations = [{ op: 'add', uploadID: await upload() }];
    expect((await call('POST', `/playlists/${id}/operations`, { operations })).body.draft.items).toHaveLength(2);
    expect((await call('PATCH', `/playlists/${id}`, { name: 'Nights' })).body.name).toBe('Nights');
  });

  it('cannot be published until it moves to another stream, which then plays it', async () => {
    const { id } = await left();
    expect((await call('POST', `/playlists/${id}/publish`)).body.code).toBe('stream_deleted');
    const next = await readyStream({ videoUploadObjectID: null });
    expect((await call('PATCH', `/streams/${next}`, { playlistIDs: [id] })).body.playlistIDs).toEqual([id]);
    expect((await playlist(id)).streamID).toBe(next);
    expect((await call('POST', `/streams/${next}/start`)).body.state).toBe('activating');
    expect((await call('POST', `/playlists/${id}/publish`)).status).toBe(202);
  });

  it('moves to a new stream', async () => {
    const { id } = await left();
    const next = await create('/streams', { playlistIDs: [id] });
    expect((await stream(next)).playlistIDs).toEqual([id]);
    expect((await playlist(id)).streamID).toBe(next);
  });

  it('does not move to another user, nor beside another of its kind', async () => {
    const { id } = await left();
    const other = await service.user();
    expect((await other.call('POST', '/streams', { playlistIDs: [id] })).body.errors).toMatchObject([
      { path: '/playlistIDs/0' },
    ]);
    const { id: own, streamID } = await played();
    const both = await call('PATCH', `/streams/${streamID}`, { playlistIDs: [own, id] });
    expect(both.body.errors).toMatchObject([{ path: '/playlistIDs' }]);
  });

  it('moves at once where the deleted stream is still stopping', async () => {
    const { id, streamID } = await played();
    await call('POST', `/streams/${streamID}/start`);
    await register('agent');
    const [replica] = await claim('agent');
    await report(replica!, 'live');
    await call('DELETE', `/streams/${streamID}`);
    const next = await readyStream({ videoUploadObjectID: null });
    expect((await call('PATCH', `/streams/${next}`, { playlistIDs: [id] })).status).toBe(200);
    await report(replica!, 'ended');
    expect((await playlist(id)).streamID).toBe(next);
  });

  it('is no longer being published', async () => {
    const { id, streamID } = await played();
    const operations = [{ op: 'add', uploadID: await create('/uploads', { name: 'late', mimeType: 'video/mp4' }) }];
    await call('POST', `/playlists/${id}/operations`, { operations });
    await call('POST', `/playlists/${id}/publish`);
    await call('DELETE', `/streams/${streamID}`);
    expect(await playlist(id)).toMatchObject({ publishStatus: 'IDLE', publishFailure: null, live: null });
  });

  it('counts against its limit until it is deleted by itself', async () => {
    const used = async () => {
      const { limits } = (await call('GET', '/me')).body;
      return limits.find(({ limit }: { limit: string }) => limit === 'playlists').used;
    };
    const { id } = await left();
    expect(await used()).toBe(1);
    expect((await call('DELETE', `/playlists/${id}`)).status).toBe(204);
    expect([(await call('GET', `/playlists/${id}`)).status, await used()]).toEqual([404, 0]);
  });
});

describe('the name of a playlist', () => {
  it('is that of its stream and its kind unless its user gives one, and is bounded', async () => {
    const made = async (name: string | null, kind: string, more: object = {}) => {
      const streamID = await create('/streams', { name });
      return (await call('POST', '/playlists', { streamID, kind, mode: 'shuffle', ...more })).body.name;
    };
    expect(await made('Night Radio', 'video')).toBe('Playlist of Night Radio');
    expect(await made('Night Radio', 'audio')).toBe('Music of Night Radio');
    expect(await made(null, 'audio')).toBe('Music');
    expect(await made('Night Radio', 'video', { name: 'Rain' })).toBe('Rain');
    expect((await made('x'.repeat(255), 'video')).length).toBe(255);
  });

  it('is given at the latest when its stream is deleted', async () => {
    const { id, streamID } = await played({ name: 'Night Radio' });
    await call('PATCH', `/playlists/${id}`, { name: null });
    await call('DELETE', `/streams/${streamID}`);
    expect((await playlist(id)).name).toBe('Playlist of Night Radio');
  });
});

describe('the deletion of a playlist', () => {
  it('is refused while a live stream plays it, which is named', async () => {
    const { id, streamID } = await played({ name: 'Night Radio' });
    await call('POST', `/streams/${streamID}/start`);
    const { status, body } = await call('DELETE', `/playlists/${id}`);
    expect([status, body.code]).toEqual([422, 'stream_live']);
    expect(body.detail).toContain(`${streamID} (Night Radio)`);
  });

  it('is refused while a scheduled stream plays it, and allowed once the schedule is cancelled', async () => {
    const { id, streamID } = await played({ name: 'Night Radio' });
    await call('POST', `/streams/${streamID}/schedule`, { scheduleStartAt: inFuture(3600) });
    const { status, body } = await call('DELETE', `/playlists/${id}`);
    expect([status, body.code]).toEqual([422, 'resource_in_use']);
    expect(body.detail).toContain(`${streamID} (Night Radio)`);
    await call('DELETE', `/streams/${streamID}/schedule`);
    expect((await call('DELETE', `/playlists/${id}`)).status).toBe(204);
    expect((await stream(streamID)).state).toBe('invalid');
  });

  it('is allowed while its stream is live without it', async () => {
    const { id, streamID } = await played();
    await call('PATCH', `/streams/${streamID}`, { playlistIDs: [], videoUploadObjectID: await upload() });
    await call('POST', `/streams/${streamID}/start`);
    expect((await call('DELETE', `/playlists/${id}`)).status).toBe(204);
  });
});
