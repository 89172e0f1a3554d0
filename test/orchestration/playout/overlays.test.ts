// Streams draw a logo over their pictures on request: prepared once, from the next item on, and never awaited.
import { beforeEach, describe, expect, it } from 'vitest';
import { inTransaction } from '../../../lambda/data/database.ts';
import { formatNamed } from '../../../lambda/domain/playout/rendition.ts';
import { finishPreparation } from '../../../lambda/orchestration/runs/start-prepared.ts';
import { notPrepared } from '../../../lambda/orchestration/media/request-renditions.ts';
import { applyProbeResult } from '../../../lambda/orchestration/playout/apply-probe-result.ts';
import { actorsOn } from '../../support/actors.ts';
import { testService } from '../../support/service.ts';
import { clearRenditions } from '../../support/stored-uploads.ts';

const service = testService();
const { call, claim, commands, create, data, readyStream, register, report, upload, user } = actorsOn(service);
const base = 'q_720p-f_30';
const settings = { quality: 'q_720p', framerate: 'f_30', streamBackend: 'manifest', videoUploadObjectID: null };

beforeEach(() => clearRenditions(service));

async function uploadOf(content: string): Promise<string> {
  const id = await upload();
  await data().uploads.recordContentHash(id, content);
  return id;
}

async function image(): Promise<string> {
  const id = await upload();
  const facts = `type = 'image', duration_seconds = null, audio_codec = null`;
  await service.pool().query(`update uploads set ${facts} where id = $1`, [id]);
  return id;
}

async function prepare(content: string, format: string): Promise<void> {
  await data().renditions.begin(content, formatNamed(format), 1);
  await data().renditions.finishSegment(content, format, 0);
  await finishPreparation(service.pool(), content, formatNamed(format));
}

async function playlistStream(contents: readonly string[], more: object = {}): Promise<string> {
  const id = await readyStream({ ...settings, ...more });
  const playlistID = await create('/playlists', { streamID: id, kind: 'video', mode: 'sequential' });
  const uploads = await Promise.all(contents.map(uploadOf));
  const operations = uploads.map((uploadID, index) => ({ op: 'add', uploadID, itemID: `item${index}` }));
  await call('POST', `/playlists/${playlistID}/operations`, { operations });
  return id;
}

const start = async (id: string) => (await call('POST', `/streams/${id}/start`)).body.state;
const read = async (id: string) => (await call('GET', `/streams/${id}`)).body;
const asked = async () =>
  (await commands()).flatMap(({ body }) =>
    body.task === 'prepare_upload' ? [`${body.contentHash} ${body.format}`] : [],
  );
const entriesOf = async (id: string) => (await data().timelines.ofStream(id)).video;
const drawnIn = async (id: string) => (await data().streams.lockAny(id))!.look!.drawn!;

async function goOnAir(id: string, secondsAgo: number): Promise<void> {
  await register('agent');
  const [replica] = await claim('agent');
  await report(replica!, 'live');
  const since = 'update streams set anchored_at = now() - make_interval(secs => $2) where id = $1';
  await service.pool().query(since, [id, secondsAgo]);
}

describe('titles', () => {
  const look = { overlays: { title: {} } };
  const variantsIn = async (id: string) => (await entriesOf(id)).at(-1)!.snapshot.items.map(({ variants }) => variants);

  it('are variants of the first seconds, which nobody waits for, and which are sent once they are there', async () => {
    await prepare('song', base);
    const id = await playlistStream(['song'], { look });
    const uploadID = (await data().uploads.anyWithContent('song'))!.id;
    await call('PATCH', `/uploads/${uploadID}`, { title: 'Night Drive', artist: 'The Loops' });
    expect(await start(id)).toBe('activating');
    const [[variant]] = (await variantsIn(id)) as [[string]];
    expect(variant).toMatch(/^v[\da-f]{16}f10$/);
    expect(await asked()).toEqual([`song ${base}-${variant}`]);
    const { texts } = (await data().looks.drawing(variant))!;
    expect(texts).toMatchObject([{ lines: ['Night Drive', 'The Loops'], fromSeconds: 0, toSeconds: 10 }]);
    expect((await read(id)).pendingLook).toBe(1);
    await prepare('song', `${base}-${variant}`);
    expect((await read(id)).pendingLook).toBe(0);
    expect([...(await data().looks.ofRun(id)).keys()]).toEqual([`song/${base}-${variant}`]);
  });

  it('of an upload that has none are its name, and are drawn together with the logo', async () => {
    await prepare('song', base);
    const logo = { uploadID: await image() };
    const id = await playlistStream(['song'], { look: { overlays: { logo, title: { seconds: null } } } });
    await start(id);
    const [[variant]] = (await variantsIn(id)) as [[string]];
    expect(variant).toMatch(/^v[\da-f]{16}a$/);
    expect(await asked()).toEqual([
      `song ${base}-${await drawnIn(id)}`,
      `song ${base}-${await drawnIn(id)}-${variant}`,
    ]);
    expect(await data().looks.drawing(variant)).toMatchObject({
      logo: { source: logo.uploadID },
      texts: [{ toSeconds: null }],
    });
  });

  it('are no variants of pictures to which other sound is played, as they tell of that', async () => {
    await prepare('song', base);
    const id = await playlistStream(['song'], { look, audioUploadObjectID: await uploadOf('sound') });
    await start(id);
    expect(await variantsIn(id)).toEqual([undefined]);
  });

  it('are kept prepared with the playlists of a stream', async () => {
    const id = await playlistStream(['song'], { look });
    const playlistIDs = (await read(id)).playlistIDs;
    await call('PATCH', `/streams/${id}`, { preparedPlaylistIDs: playlistIDs });
    const [whole, ...others] = await asked();
    expect(whole).toBe(`song ${base}`);
    expect(others).toEqual([expect.stringMatching(/^song q_720p-f_30-v[\da-f]{16}f10$/)]);
    await start(id);
    const [[variant]] = (await variantsIn(id)) as [[string]];
    expect(others).toEqual([`song ${base}-${variant}`]);
  });
});

describe('what comes next', () => {
  const look = { overlays: { title: {}, next: { label: 'Gleich' } } };
  const lasting = (seconds: number) =>
    service.pool().query('update uploads set duration_seconds = $1 where duration_seconds is not null', [seconds]);
  const variantsIn = async (id: string) => (await entriesOf(id)).at(-1)!.snapshot.items.map(({ variants }) => variants);
  const previewed = async (id: string, atSeconds: number) =>
    (await call('POST', `/streams/${id}/look/preview`, { look, atSeconds })).status;
  const textsOf = async (variant: string) => (await data().looks.drawing(variant))!.texts;
  const titled = async (contents: readonly string[], more: object = {}) => {
    for (const content of contents) await prepare(content, base);
    const id = await playlistStream(contents, { look, ...more });
    for (const content of contents) {
      const uploadID = (await data().uploads.anyWithContent(content))!.id;
      await call('PATCH', `/uploads/${uploadID}`, { title: content.toUpperCase() });
    }
    return id;
  };

  it('is a variant of the last seconds, beside that of the title', async () => {
    const id = await titled(['one', 'two']);
    await lasting(60.5);
    await start(id);
    const [first, second] = (await variantsIn(id)) as [[string, string], [string, string]];
    expect(first).toEqual([expect.stringMatching(/^v[\da-f]{16}f10$/), expect.stringMatching(/^v[\da-f]{16}l10$/)]);
    expect(await textsOf(first[1])).toMatchObject([{ lines: ['Gleich: TWO'], fromSeconds: 50.5, toSeconds: null }]);
    expect(await textsOf(second[1])).toMatchObject([{ lines: ['Gleich: ONE'] }]);
    expect((await asked()).toSorted()).toEqual(
      [...first.map((name) => `one ${base}-${name}`), ...second.map((name) => `two ${base}-${name}`)].toSorted(),
    );
    for (const name of first) await prepare('one', `${base}-${name}`);
    expect((await read(id)).pendingLook).toBe(1);
    expect([...(await data().looks.ofRun(id)).keys()].toSorted()).toEqual(
      first.map((name) => `one/${base}-${name}`).toSorted(),
    );
  });

  it('is in one variant with the title of an item that is short, and follows it in its place', async () => {
    const id = await titled(['one', 'two']);
    await lasting(21);
    await start(id);
    const [[variant], others] = (await variantsIn(id)) as [[string], string[]];
    expect([variant, others.length]).toEqual([expect.stringMatching(/^v[\da-f]{16}a$/), 1]);
    expect(await textsOf(variant)).toMatchObject([
      { lines: ['ONE'], toSeconds: 10 },
      { lines: ['Gleich: TWO'], fromSeconds: 11, toSeconds: null },
    ]);
  });

  it('is not of an item that is alone or hardly longer than the text, nor where other sound is played', async () => {
    const [alone, short, silent] = [
      await titled(['alone']),
      await titled(['a', 'b']),
      await titled(['c', 'd'], { audioUploadObjectID: await uploadOf('sound') }),
    ];
    await lasting(60);
    await start(alone);
    await start(silent);
    await lasting(19.9);
    await start(short);
    const title = [expect.stringMatching(/f10$/)];
    expect(await variantsIn(alone)).toEqual([title]);
    expect(await variantsIn(short)).toEqual([title, title]);
    expect(await variantsIn(silent)).toEqual([undefined, undefined]);
  });

  it('is not prepared where a playlist is shuffled, and readiness says so', async () => {
    const id = await titled(['one', 'two']);
    const [playlistID] = (await read(id)).playlistIDs;
    const operations = [{ op: 'setMode', mode: 'shuffle' }];
    await call('POST', `/playlists/${playlistID}/operations`, { operations });
    await lasting(60);
    const issues = async () =>
      (await call('GET', `/streams/${id}/readiness`)).body.issues.map(({ code }: { code: string }) => code);
    expect(await issues()).toEqual(['next_not_prepared']);
    await start(id);
    const title = [expect.stringMatching(/f10$/)];
    expect(await variantsIn(id)).toEqual([title, title]);
    await call('POST', `/streams/${id}/stop`);
    await service.pool().query("update streams set stream_backend = 'ffmpeg' where id = $1", [id]);
    expect(await issues()).not.toContain('next_not_prepared');
  });

  it('is seen in pictures of how a stream would look, at the times at which it is drawn', async () => {
    const id = await titled(['one', 'two']);
    await lasting(60);
    for (const atSeconds of [1, 30, 59]) expect(await previewed(id, atSeconds)).toBe(200);
    const { rows } = await service.pool().query('select format from frames order by frame');
    const plain = `${base}$`;
    expect(rows.map(({ format }) => format)).toEqual(
      [/-v[\da-f]{16}f10$/, new RegExp(plain), /-v[\da-f]{16}l10$/].map((name) => expect.stringMatching(name)),
    );
  });

  it('follows the playlist while that is live', async () => {
    const id = await titled(['one', 'two', 'three']);
    await lasting(60);
    await start(id);
    await goOnAir(id, 3);
    await call('PATCH', `/streams/${id}`, { look: { overlays: { next: { place: 'top' } } } });
    const [[variant]] = (await variantsIn(id)) as [[string]];
    const { items } = (await entriesOf(id)).at(-1)!.snapshot;
    const [text] = await textsOf(variant);
    expect(text).toMatchObject({ place: 'top', lines: [`Up next: ${items[1]!.titles!.title}`] });
  });

  it.each([
    [{ next: { label: '' } }, '/look/overlays/next/label'],
    [{ next: { label: 'x'.repeat(41) } }, '/look/overlays/next/label'],
    [{ next: { seconds: 4 } }, '/look/overlays/next/seconds'],
  ])('is refused as %j', async (overlays, path) => {
    const id = await readyStream();
    expect((await call('PATCH', `/streams/${id}`, { look: { overlays } })).body.errors[0].path).toBe(path);
  });
});

describe('a logo', () => {
  it('is as it usually is where nothing else is said, and is kept under one name', async () => {
    const uploadID = await image();
    const id = await readyStream({ look: { overlays: { logo: { uploadID } } } });
    const logo = { uploadID, place: 'topRight', widthPercent: 12, opacityPercent: 100 };
    expect((await read(id)).look.overlays).toMatchObject({ logo, title: null });
    const drawn = await drawnIn(id);
    await call('PATCH', `/streams/${id}`, { look: { overlays: { logo: { uploadID, widthPercent: 20 } } } });
    expect(await drawnIn(id)).not.toBe(drawn);
    await call('PATCH', `/streams/${id}`, { look: { overlays: { logo } } });
    expect(await drawnIn(id)).toBe(drawn);
    await call('PATCH', `/streams/${id}`, { look: { overlays: null } });
    expect((await read(id)).look.overlays).toBeNull();
  });

  it('is part of what a new stream has prepared, and of nothing else', async () => {
    const uploadID = await image();
    const id = await playlistStream(['one'], { look: { overlays: { logo: { uploadID } } } });
    expect(await start(id)).toBe('preparing');
    const drawn = await drawnIn(id);
    expect(await asked()).toEqual([`one ${base}-${drawn}`]);
    const { snapshot } = (await entriesOf(id))[0]!;
    expect(snapshot.items).toEqual([expect.objectContaining({ drawn })]);
    expect(await data().looks.drawing(drawn)).toMatchObject({ logo: { source: uploadID }, texts: [] });
    expect(snapshot.overlays).toMatchObject({ logo: { uploadID }, logoKey: expect.any(String), title: null });
    await prepare('one', `${base}-${drawn}`);
    expect((await read(id)).state).toBe('activating');
    expect([...(await data().looks.ofRun(id))]).toEqual([[`one/${base}-${drawn}`, 0]]);
  });

  it('is put over what is on the air once that is there, so far ahead that all agents know it', async () => {
    for (const content of ['a', 'b']) await prepare(content, base);
    const id = await playlistStream(['a', 'b']);
    await start(id);
    await goOnAir(id, 3);
    const uploadID = await image();
    const { body } = await call('PATCH', `/streams/${id}`, { look: { overlays: { logo: { uploadID } } } });
    expect(body).toMatchObject({ state: 'active', pendingLook: 2 });
    const drawn = await drawnIn(id);
    expect((await asked()).sort()).toEqual([`a ${base}-${drawn}`, `b ${base}-${drawn}`]);
    expect((await entriesOf(id)).at(-1)!.snapshot.items.map((item) => item.drawn)).toEqual([drawn, drawn]);
    expect([...(await data().looks.ofRun(id))]).toEqual([]);
    await prepare('a', `${base}-${drawn}`);
    const [[key, fromSeconds]] = [...(await data().looks.ofRun(id))] as [[string, number]];
    expect(key).toBe(`a/${base}-${drawn}`);
    expect(fromSeconds).toBeGreaterThanOrEqual(13);
    expect((await read(id)).pendingLook).toBe(1);
    await call('PATCH', `/streams/${id}`, { look: {} });
    expect((await entriesOf(id)).at(-1)!.snapshot).not.toHaveProperty('overlays');
    expect((await read(id)).pendingLook).toBe(0);
  });

  it('that a live stream draws is not deleted', async () => {
    await prepare('a', base);
    const uploadID = await image();
    const id = await playlistStream(['a'], { look: { overlays: { logo: { uploadID } } } });
    await start(id);
    const { body } = await call('DELETE', `/uploads/${uploadID}`);
    expect(body).toMatchObject({ code: 'resource_in_use', errors: [{ detail: expect.stringContaining(id) }] });
  });

  const issuesOf = async (id: string) => {
    const { body } = await call('GET', `/streams/${id}/readiness`);
    return body.issues.map(({ code }: { code: string }) => code);
  };
  const examined = (uploadID: string, state: 'pending' | 'completed' | 'failed') =>
    service.pool().query('update uploads set probe_state = $2 where id = $1', [uploadID, state]);

  it('that cannot be drawn keeps no stream from starting, and readiness says why it is not seen', async () => {
    await prepare('a', base);
    const uploadID = await image();
    const id = await playlistStream(['a'], { look: { overlays: { logo: { uploadID } } } });
    expect(await issuesOf(id)).toEqual([]);
    await examined(uploadID, 'failed');
    expect(await issuesOf(id)).toEqual(['logo_unusable']);
    expect((await call('DELETE', `/uploads/${uploadID}`)).status).toBe(204);
    expect(await issuesOf(id)).toEqual(['logo_missing']);
    expect((await call('GET', `/streams/${id}/readiness`)).body.ready).toBe(true);
    expect(await start(id)).toBe('activating');
    expect((await entriesOf(id))[0]!.snapshot).not.toHaveProperty('overlays');
  });

  it('is drawn on the air, and kept prepared, as soon as it has been examined', async () => {
    for (const content of ['a', 'b']) await prepare(content, base);
    const uploadID = await image();
    await examined(uploadID, 'pending');
    const look = { overlays: { logo: { uploadID } } };
    const [live, kept] = [await playlistStream(['a'], { look }), await playlistStream(['b'], { look })];
    expect(await issuesOf(live)).toEqual(['logo_not_probed']);
    await start(live);
    await goOnAir(live, 3);
    await call('PATCH', `/streams/${kept}`, { preparedPlaylistIDs: (await read(kept)).playlistIDs });
    const drawn = await drawnIn(live);
    await data().renditions.fail('b', formatNamed(`${base}-${drawn}`), notPrepared);
    expect(await asked()).toEqual([`b ${base}-${drawn}`]);
    await examined(uploadID, 'completed');
    await inTransaction(service.pool(), (tx) => applyProbeResult(tx, uploadID, 1));
    expect((await asked()).slice(1).sort()).toEqual([`a ${base}-${drawn}`, `b ${base}-${drawn}`]);
    expect((await entriesOf(live)).at(-1)!.snapshot.items).toMatchObject([{ drawn }]);
    expect(await issuesOf(live)).toEqual([]);
  });

  it.each([
    [{ logo: { uploadID: 'upl_unknown' } }, '/look/overlays/logo/uploadID'],
    [{ logo: { uploadID: 'upl_unknown', place: 'middle' } }, '/look/overlays/logo/place'],
    [{ logo: { uploadID: 'upl_unknown', widthPercent: 0 } }, '/look/overlays/logo/widthPercent'],
    [{ logo: { uploadID: 'upl_unknown', opacityPercent: 101 } }, '/look/overlays/logo/opacityPercent'],
    [{ image: 1 }, '/look/overlays/image'],
  ])('is refused as %j', async (overlays, path) => {
    const id = await readyStream();
    expect((await call('PATCH', `/streams/${id}`, { look: { overlays } })).body.errors[0].path).toBe(path);
  });

  it('is no video', async () => {
    const id = await readyStream();
    const { body } = await call('PATCH', `/streams/${id}`, {
      look: { overlays: { logo: { uploadID: await upload() } } },
    });
    expect(body.errors[0].path).toBe('/look/overlays/logo/uploadID');
  });
});

describe('drawings', () => {
  const titled = (panelColour: string) => ({ look: { overlays: { title: {}, theme: { panelColour } } } });
  const stored = async () =>
    (await service.pool().query<{ name: string }>('select name from drawings order by name')).rows.map(
      ({ name }) => name,
    );
  const colours = ['#110000', '#220000', '#330000'];
  beforeEach(() => service.pool().query('delete from drawings; delete from frames'));

  it('are stored for what is kept prepared within the limits, and for nothing beyond', async () => {
    for (const content of ['a', 'b']) await prepare(content, base);
    const id = await playlistStream(['a', 'b']);
    const { playlistIDs } = await read(id);
    await call('PATCH', `/streams/${id}`, { preparedPlaylistIDs: playlistIDs });
    await call('PATCH', `/streams/${id}`, titled('#010101'));
    // Both items have one title.
    expect(await stored()).toHaveLength(1);
    await data().limits.override(user().id, 'preparedSeconds', 1);
    for (const colour of colours) expect((await call('PATCH', `/streams/${id}`, titled(colour))).status).toBe(200);
    expect(await stored()).toHaveLength(1);
    expect(await asked()).toHaveLength(2);
    // A start is refused by the limit, and stores nothing either.
    expect((await call('POST', `/streams/${id}/start`)).body.code).toBe('limit_reached');
    expect(await stored()).toHaveLength(1);
  });

  it('are not stored for streams that are encoded while they are sent, but for a picture on request', async () => {
    const id = await playlistStream(['a', 'b'], { streamBackend: 'ffmpeg', ...titled('#010101') });
    await start(id);
    await goOnAir(id, 3);
    for (const colour of colours) expect((await call('PATCH', `/streams/${id}`, titled(colour))).status).toBe(200);
    expect(await stored()).toEqual([]);
    const [{ variants: [variant] = [] } = {}] = (await entriesOf(id))[0]!.snapshot.items;
    const pending = call('GET', `/streams/${id}/frame`);
    await expect.poll(stored).toEqual([variant]);
    const { rows } = await service.pool().query(`update frames set state = 'ready' returning format`);
    expect(rows).toEqual([{ format: `${base}-${variant}` }]);
    expect((await pending).status).toBe(302);
  });

  it('are stored for the picture of a look that shows them alone', async () => {
    const id = await playlistStream(['a'], { streamBackend: 'ffmpeg' });
    const uploadLasts = 'update uploads set duration_seconds = 60 where duration_seconds is not null';
    await service.pool().query(uploadLasts);
    const preview = (atSeconds: number) =>
      call('POST', `/streams/${id}/look/preview`, { ...titled('#010101'), atSeconds });
    expect((await preview(30)).status).toBe(200);
    expect(await stored()).toEqual([]);
    expect((await preview(1)).status).toBe(200);
    expect(await stored()).toEqual([expect.stringMatching(/^v[\da-f]{16}f10$/)]);
  });

  it('of uploads that are deleted count until the end of the hour', async () => {
    await data().limits.override(user().id, 'preparedSeconds', 1000);
    const lasts = 'update uploads set duration_seconds = 400 where duration_seconds is not null';
    const prepared = async (content: string) => {
      const id = await playlistStream([content]);
      await service.pool().query(lasts);
      const { status, body } = await call('POST', `/streams/${id}/start`);
      if (status !== 200) return body;
      await call('POST', `/streams/${id}/stop`);
      await call('DELETE', `/streams/${id}`);
      await service.pool().query('delete from playlists');
      await service.pool().query('delete from uploads where content_hash = $1', [content]);
      return body;
    };
    for (const content of ['a', 'b']) expect(await prepared(content)).toMatchObject({ state: 'preparing' });
    const refused = { code: 'limit_reached', limit: 'preparedSeconds', used: 800, allowed: 1000 };
    expect(await prepared('c')).toMatchObject(refused);
    await service.pool().query(`update request_windows set began_at = now() - interval '61 minutes'`);
    expect(await prepared('d')).toMatchObject({ state: 'preparing' });
  });
});

describe('a drawing that was noted more than a day ago', () => {
  const named = (name: string) => ({ name, drawing: { logo: null, texts: [] } });
  const [whole, part, unused] = [`o${'1'.repeat(16)}`, `v${'2'.repeat(16)}f10`, `v${'3'.repeat(16)}a`];
  const kept = async () => {
    await service.pool().query(`update drawings set noted_at = now() - interval '25 hours'`);
    await data().looks.forgetUnused(10);
    return (await service.pool().query<{ name: string }>('select name from drawings order by name')).rows;
  };
  beforeEach(async () => {
    await service.pool().query('delete from drawings');
    await data().looks.saveDrawings([whole, part, unused].map(named));
  });

  it('is looked at seldom if renditions have it, so that a few looks find those that none has', async () => {
    const used = Array.from({ length: 12 }, (_, index) => `o${String(index).padStart(16, '0')}`);
    await data().looks.saveDrawings(used.map(named));
    for (const name of used) await data().renditions.begin(name, formatNamed(`${base}-${name}`), 1);
    await service
      .pool()
      .query(
        `update drawings set noted_at = now() - interval '7 hours' - make_interval(hours => (name = any ($1))::int)`,
        [used],
      );
    const looked: number[] = [];
    for (let count = 0; count < 5; count++) looked.push(await data().looks.forgetUnused(4));
    expect(looked).toEqual([4, 4, 4, 3, 0]);
    const left = (await service.pool().query<{ name: string }>('select name from drawings order by name')).rows;
    expect(left.map(({ name }) => name)).toEqual(used);
    await service.pool().query('delete from renditions where drawing = any ($1)', [used]);
    await service.pool().query(`update drawings set noted_at = noted_at - interval '13 hours'`);
    expect(await data().looks.forgetUnused(100)).toBe(12);
    expect((await service.pool().query('select from drawings')).rowCount).toBe(0);
  });

  it('is forgotten unless a rendition has it', async () => {
    await service.pool().query('alter table renditions disable trigger rendition_without_drawing');
    await data().renditions.begin('a', formatNamed(`${base}-${whole}`), 1);
    await data().renditions.request([{ contentHash: 'a', format: formatNamed(`${base}-${whole}-${part}`) }], null);
    await service.pool().query('alter table renditions enable trigger rendition_without_drawing');
    expect(await kept()).toEqual([{ name: whole }, { name: part }]);
  });

  it('is also kept for a rendition of the release before, which writes no drawing', async () => {
    const before = 'insert into renditions (content_hash, format, segment_count) values ($1, $2, 0)';
    await service.pool().query(before, ['a', `${base}-${part}`]);
    expect(await kept()).toEqual([{ name: part }]);
  });
});
