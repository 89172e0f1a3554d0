// Items of another shape than their stream are framed by its or their settings: from the start, and while live.
import { beforeEach, describe, expect, it } from 'vitest';
import { formatOfRun } from '../../../lambda/data/streams/streams.ts';
import { formatName, formatNamed } from '../../../lambda/domain/playout/rendition.ts';
import { publishDraft } from '../../../lambda/orchestration/playout/publish-draft.ts';
import { finishPreparation } from '../../../lambda/orchestration/runs/start-prepared.ts';
import { actorsOn } from '../../support/actors.ts';
import { testService } from '../../support/service.ts';
import { clearRenditions } from '../../support/stored-uploads.ts';

const service = testService();
const { call, claim, commands, create, data, readyStream, register, report, transaction, upload } = actorsOn(service);
const blur = { framing: { mode: 'blur' } };
const base = 'q_720p-f_30';

beforeEach(() => clearRenditions(service));

/** An upload of this content that lasts 10 s, by default upright, as from a phone. */
async function uploadOf(content: string, [width, height] = [720, 1280]): Promise<string> {
  const id = await upload();
  await service.pool().query('update uploads set width = $2, height = $3 where id = $1', [id, width, height]);
  await data().uploads.recordContentHash(id, content);
  return id;
}

async function prepare(content: string, format: string): Promise<void> {
  await data().renditions.begin(content, formatNamed(format), 1);
  await data().renditions.finishSegment(content, format, 0);
  await finishPreparation(service.pool(), content, formatNamed(format));
}

async function playlistStream(more: object, uploadIDs: string[]): Promise<{ id: string; playlistID: string }> {
  const id = await readyStream({ quality: 'q_720p', framerate: 'f_30', videoUploadObjectID: null, ...more });
  const playlistID = await create('/playlists', { streamID: id, kind: 'video', mode: 'sequential' });
  await edit(
    playlistID,
    uploadIDs.map((uploadID, index) => ({ op: 'add', uploadID, itemID: `item${index}` })),
  );
  return { id, playlistID };
}
const edit = (playlistID: string, operations: object[]) =>
  call('POST', `/playlists/${playlistID}/operations`, { operations });
const start = async (id: string) => (await call('POST', `/streams/${id}/start`)).body.state;
const read = async (id: string) => (await call('GET', `/streams/${id}`)).body;
const asked = async () =>
  (await commands()).flatMap(({ body }) =>
    body.task === 'prepare_upload' ? [`${body.contentHash} ${body.format}`] : [],
  );
const framingsOf = async (id: string) =>
  (await data().timelines.ofStream(id)).video.map(({ offsetSeconds, snapshot: { items } }) => ({
    offsetSeconds,
    items: items.map(({ itemID, framing = 'none' }) => `${itemID} ${framing}`),
  }));

/** Puts the stream on air at an agent since this many seconds. */
async function goOnAir(id: string, secondsAgo: number): Promise<void> {
  await register('agent');
  const [replica] = await claim('agent');
  await report(replica!, 'live');
  const since = 'update streams set anchored_at = now() - make_interval(secs => $2) where id = $1';
  await service.pool().query(since, [id, secondsAgo]);
}

describe('a stream of prepared media', () => {
  const settings = { streamBackend: 'manifest' };

  it('has prepared what differs by its framing, and uses what is there of all else', async () => {
    const uploads = [await uploadOf('wide', [1280, 720]), await uploadOf('upright'), await uploadOf('cropped')];
    const { id, playlistID } = await playlistStream({ ...settings, look: blur }, uploads);
    await edit(playlistID, [{ op: 'set', itemID: 'item2', look: { framing: { mode: 'crop' } } }]);
    expect(await start(id)).toBe('preparing');
    expect(await asked()).toEqual([`wide ${base}`, `upright ${base}-blur`, `cropped ${base}-crop`]);
    expect(await framingsOf(id)).toEqual([{ offsetSeconds: 0, items: ['item0 none', 'item1 blur', 'item2 crop'] }]);
  });

  it('without a look asks for what it always asked for', async () => {
    const { id } = await playlistStream(settings, [await uploadOf('upright')]);
    await start(id);
    expect(await asked()).toEqual([`upright ${base}`]);
  });

  it('begins with black bars where these are there, says so, and has none pending once it is framed', async () => {
    await prepare('upright', base);
    const { id } = await playlistStream({ ...settings, look: blur }, [await uploadOf('upright')]);
    expect(await start(id)).toBe('activating');
    expect((await read(id)).pendingLook).toBe(1);
    await prepare('upright', `${base}-blur`);
    expect((await read(id)).pendingLook).toBe(0);
  });

  it('frames its items otherwise from the next one on, in their order, and has them prepared', async () => {
    const contents = ['a', 'b', 'c'];
    for (const content of contents) await prepare(content, base);
    const uploads = await Promise.all(contents.map((content) => uploadOf(content)));
    const { id } = await playlistStream(settings, uploads);
    await start(id);
    await goOnAir(id, 3);
    const { body } = await call('PATCH', `/streams/${id}`, { look: { framing: { mode: 'pad', colour: '#10A0FF' } } });
    expect(body).toMatchObject({
      look: { aspect: '16:9', framing: { mode: 'pad', colour: '#10a0ff' } },
      pendingLook: 3,
    });
    // 13 s after the anchor at the earliest: the item that begins at 20 s is the third.
    expect((await framingsOf(id)).at(-1)).toEqual({
      offsetSeconds: 20,
      items: ['item2 pad10a0ff', 'item0 pad10a0ff', 'item1 pad10a0ff'],
    });
    const wanted = contents.map((content) => `${content} ${base}-pad10a0ff`);
    expect((await asked()).sort()).toEqual(wanted);
    const { formats } = await data().renditions.prepared(uploads, [base, `${base}-pad10a0ff`].map(formatNamed));
    expect([...formats.values()]).toEqual(contents.map(() => [formatNamed(base)]));
    await prepare('a', `${base}-pad10a0ff`);
    expect([(await read(id)).pendingLook, (await asked()).sort()]).toEqual([2, wanted]);
  });

  it('keeps prepared what its playlists will look like', async () => {
    const uploadID = await uploadOf('upright');
    const { id, playlistID } = await playlistStream(settings, [uploadID]);
    await call('PATCH', `/streams/${id}`, { preparedPlaylistIDs: [playlistID], look: { aspect: '1:1', ...blur } });
    expect(await asked()).toEqual([`upright ${base}-1x1-blur`]);
    expect((await read(id)).preparedShare).toBe(0);
    await prepare('upright', `${base}-1x1-blur`);
    expect((await read(id)).preparedShare).toBe(1);
  });

  it('takes up the look of an item with the next publishing of its playlist', async () => {
    await prepare('upright', base);
    const { id, playlistID } = await playlistStream(settings, [await uploadOf('upright')]);
    await start(id);
    await goOnAir(id, 3);
    await edit(playlistID, [{ op: 'set', itemID: 'item0', look: blur }]);
    const { body } = await call('POST', `/playlists/${playlistID}/publish`);
    expect(body.publishStatus).toBe('PREPARING');
    const publish = async () => {
      const playlist = await data().playlists.findAny(playlistID);
      const options = { now: new Date(), random: () => 0.5, limitFactor: 100 };
      await transaction((tx) => publishDraft(tx, playlistID, playlist!.publish_request, options));
    };
    await publish();
    expect(await asked()).toContain(`upright ${base}-blur`);
    expect(await framingsOf(id)).toHaveLength(1);
    await prepare('upright', `${base}-blur`);
    await publish();
    expect((await framingsOf(id)).at(-1)!.items).toEqual(['item0 blur']);
  });
});

describe('a stream that is encoded while it is sent', () => {
  it('frames its items from the next one on, with nothing to wait for', async () => {
    const { id } = await playlistStream({ look: { aspect: '9:16' } }, [await uploadOf('wide', [1280, 720])]);
    await start(id);
    await goOnAir(id, 3);
    expect(formatName(formatOfRun((await data().streams.lockAny(id))!))).toBe(`${base}-9x16`);
    const { body } = await call('PATCH', `/streams/${id}`, { look: { aspect: '9:16', framing: { mode: 'crop' } } });
    expect(body.pendingLook).toBe(0);
    expect((await framingsOf(id)).map(({ items }) => items)).toEqual([['item0 none'], ['item0 crop']]);
    expect(await asked()).toEqual([]);
  });

  it('keeps its aspect while it is live', async () => {
    const { id } = await playlistStream({}, [await uploadOf('upright')]);
    await start(id);
    const refused = await call('PATCH', `/streams/${id}`, { look: { aspect: '9:16' } });
    expect(refused).toMatchObject({ body: { code: 'stream_live', errors: [{ path: '/look/aspect' }] } });
  });
});

it.each([
  [{ aspect: '4:3' }, '/look/aspect'],
  [{ framing: { mode: 'stretch' } }, '/look/framing/mode'],
  [{ framing: { mode: 'pad', colour: 'red;drawtext' } }, '/look/framing/colour'],
  [{ frame: 1 }, '/look/frame'],
])('a look is refused that is %j', async (look, path) => {
  const id = await readyStream();
  expect((await call('PATCH', `/streams/${id}`, { look })).body.errors[0].path).toBe(path);
});
