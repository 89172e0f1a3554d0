// A user's limit of slots bounds sending too: each output counts, by its way out, from the start of a run to its end.
import { describe, expect, it } from 'vitest';
import { databaseOn } from '../../lambda/data/database.ts';
import { actorsOn } from '../support/actors.ts';
import { testService } from '../support/service.ts';

const service = testService({ limitFactor: 1 });
const { create, readyStream, user } = actorsOn(service);

const allow = (slots: number) => databaseOn(service.pool()).limits.override(user().id, 'runningSlots', slots);
const used = async () => {
  const { limits } = (await user().call('GET', '/me')).body;
  return limits.find(({ limit }: { limit: string }) => limit === 'runningSlots').used;
};
/** Another server for each name. */
const srt = (name: string) => create('/destinations', { name, url: `srt://${name}.example.com:9000` });
const rtmp = (name: string) =>
  create('/destinations', { name, rtmpURL: `rtmp://${name}.example.com/live`, streamKey: 'key' });
/** A prepared stream: over SRT, each output takes between 8 and 9 slots. */
const prepared = async (destinationIDs: readonly string[]) => {
  const [destinationID, ...further] = destinationIDs;
  const id = await readyStream({ streamBackend: 'manifest', quality: 'q_2160p', framerate: 'f_60', destinationID });
  for (const other of further) await create(`/streams/${id}/outputs`, { destinationID: other });
  return id;
};
const start = (id: string) => user().call('POST', `/streams/${id}/start`);
const refused = { status: 422, body: { code: 'limit_reached', limit: 'runningSlots' } };

describe('the slots of what is sent', () => {
  it('count all outputs of a start, before any of them is sent', async () => {
    await allow(16);
    const twice = await prepared([await srt('a'), await srt('b')]);
    expect(await start(twice)).toMatchObject(refused);
    await allow(18);
    expect((await start(twice)).status).toBe(200);
    expect(await used()).toBe(17);
    expect(await start(await prepared([await srt('c')]))).toMatchObject(refused);
  });

  it('are taken by an output that is added or enabled on air, and free again without it', async () => {
    await allow(18);
    const id = await prepared([await srt('a'), await srt('b')]);
    await start(id);
    const c = await srt('c');
    expect(await user().call('POST', `/streams/${id}/outputs`, { destinationID: c })).toMatchObject(refused);
    const off = await create(`/streams/${id}/outputs`, { destinationID: c, enabled: false });
    const path = `/streams/${id}/outputs/${off}`;
    expect(await user().call('PATCH', path, { enabled: true })).toMatchObject(refused);
    const { body: outputs } = await user().call('GET', `/streams/${id}/outputs`);
    await user().call('PATCH', `/streams/${id}/outputs/${outputs.data[1].id}`, { enabled: false });
    expect(await used()).toBe(9);
    expect((await user().call('PATCH', path, { enabled: true })).status).toBe(200);
    expect(await used()).toBe(17);
    await user().call('DELETE', path);
    expect(await used()).toBe(9);
  });

  it('are those of the new address of a destination on air', async () => {
    await allow(8);
    const destinationID = await rtmp('a');
    const id = await prepared([destinationID]);
    expect((await start(id)).status).toBe(200);
    expect(await used()).toBe(0);
    const change = { url: 'srt://a.example.com:9000' };
    expect(await user().call('PATCH', `/destinations/${destinationID}`, change)).toMatchObject(refused);
    expect((await user().call('GET', `/destinations/${destinationID}`)).body.url).toContain('rtmp:');
    await allow(9);
    expect((await user().call('PATCH', `/destinations/${destinationID}`, change)).status).toBe(200);
    expect(await used()).toBe(9);
  });

  it('are held by outputs that were given up, which a retry begins again', async () => {
    await allow(18);
    const id = await prepared([await srt('a'), await srt('b')]);
    await start(id);
    await databaseOn(service.pool()).replicas.giveUp(id, null, { code: 'stream_key_refused', detail: 'refused' });
    expect(await used()).toBe(17);
    expect(await start(await prepared([await srt('c')]))).toMatchObject(refused);
  });

  it('are free again after a stop', async () => {
    await allow(9);
    const id = await prepared([await srt('a')]);
    await start(id);
    await user().call('POST', `/streams/${id}/stop`);
    expect(await used()).toBe(0);
    expect((await start(await prepared([await srt('b')]))).status).toBe(200);
  });
});
