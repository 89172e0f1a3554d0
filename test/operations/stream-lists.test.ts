// Streams that are searched, counted, duplicated and retried, through the REST surface.
import { describe, expect, it } from 'vitest';
import { actorsOn } from '../support/actors.ts';
import { storeIncident } from '../support/incidents.ts';
import { testService } from '../support/service.ts';
import { pretendFailed } from '../support/stored-streams.ts';

const service = testService();
const {
  activeStream,
  call,
  claim,
  create,
  data,
  destination,
  playlist,
  readyStream,
  register,
  report,
  stream,
  upload,
} = actorsOn(service);

const named = (name: string | null) => create('/streams', { name });
const listed = async (query: string) =>
  (await call('GET', `/streams?${query}`)).body.data.map(({ name }: { name: string }) => name);

describe('streams are looked for', () => {
  it('by a part of the name, in whatever case, and nothing in it is a pattern', async () => {
    for (const name of ['Évening loop', 'Morning LOOP', '100 %', null]) await named(name);
    expect(await listed('q=loop&sort=name')).toEqual(['Évening loop', 'Morning LOOP']);
    expect(await listed('q=%25')).toEqual(['100 %']);
    expect(await listed('q=_')).toEqual([]);
  });

  it('by name, in the order of people, page by page, and by when they changed', async () => {
    const second = await named('Take 2');
    for (const name of ['Take 10', 'Take 1']) await named(name);
    await call('PATCH', `/streams/${second}`, { agentModeEnabled: true });
    expect(await listed('sort=name')).toEqual(['Take 1', 'Take 2', 'Take 10']);
    expect(await listed('sort=-name')).toEqual(['Take 10', 'Take 2', 'Take 1']);
    expect((await listed('sort=-updatedAt'))[0]).toBe('Take 2');
    const first = await call('GET', '/streams?sort=name&limit=2');
    const rest = await call('GET', `/streams?sort=name&limit=2&cursor=${first.body.page.nextCursor}`);
    expect(rest.body.data.map(({ name }: { name: string }) => name)).toEqual(['Take 10']);
    const { updatedAt } = await stream(second);
    expect(await listed(`updatedSince=${updatedAt}`)).toEqual(['Take 2']);
    expect((await call('GET', `/streams?sort=-name&cursor=${first.body.page.nextCursor}`)).body.code).toBe(
      'invalid_cursor',
    );
  });

  it('by where they go, and by any of some states', async () => {
    const destinationID = await destination();
    const other = await create('/destinations', { name: 'b', url: 'rtmp://127.0.0.1/b', streamKey: 'other' });
    const first = await readyStream({ name: 'first', destinationID });
    await call('POST', `/streams/${first}/outputs`, { destinationID: other });
    await readyStream({ name: 'second', destinationID });
    await named('third');
    expect(await listed(`destinationID=${destinationID}&sort=name`)).toEqual(['first', 'second']);
    expect(await listed(`destinationID=${other}`)).toEqual(['first']);
    await pretendFailed(service, first);
    expect(await listed('state=failed')).toEqual(['first']);
    expect((await listed('state=failed&state=draft')).toSorted()).toEqual(['first', 'second', 'third']);
  });

  it('by whether somebody should look at them, which their count says as well', async () => {
    const failed = await named('failed');
    await pretendFailed(service, failed);
    const told = await named('told');
    const incidentID = await storeIncident(service, (await call('GET', '/me')).body.id, 'stream_away');
    await service.pool().query('update incidents set stream_id = $2 where id = $1', [incidentID, told]);
    await named('well');
    expect(await listed('needsAttention=true&sort=name')).toEqual(['failed', 'told']);
    expect(await listed('needsAttention=false')).toEqual(['well']);
    expect((await call('GET', '/streams/count')).body).toEqual({
      count: 3,
      needAttention: 2,
      states: expect.arrayContaining([
        { state: 'failed', count: 1 },
        { state: 'draft', count: 2 },
      ]),
    });
  });
});

describe('a stream says in what it is sent, and what that costs an hour', () => {
  it('with the defaults of its user until it has its own, and with all outputs and backups', async () => {
    const { defaults } = (await call('GET', '/me')).body;
    expect(await stream(await named('plain'))).toMatchObject({
      effective: { quality: defaults.quality, framerate: defaults.framerate, videoCodec: 'h264' },
    });
    const id = await readyStream({ quality: 'q_1080p', framerate: 'f_30' });
    expect(await stream(id)).toMatchObject({
      effective: { quality: 'q_1080p', framerate: 'f_30', videoCodec: 'h264' },
      creditsPerHour: 39,
    });
    const without = await create('/destinations', { name: 'b', url: 'rtmp://127.0.0.1/b', streamKey: 'other' });
    const { body: output } = await call('POST', `/streams/${id}/outputs`, { destinationID: without });
    expect((await stream(id)).creditsPerHour).toBeCloseTo(39 * 1.6);
    await call('PATCH', `/streams/${id}`, { agentModeEnabled: true, runBackupStream: true });
    expect((await stream(id)).creditsPerHour).toBeCloseTo(39 * 2.6);
    await call('PATCH', `/streams/${id}/outputs/${output.id}`, { enabled: false });
    expect((await stream(id)).creditsPerHour).toBe(78);
  });
});

describe('a duplicate of a stream', () => {
  it('has all settings, playlists and outputs of its own, and neither the schedule nor the state', async () => {
    const id = await readyStream({ name: 'loop', videoUploadObjectID: null, sound: { loudness: { targetLUFS: -20 } } });
    const playlistID = await create('/playlists', { streamID: id, kind: 'video', mode: 'shuffle', name: 'Nights' });
    const operations = [{ op: 'add', uploadID: await upload() }];
    await call('POST', `/playlists/${playlistID}/operations`, { operations });
    const other = await create('/destinations', { name: 'b', url: 'rtmp://127.0.0.1/b', streamKey: 'other' });
    await call('POST', `/streams/${id}/outputs`, { destinationID: other, name: 'second', enabled: false });
    await call('POST', `/streams/${id}/schedule`, { scheduleStartAt: '2999-01-01T00:00:00Z' });
    const source = await stream(id);
    const { status, headers, body: copy } = await call('POST', `/streams/${id}/duplicate`, { name: 'copy' });
    expect([status, headers.get('location')]).toEqual([201, expect.stringContaining(`/streams/${copy.id}`)]);
    expect(copy).toMatchObject({
      name: 'copy',
      state: 'draft',
      quality: source.quality,
      sound: source.sound,
      destinationID: source.destinationID,
      scheduleStartAt: null,
      outputs: [{ isFirst: true }, { destinationID: other, name: 'second', enabled: false }],
    });
    expect(copy.id).not.toBe(id);
    const [copiedID] = copy.playlistIDs;
    expect(copiedID).not.toBe(playlistID);
    const own = await playlist(copiedID);
    expect(own).toMatchObject({ streamID: copy.id, kind: 'video', mode: 'shuffle', name: 'Nights' });
    expect(own.draft.items).toEqual((await playlist(playlistID)).draft.items);
    expect((await stream(id)).playlistIDs).toEqual([playlistID]);
    expect((await call('POST', `/streams/${id}/duplicate`, {})).body.name).toBe('loop');
  });
});

describe('what fails of a stream is tried again at once', () => {
  it('by a new claim of its agent, while what is live goes on', async () => {
    await register('agent');
    const { id, held } = await activeStream('agent', { agentModeEnabled: true, runBackupStream: true });
    const [primary, backup] = held;
    const reason = { code: 'destination_refused', detail: 'It refuses the key.' };
    await report(primary!, 'failing', { reason });
    expect((await call('POST', `/streams/${id}/retry`)).body.state).toBe('active');
    const again = (await data().replicas.find(primary!.id))!;
    expect(again).toMatchObject({ state: 'connecting', agent_id: 'agent', epoch: primary!.epoch + 1 });
    expect((await data().replicas.find(backup!.id))!.state).toBe('live');
    await report(primary!, 'live');
    expect((await data().replicas.find(primary!.id))!.state).toBe('connecting');
    await report(again, 'live');
    expect((await data().replicas.find(primary!.id))!.state).toBe('live');
  });

  it('but not again and again: a second retry of a stream has to wait', async () => {
    await register('agent');
    const { id, held } = await activeStream('agent');
    const [replica] = held;
    const reason = { code: 'destination_refused', detail: 'It refuses the key.' };
    await call('POST', `/streams/${id}/retry`);
    await report(replica!, 'failing', { reason });
    expect((await call('POST', `/streams/${id}/retry`)).status).toBe(200);
    const again = (await data().replicas.find(replica!.id))!;
    await report(again, 'failing', { reason });
    const refused = await call('POST', `/streams/${id}/retry`);
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect(refused.body.detail).toMatch(/retried a moment ago. Wait (?:[12]?\d|30) seconds/);
    expect((await data().replicas.find(replica!.id))!).toMatchObject({ state: 'failing', epoch: again.epoch });
    await service.pool().query(`update request_windows set began_at = began_at - interval '30 seconds'`);
    expect((await call('POST', `/streams/${id}/retry`)).status).toBe(200);
  });

  it('also an output that was given up', async () => {
    await register('agent');
    const { id } = await activeStream('agent');
    const destinationID = await create('/destinations', { name: 'b', url: 'rtmp://other.test/b', streamKey: 'other' });
    const { body: output } = await call('POST', `/streams/${id}/outputs`, { destinationID });
    await claim('agent');
    await data().replicas.giveUp(id, output.id, { code: 'destination_refused', detail: 'It refuses the key.' });
    await service
      .pool()
      .query(`update replicas set state = 'ended', agent_id = null where output_id = $1`, [output.id]);
    expect((await call('GET', `/streams/${id}/outputs/${output.id}`)).body.state).toBe('failing');
    await call('POST', `/streams/${id}/retry`);
    expect((await claim('agent')).map((replica) => replica.output_id)).toEqual([output.id]);
  });
});
