// Streams play items at the target loudness once it is measured and prepared, and unchanged until then.
import { beforeEach, describe, expect, it } from 'vitest';
import { all } from '../../../lambda/data/shared/queryable.ts';
import type { Loudness } from '../../../lambda/domain/playout/loudness.ts';
import { formatNamed } from '../../../lambda/domain/playout/rendition.ts';
import { finishPreparation } from '../../../lambda/orchestration/runs/start-prepared.ts';
import { keepPrepared } from '../../../lambda/orchestration/playout/keep-prepared.ts';
import { notPrepared } from '../../../lambda/orchestration/media/request-renditions.ts';
import { publishDraft } from '../../../lambda/orchestration/playout/publish-draft.ts';
import { refreshPendingSound } from '../../../lambda/orchestration/playout/apply-sound.ts';
import { applyLoudness } from '../../../lambda/orchestration/playout/apply-probe-result.ts';
import { actorsOn } from '../../support/actors.ts';
import { testService } from '../../support/service.ts';
import { clearRenditions } from '../../support/stored-uploads.ts';

const service = testService();
const { call, claim, commands, create, data, readyStream, register, report, stream, transaction, upload } =
  actorsOn(service);
const pictures = 'q_720p-f_30';
const loud: Loudness = { integratedLUFS: -8, rangeLU: 5, truePeakDBTP: -0.5 };
const right: Loudness = { integratedLUFS: -14, rangeLU: 5, truePeakDBTP: -4 };
const bringsDown = { targetLUFS: -14, gainDB: -6, isLimited: false };

beforeEach(async () => {
  await clearRenditions(service);
  await service.pool().query('truncate inspections');
});

/** An upload with this content, whose sound has not been measured. */
async function uploadOf(content: string): Promise<string> {
  const id = await upload();
  await data().uploads.recordContentHash(id, content);
  return id;
}

/** Stores the loudness of a content, as the inspector would. */
async function measure(content: string, loudness: Loudness | null): Promise<void> {
  await service
    .pool()
    .query(`update inspections set state = 'completed', share = 1, loudness = $2 where content_hash = $1`, [
      content,
      loudness,
    ]);
  await applyLoudness(service.pool(), content, 100);
}

/** Prepares a content in a format, as the media worker would. */
async function prepare(content: string, format = pictures): Promise<void> {
  await data().renditions.begin(content, formatNamed(format), 1);
  await data().renditions.finishSegment(content, format, 0);
  await finishPreparation(service.pool(), content, formatNamed(format));
}

async function playlistStream(more: object, ...uploadIDs: string[]): Promise<string> {
  const id = await readyStream({ videoUploadObjectID: null, ...more });
  const playlistID = await create('/playlists', { streamID: id, kind: 'video', mode: 'sequential' });
  await edit(
    playlistID,
    uploadIDs.map((uploadID) => ({ op: 'add', uploadID })),
  );
  return id;
}
const edit = (playlistID: string, operations: object[]) =>
  call('POST', `/playlists/${playlistID}/operations`, { operations });
const start = async (id: string) => (await call('POST', `/streams/${id}/start`)).body.state;
const asked = async () =>
  (await commands()).flatMap(({ body }) => (body.format?.startsWith('sound') ? [body.format] : []));
const levelsOf = async (id: string, track: 'video' | 'audio' = 'video') => {
  const entries = (await data().timelines.ofStream(id))[track];
  return entries.at(-1)!.snapshot.items.map(({ levels }) => levels ?? []);
};
/** Puts a stream on air at an agent since this many seconds. */
async function goOnAir(id: string, agent: string, secondsAgo: number): Promise<void> {
  await register(agent);
  const [replica] = await claim(agent);
  await report(replica!, 'live');
  await service
    .pool()
    .query('update streams set anchored_at = now() - make_interval(secs => $2) where id = $1', [id, secondsAgo]);
}

const backends = ['ffmpeg', 'manifest'] as const;

describe.each(backends)('a stream of the backend %s', (streamBackend) => {
  const settings = { streamBackend, quality: 'q_720p', framerate: 'f_30' };
  const isPrepared = streamBackend === 'manifest';

  it('begins with what is measured at its level, and waits for nothing else', async () => {
    const [a, b, c] = [await uploadOf('a'), await uploadOf('b'), await uploadOf('c')];
    for (const content of ['a', 'b', 'c']) await prepare(content);
    await measure('a', loud);
    await measure('b', right);
    if (isPrepared) await prepare('a', 'sound-14');
    const id = await playlistStream(settings, a, b, c);
    expect(await start(id)).toBe('activating');
    expect(await levelsOf(id)).toEqual([[{ fromSeconds: 0, level: bringsDown }], [], []]);
    expect(await stream(id)).toMatchObject({
      pendingSound: 1,
      sound: { loudness: { enabled: true, targetLUFS: -14 } },
    });
    expect(await asked()).toEqual([]);
  });

  it('takes up with its next items what is measured, and prepared, while it is live', async () => {
    const id = await playlistStream(settings, await uploadOf('a'));
    await prepare('a');
    await start(id);
    await goOnAir(id, `agent ${streamBackend}`, 100);
    const [before] = await data().replicas.ofStream(id);
    await measure('a', loud);
    if (isPrepared) {
      expect(await asked()).toEqual(['sound-14']);
      expect([await levelsOf(id), (await stream(id)).pendingSound]).toEqual([[[]], 1]);
      await prepare('a', 'sound-14');
    }
    const [[noted]] = (await levelsOf(id)) as [[{ fromSeconds: number; level: object }]];
    expect(noted.level).toEqual(bringsDown);
    expect(noted.fromSeconds).toBeGreaterThan(109);
    expect(noted.fromSeconds).toBeLessThan(170);
    expect((await stream(id)).pendingSound).toBe(0);
    const [after] = await data().replicas.ofStream(id);
    const revision = async () => (await data().replicas.find(after!.id))?.timeline_revision;
    expect(await revision()).toBe(1);
    expect(after!.id).toBe(before!.id);

    expect((await call('PATCH', `/streams/${id}`, { sound: { loudness: { targetLUFS: -20 } } })).status).toBe(200);
    const change = await levelsOf(id);
    if (isPrepared) {
      expect(change[0]).toHaveLength(1);
      expect(await asked()).toEqual(['sound-14', 'sound-20']);
      await prepare('a', 'sound-20');
    }
    expect((await levelsOf(id))[0]!.at(-1)!.level).toMatchObject({ targetLUFS: -20, gainDB: -12 });
    await call('PATCH', `/streams/${id}`, { sound: { loudness: { enabled: false } } });
    expect((await levelsOf(id))[0]!.at(-1)!.level).toBeNull();
    expect((await stream(id)).sound.loudness).toEqual({ enabled: false, targetLUFS: -14 });
  });

  it('plays the sound track at its level, and not the sound of the pictures', async () => {
    const [film, song] = [await uploadOf('a'), await uploadOf('b')];
    for (const content of ['a', 'b']) await measure(content, loud);
    await prepare('a');
    await prepare('b', 'sound');
    if (isPrepared) await prepare('b', 'sound-14');
    const id = await readyStream({ ...settings, videoUploadObjectID: film, audioUploadObjectID: song });
    await start(id);
    expect([await levelsOf(id), await levelsOf(id, 'audio')]).toEqual([
      [[]],
      [[{ fromSeconds: 0, level: bringsDown }]],
    ]);
    expect(await asked()).toEqual([]);
  });

  it('is set by the sweep if the worker that measured it died before', async () => {
    const id = await playlistStream(settings, await uploadOf('a'));
    await prepare('a');
    await measure('a', loud);
    await start(id);
    if (isPrepared) await prepare('a', 'sound-14');
    await service.pool().query(
      `with levels as (delete from timeline_levels where stream_id = $1)
       update streams set pending_sound = null where id = $1`,
      [id],
    );
    expect([await levelsOf(id), (await stream(id)).pendingSound]).toEqual([[[]], null]);
    await refreshPendingSound(service.pool(), { retries: 'never', limitFactor: 100 });
    expect([await levelsOf(id), (await stream(id)).pendingSound]).toEqual([
      [[{ fromSeconds: 0, level: bringsDown }]],
      0,
    ]);
  });
});

it('sound that a worker has failed is asked for again after an hour, while it is played', async () => {
  const id = await playlistStream(
    { streamBackend: 'manifest', quality: 'q_720p', framerate: 'f_30' },
    await uploadOf('a'),
  );
  await prepare('a');
  await start(id);
  await measure('a', loud);
  expect(await asked()).toEqual(['sound-14']);
  const sweep = () => refreshPendingSound(service.pool(), { retries: 'hourly', limitFactor: 100 });
  await data().renditions.fail('a', 'sound-14', notPrepared);
  await sweep();
  expect(await asked()).toEqual(['sound-14']);
  const hourAgo = `update renditions set updated_at = now() - interval '61 minutes' where format = 'sound-14'`;
  await service.pool().query(hourAgo);
  await sweep();
  await sweep();
  expect(await asked()).toEqual(['sound-14', 'sound-14']);
  await prepare('a', 'sound-14');
  expect([await levelsOf(id), (await stream(id)).pendingSound]).toEqual([[[{ fromSeconds: 0, level: bringsDown }]], 0]);
  // The user has to replace a file that cannot be decoded.
  await data().renditions.fail('a', 'sound-14', { code: 'damaged', detail: 'no' });
  await service.pool().query(hourAgo);
  await service.pool().query('update streams set pending_sound = 1 where id = $1', [id]);
  await sweep();
  expect(await asked()).toHaveLength(2);
});

it('a published draft takes over at its level, which was prepared with the pictures', async () => {
  const [a, b] = [await uploadOf('a'), await uploadOf('b')];
  await prepare('a');
  await measure('b', loud);
  const id = await playlistStream({ streamBackend: 'manifest', quality: 'q_720p', framerate: 'f_30' }, a);
  const [playlistID] = (await stream(id)).playlistIDs;
  await start(id);
  await goOnAir(id, 'agent', 100);
  await edit(playlistID, [{ op: 'clear' }, { op: 'add', uploadID: b }]);
  await call('POST', `/playlists/${playlistID}/publish`);
  const publish = () =>
    transaction((tx) => publishDraft(tx, playlistID, 1, { now: new Date(), random: () => 0.5, limitFactor: 100 }));
  await publish();
  expect(await asked()).toEqual(['sound-14']);
  await prepare('b', 'sound-14');
  await prepare('b');
  await publish();
  const { video } = await data().timelines.ofStream(id);
  expect(video).toHaveLength(2);
  const [level] = video[1]!.snapshot.items[0]!.levels!;
  expect(level).toMatchObject({ level: bringsDown });
  expect(level!.fromSeconds).toBeLessThanOrEqual(video[1]!.offsetSeconds);
});

it('an item with a setting of its own goes by that, also once its upload is replaced', async () => {
  const [a, b] = [await uploadOf('a'), await uploadOf('b')];
  for (const content of ['a', 'b']) await measure(content, loud);
  const id = await playlistStream({}, a);
  const [playlistID] = (await stream(id)).playlistIDs;
  const quiet = { loudness: { targetLUFS: -23 } };
  await edit(playlistID, [
    { op: 'add', uploadID: a, itemID: 'quiet' },
    { op: 'set', itemID: 'quiet', sound: quiet },
  ]);
  await edit(playlistID, [{ op: 'replace', itemID: 'quiet', uploadID: b }]);
  await edit(playlistID, [{ op: 'add', uploadID: b, itemID: 'off' }]);
  await edit(playlistID, [{ op: 'set', itemID: 'off', sound: { loudness: { enabled: false } } }]);
  await start(id);
  const levels = (await levelsOf(id)).map((each) => each.map(({ level }) => level?.gainDB));
  expect(levels).toEqual([[-6], [-15], []]);
  await edit(playlistID, [{ op: 'set', itemID: 'quiet', sound: null }]);
  const { items } = (await call('GET', `/playlists/${playlistID}`)).body.draft;
  expect(items.map(({ sound }: { sound: object | null }) => sound)).toEqual([
    null,
    null,
    { loudness: { enabled: false, targetLUFS: -14 }, join: null, under: null },
  ]);
});

it('a playlist that is kept prepared is kept so at its loudness', async () => {
  const id = await playlistStream({ streamBackend: 'manifest' }, await uploadOf('a'));
  const { playlistIDs } = await stream(id);
  await call('PATCH', `/streams/${id}`, { preparedPlaylistIDs: playlistIDs });
  await measure('a', loud);
  expect(await asked()).toEqual(['sound-14']);
  await transaction((tx) => keepPrepared(tx, 'stream', id, { retries: 'never', limitFactor: 100 }));
  expect(await asked()).toEqual(['sound-14']);
});

it.each([{ loudness: { targetLUFS: -14.2 } }, { loudness: { targetLUFS: -31 } }, { loudness: { targetLUFS: 0 } }])(
  'the sound %j is refused',
  async (sound) => {
    const id = await readyStream();
    expect((await call('PATCH', `/streams/${id}`, { sound })).body).toMatchObject({ code: 'validation_failed' });
  },
);

it('a list whose items are replaced again and again leaves no levels of the items before', async () => {
  const a = await uploadOf('a');
  await measure('a', loud);
  const id = await playlistStream({ streamBackend: 'ffmpeg' }, a);
  const [playlistID] = (await stream(id)).playlistIDs;
  await start(id);
  await goOnAir(id, 'agent', 3600);
  const publish = (request: number) =>
    transaction((tx) =>
      publishDraft(tx, playlistID, request, { now: new Date(), random: () => 0.5, limitFactor: 100 }),
    );
  for (let request = 1; request <= 5; request++) {
    await edit(playlistID, [{ op: 'clear' }, ...Array.from({ length: 20 }, () => ({ op: 'add', uploadID: a }))]);
    await call('POST', `/playlists/${playlistID}/publish`);
    await publish(request);
  }
  const levels = await all<{ item_id: string }>(
    service.pool(),
    'select item_id from timeline_levels where stream_id = $1',
    [id],
  );
  // Those of the list on the air, and of the one that follows it.
  expect(levels.length).toBeLessThanOrEqual(41);
  const { video } = await data().timelines.ofStream(id);
  expect(video.at(-1)!.snapshot.items.every(({ levels: own }) => own?.length === 1)).toBe(true);
});
