// Streams request the joins of the next minutes, send prepared ones, and show how many are still cuts.
import { beforeEach, describe, expect, it } from 'vitest';
import { occurrencesFrom } from '../../../lambda/domain/playout/play-out.ts';
import { formatNamed } from '../../../lambda/domain/playout/rendition.ts';
import { soundPartsAt } from '../../../lambda/domain/playout/composition-parts.ts';
import { joinKey } from '../../../lambda/domain/media/object-keys.ts';
import { forgetOldJoins } from '../../../lambda/orchestration/playout/forget-joins.ts';
import { planRun } from '../../../lambda/orchestration/playout/plan-run.ts';
import { finishPreparation } from '../../../lambda/orchestration/runs/start-prepared.ts';
import { allowFinishedJoin } from '../../../lambda/orchestration/playout/prepare-joins.ts';
import { makeJoin } from '../../../lambda/publisher/preparing/make-join.ts';
import { actorsOn } from '../../support/actors.ts';
import { fastEncoder } from '../../support/media-samples.ts';
import { commandsTo } from '../../support/outbox-rows.ts';
import { testService } from '../../support/service.ts';
import { clearRenditions } from '../../support/stored-uploads.ts';

const service = testService();
const {
  call,
  claim,
  commands,
  create,
  data,
  fallDue,
  fire,
  readyStream,
  register,
  report,
  stream,
  transaction,
  upload,
  user,
} = actorsOn(service);
const crossfade = { kind: 'crossfade', seconds: 3 };

beforeEach(async () => {
  await clearRenditions(service);
  await service.pool().query('truncate joins, timeline_joins');
});

/** A prepared song. */
async function song(content: string, durationSeconds = 200.5): Promise<string> {
  const id = await upload({ durationSeconds });
  await data().uploads.recordContentHash(id, content);
  await data().renditions.begin(content, 'sound', 1);
  await data().renditions.finishSegment(content, 'sound', 0);
  return id;
}

interface Radio {
  readonly id: string;
  readonly playlistID: string;
}

/** A stream with a sound track of these songs. */
async function radio(songs: readonly string[], more: object = {}, mode = 'sequential'): Promise<Radio> {
  const pictures = await song('pictures');
  await data().renditions.begin('pictures', formatNamed('q_720p-f_30'), 1);
  await data().renditions.finishSegment('pictures', 'q_720p-f_30', 0);
  const settings = { streamBackend: 'manifest', quality: 'q_720p', framerate: 'f_30', videoUploadObjectID: pictures };
  const id = await readyStream({ ...settings, sound: { loudness: { enabled: false }, join: crossfade }, ...more });
  const playlistID = await create('/playlists', { streamID: id, kind: 'audio', mode });
  await edit(
    playlistID,
    songs.map((uploadID, index) => ({ op: 'add', uploadID, itemID: `item${index}` })),
  );
  return { id, playlistID };
}
const edit = (playlistID: string, operations: object[]) =>
  call('POST', `/playlists/${playlistID}/operations`, { operations });
const start = async ({ id }: Radio) =>
  expect((await call('POST', `/streams/${id}/start`)).body.state).toBe('activating');
const songs = () => Promise.all(['a', 'b', 'c'].map((content) => song(content)));
const entriesOf = async ({ id }: Radio) => (await data().timelines.ofStream(id)).audio;
const asked = async () =>
  (await commands()).flatMap(({ body }) => (body.task === 'make_join' ? [String(body.name)] : []));

/** Makes a join, as the media worker would. */
async function make(name: string): Promise<void> {
  await data().joins.finish(name, 'ready');
  await allowFinishedJoin(service.pool(), name);
}
async function goOnAir({ id }: Radio, secondsAgo: number): Promise<void> {
  await register('agent');
  const [replica] = await claim('agent');
  await report(replica!, 'live');
  await service
    .pool()
    .query('update streams set anchored_at = now() - make_interval(secs => $2) where id = $1', [id, secondsAgo]);
}

describe('a stream with crossfades', () => {
  it('has those of the next ten minutes prepared, and none twice', async () => {
    const it = await radio(await songs());
    await start(it);
    // Four songs begin within 600 s, and the first of them follows nothing.
    expect(await asked()).toHaveLength(3);
    expect(await stream(it.id)).toMatchObject({ pendingJoins: 3, sound: { join: crossfade } });
    await fallDue(it.id, 'joins');
    await fire();
    expect(await asked()).toHaveLength(3);
  });

  it('sends one from 10 s on after it is made, and agents are told', async () => {
    const it = await radio(await songs());
    await start(it);
    await goOnAir(it, 100);
    const [name] = await asked();
    await make(name!);
    const known = await data().joins.ofRun(it.id);
    expect([...known.keys()]).toEqual([name]);
    expect(known.get(name!)).toBeGreaterThan(109);
    expect(known.get(name!)).toBeLessThan(170);
    expect((await stream(it.id)).pendingJoins).toBe(2);
    const [replica] = await data().replicas.ofStream(it.id);
    expect((await data().replicas.find(replica!.id))!.timeline_revision).toBe(1);
    for (const other of await asked()) await make(other);
    expect((await stream(it.id)).pendingJoins).toBe(0);
  });

  it('that began before all songs were prepared has those of a song made once it is', async () => {
    const late = await upload({ durationSeconds: 200.5 });
    await data().uploads.recordContentHash(late, 'late');
    const it = await radio([await song('early'), late]);
    await start(it);
    expect(await asked()).toEqual([]);
    await data().renditions.begin('late', 'sound', 1);
    await data().renditions.finishSegment('late', 'sound', 0);
    await finishPreparation(service.pool(), 'late', 'sound');
    expect((await asked()).length).toBeGreaterThan(0);
    expect((await stream(it.id)).pendingJoins).toBe((await asked()).length);
  });

  it('sends one that another stream had made from its start on', async () => {
    const all = await songs();
    await start(await radio(all));
    for (const name of await asked()) await make(name);
    const other = await radio(all);
    await start(other);
    expect([await asked(), (await stream(other.id)).pendingJoins]).toEqual([expect.any(Array), 0]);
    expect((await data().joins.ofRun(other.id)).size).toBe(3);
  });

  it('plays each song for 3 s less, and a shuffle looks ahead as it is drawn', async () => {
    const it = await radio(await songs(), {}, 'shuffle');
    await start(it);
    const entries = await entriesOf(it);
    const lengths = [...occurrencesFrom(entries, 0, 30).take(7)].map(({ frameCount }) => frameCount / 30);
    expect(new Set(lengths)).toEqual(new Set([197.5]));
    await goOnAir(it, 500);
    await fallDue(it.id, 'joins');
    await fire();
    const uploadIDs = entries[0]!.snapshot.items.map(({ uploadID }) => uploadID);
    const { contentHashes } = await data().renditions.prepared(uploadIDs, ['sound']);
    const track = { entries, contentHashes };
    const wanted = [...occurrencesFrom(entries, 500 * 30, 30).take(4)]
      .filter(({ startFrame }) => startFrame < 1090 * 30)
      .flatMap((occurrence) => soundPartsAt(track, occurrence, 30).map(({ name }) => name));
    expect(wanted.length).toBeGreaterThanOrEqual(3);
    expect(await asked()).toEqual(expect.arrayContaining(wanted));
  });

  it('has those of the other levels prepared once songs get these', async () => {
    const it = await radio(await songs());
    await start(it);
    await goOnAir(it, 10);
    const before = new Set(await asked());
    const loudness = { integratedLUFS: -8, rangeLU: 5, truePeakDBTP: -0.5 };
    await service.pool().query(`update inspections set state = 'completed', share = 1, loudness = $1`, [loudness]);
    for (const content of ['a', 'b', 'c']) {
      await data().renditions.begin(content, 'sound-14', 1);
      await data().renditions.finishSegment(content, 'sound-14', 0);
    }
    await call('PATCH', `/streams/${it.id}`, { sound: { join: crossfade } });
    expect((await asked()).filter((name) => !before.has(name)).length).toBeGreaterThan(2);
  });
});

it('a stream that is live joins otherwise from its next item on, and goes on in the same order', async () => {
  const it = await radio(await songs(), { sound: null });
  await start(it);
  await goOnAir(it, 100);
  expect([(await stream(it.id)).pendingJoins, await asked()]).toEqual([null, []]);
  await call('PATCH', `/streams/${it.id}`, {
    sound: { loudness: { enabled: false }, join: { kind: 'fade', seconds: 1 } },
  });
  const entries = await entriesOf(it);
  expect(entries).toHaveLength(2);
  expect(entries[1]!.offsetSeconds).toBeCloseTo(200.5, 3);
  expect(entries[1]!.snapshot.items.map(({ itemID, join }) => [itemID, join])).toEqual(
    ['item1', 'item2', 'item0'].map((id) => [id, { kind: 'fade', seconds: 1 }]),
  );
  expect((await asked()).length).toBeGreaterThan(3);
  await call('PATCH', `/streams/${it.id}`, { sound: null });
  expect((await entriesOf(it)).at(-1)!.snapshot.items.every(({ join }) => join === undefined)).toBe(true);
  expect((await stream(it.id)).pendingJoins).toBeNull();
});

it.for([
  ['sequential', [crossfade.seconds, 2, 2]],
  ['shuffle', [2, 2, 2]],
] as const)('a short item shortens its own joins, and in shuffle those of all items: %s', async ([mode, seconds]) => {
  const [a, b] = await songs();
  const it = await radio([a!, b!, await upload({ durationSeconds: 4 })], {}, mode);
  await start(it);
  const [entry] = await entriesOf(it);
  expect(entry!.snapshot.items.map(({ join }) => join?.seconds)).toEqual(seconds);
});

it('an item is joined as it says itself, and nothing overlaps more than half of an item', async () => {
  const [a, b] = await songs();
  const jingle = await upload({ durationSeconds: 4 });
  const it = await radio([a!, b!, jingle]);
  await edit(it.playlistID, [{ op: 'set', itemID: 'item0', sound: { join: { kind: 'cut' } } }]);
  const { items } = (await call('GET', `/playlists/${it.playlistID}`)).body.draft;
  expect(items[0].sound).toEqual({ loudness: null, join: { kind: 'cut', seconds: 3 }, under: null });
  await start(it);
  const [entry] = await entriesOf(it);
  expect(entry!.snapshot.items.map(({ join }) => join)).toEqual([
    undefined,
    { kind: 'crossfade', seconds: 2 },
    { kind: 'crossfade', seconds: 2 },
  ]);
});

it('has a bounded number made at a time, and the others once these are there', async () => {
  const jingles = await Promise.all(Array.from({ length: 20 }, (_, index) => song(`jingle${index}`, 10)));
  const it = await radio(jingles, { sound: { loudness: { enabled: false }, join: { kind: 'fade', seconds: 2 } } });
  await start(it);
  const first = await asked();
  expect(first).toHaveLength(30);
  for (const name of first) await make(name);
  await fallDue(it.id, 'joins');
  await fire();
  // Each song fades in and out.
  expect(new Set(await asked()).size).toBe(40);
});

describe('a programme of 2,000 videos in random order', () => {
  /** Videos of 20 s in a folder, which are prepared. */
  async function makeVideos(): Promise<void> {
    await service.pool().query(
      `insert into uploads (id, user_id, name, mime_type, type, object_key, uploaded, probe_state, duration_seconds,
         width, height, framerate, video_codec, audio_codec, size_bytes, folder, content_hash)
       select 'upl_video' || n, $1, 'Video ' || n, 'video/mp4', 'video', 'video_' || n, true, 'completed', 20, 1280,
         720, 30, 'h264', 'aac', 4000000, 'Videos', 'video' || n from generate_series(1, 2000) n`,
      [user().id],
    );
    await service.pool().query(
      `insert into renditions (content_hash, format, segment_count, segments_done, segments_written, state)
       select 'video' || n, 'q_720p-f_30', 1, 1, 1, 'ready' from generate_series(1, 2000) n`,
    );
  }

  it('asks for the joins of its next ten minutes only, however long it plays, and never waits for them', async () => {
    await makeVideos();
    const look = { join: { kind: 'crossfade', seconds: 2 } };
    const settings = { streamBackend: 'manifest', quality: 'q_720p', framerate: 'f_30', videoUploadObjectID: null };
    const id = await readyStream({ ...settings, sound: { loudness: { enabled: false } }, look });
    const collection = { name: 'Videos', kind: 'video', source: { folder: 'Videos' }, order: 'shuffle' };
    const collectionID = await create('/collections', collection);
    const programmeID = await create('/programmes', { streamID: id, timeZone: 'UTC' });
    const blocks = [{ id: 'all', name: 'All', steps: [{ id: 'all', collectionID }] }];
    await call('PATCH', `/programmes/${programmeID}`, { blocks });
    await call('POST', `/programmes/${programmeID}/publish`);
    expect((await call('POST', `/streams/${id}/start`)).body.state).toBe('activating');
    await goOnAir({ id, playlistID: '' }, 0);
    await transaction(async (tx) =>
      planRun(tx, (await tx.streams.lock(user().id, id))!, { now: await tx.now(), limitFactor: 1 }),
    );
    const { video } = await data().timelines.ofStream(id);
    const [first] = occurrencesFrom(video, 0, 30);
    expect([first!.frameCount, first!.item.join]).toEqual([18 * 30, look.join]);
    const known = new Set<string>();
    for (let seconds = 0; seconds <= 3600; seconds += 300) {
      await service
        .pool()
        .query('update streams set anchored_at = now() - make_interval(secs => $2) where id = $1', [id, seconds]);
      await fallDue(id, 'joins');
      await fire();
      const names = (await asked()).filter((name) => !known.has(name));
      expect(names.length).toBeLessThanOrEqual(known.size === 0 ? 60 : 30);
      for (const name of names) known.add(name);
      // In the first half an hour, no worker makes any.
      if (seconds > 1800) for (const name of names) await make(name);
      expect((await stream(id)).pendingJoins).toBeLessThanOrEqual(30);
    }
    // An item begins every 18 s.
    expect(known.size).toBeGreaterThan(100);
    expect(known.size).toBeLessThanOrEqual((3600 + 630) / 18);
  });
});

describe('a join that is not made yet', () => {
  const carryOut = async (name: string) => {
    const options = {
      pool: service.pool(),
      objects: service.objects(),
      tools: { ffmpegPath: '', ffprobePath: '' },
      encoderOf: async () => fastEncoder,
      log: () => {},
    };
    const signal = new AbortController().signal;
    await makeJoin(options, name, { commandID: name, failures: 0, isLast: true, signal });
  };

  it.each([
    [
      'whose stream has others by now',
      { sound: { loudness: { enabled: false }, join: { kind: 'crossfade', seconds: 4 } } },
    ],
    ['whose stream has stopped', { status: 'INACTIVE' }],
  ])('%s is not made', async (_, change) => {
    const it = await radio(await songs());
    await start(it);
    const names = await asked();
    await call('PATCH', `/streams/${it.id}`, change);
    for (const name of names) await carryOut(name);
    for (const name of names) expect(await data().joins.find(name)).toBeNull();
  });
});

describe('a join that no run has wanted for two days', () => {
  const joinsOfAge = async (interval: string) => {
    const it = await radio(await songs());
    await start(it);
    const names = await asked();
    for (const name of names) await make(name);
    await service.pool().query('update joins set asked_at = now() - $1::interval', [interval]);
    return { ...it, names };
  };
  const forget = () => forgetOldJoins(service.pool(), 100);

  it('is deleted with its object though its stream still has it, and made again once it is wanted', async () => {
    const { id, names } = await joinsOfAge('49 hours');
    await forget();
    expect(await commandsTo(service, 'media')).toEqual(
      expect.arrayContaining(names.map((name) => ({ task: 'delete_object', objectKey: joinKey(name) }))),
    );
    expect((await data().joins.statesOf(names)).size).toBe(0);
    await fallDue(id, 'joins');
    await fire();
    expect((await stream(id)).pendingJoins).toBe(names.length);
    expect([...(await data().joins.ofRun(id)).keys()]).toEqual([]);
  });

  it('is another than one that a run has wanted since', async () => {
    const { id, names } = await joinsOfAge('49 hours');
    await fallDue(id, 'joins');
    await fire();
    await forget();
    expect((await data().joins.statesOf(names)).size).toBe(names.length);
    expect((await data().joins.ofRun(id)).size).toBe(names.length);
  });
});

it('the ffmpeg backend prepares nothing, and has none pending', async () => {
  const it = await radio(await songs(), { streamBackend: 'ffmpeg' });
  await start(it);
  expect([(await stream(it.id)).pendingJoins, await asked()]).toEqual([null, []]);
  expect((await entriesOf(it))[0]!.snapshot.items[0]!.join).toEqual(crossfade);
});

describe('videos that are joined', () => {
  const clip = async (content: string, durationSeconds = 100.5) => {
    const id = await upload({ videoCodec: 'h264', durationSeconds });
    await data().uploads.recordContentHash(id, content);
    await data().renditions.begin(content, formatNamed('q_720p-f_30'), 1);
    await data().renditions.finishSegment(content, 'q_720p-f_30', 0);
    return id;
  };
  const channel = async (look: object, more: object = {}): Promise<Radio> => {
    const ids = await Promise.all(['x', 'y', 'z'].map((content) => clip(content)));
    const settings = { streamBackend: 'manifest', quality: 'q_720p', framerate: 'f_30', videoUploadObjectID: ids[0] };
    const id = await readyStream({ ...settings, sound: { loudness: { enabled: false } }, look, ...more });
    const playlistID = await create('/playlists', { streamID: id, kind: 'video', mode: 'sequential' });
    await edit(
      playlistID,
      ids.map((uploadID, index) => ({ op: 'add', uploadID, itemID: `item${index}` })),
    );
    return { id, playlistID };
  };
  const items = async ({ id }: Radio) => (await data().timelines.ofStream(id)).video.at(-1)!.snapshot.items;
  const dip = { kind: 'dip', seconds: 1 };

  it('have their joins prepared, which are sent once they are there', async () => {
    const it = await channel({ join: { kind: 'crossfade', seconds: 2 } });
    await start(it);
    // Six begin within 600 s and follow something: three pairs, whose frames of AAC meet in two ways.
    const names = await asked();
    expect([3, 4, 5, 6]).toContain(names.length);
    expect(await stream(it.id)).toMatchObject({
      pendingJoins: names.length,
      look: { join: { kind: 'crossfade', seconds: 2 } },
    });
    for (const name of names) await make(name);
    expect((await stream(it.id)).pendingJoins).toBe(0);
    expect([...(await data().joins.ofRun(it.id)).keys()].toSorted()).toEqual(names.toSorted());
  });

  it('are joined otherwise from the next item on, each as it says itself', async () => {
    const it = await channel({ join: { kind: 'cut' } });
    await edit(it.playlistID, [{ op: 'set', itemID: 'item1', look: { join: dip } }]);
    const { draft } = (await call('GET', `/playlists/${it.playlistID}`)).body;
    expect(draft.items[1].look).toEqual({ framing: null, join: dip });
    await start(it);
    await goOnAir(it, 50);
    expect((await items(it)).map(({ join }) => join)).toEqual([undefined, dip, undefined]);
    // One fades to black, and the next one fades from it.
    expect(await asked()).toHaveLength(2);
    await call('PATCH', `/streams/${it.id}`, { look: { join: { kind: 'crossfade' } } });
    const crossfaded = { kind: 'crossfade', seconds: 1 };
    expect((await items(it)).map(({ join }) => join)).toEqual([dip, crossfaded, crossfaded]);
    expect((await asked()).length).toBeGreaterThan(2);
    expect((await data().timelines.ofStream(it.id)).video.at(-1)!.offsetSeconds).toBeCloseTo(100.5, 3);
  });

  it('have none made by the ffmpeg backend, which joins them while it encodes', async () => {
    const it = await channel({ join: dip }, { streamBackend: 'ffmpeg' });
    await start(it);
    expect([(await stream(it.id)).pendingJoins, await asked()]).toEqual([null, []]);
    expect((await items(it)).map(({ join }) => join)).toEqual([dip, dip, dip]);
  });

  it.each([{ kind: 'crossfade', seconds: 2.1 }, { kind: 'dip', seconds: 0.1 }, { kind: 'fade' }])(
    'are not joined by %j',
    async (join) => {
      const id = await readyStream();
      expect((await call('PATCH', `/streams/${id}`, { look: { join } })).body).toMatchObject({
        code: 'validation_failed',
      });
    },
  );
});

describe('titles of the songs over the pictures', () => {
  const look = { overlays: { title: { seconds: 10 } } };
  const sound = { loudness: { enabled: false }, join: { kind: 'cut' } };
  const titled = async (of = look) => radio(await songs(), { look: of, sound });
  /** The requested drawings, with the first picture of each. */
  const told = async () => {
    const found = await Promise.all((await asked()).map(async (name) => (await data().joins.find(name))!.part));
    return found.map(({ composition, firstGroup, groupCount }) => {
      return { frames: [firstGroup, groupCount], texts: composition.layers[0]!.drawn!.texts };
    });
  };

  it('are prepared for the next ten minutes, where they are seen', async () => {
    const it = await titled();
    for (const title of ['a', 'b', 'c']) {
      const { id } = (await data().uploads.anyWithContent(title))!;
      await call('PATCH', `/uploads/${id}`, { title: `Song ${title}` });
    }
    await start(it);
    const found = await told();
    // Songs of 200.5 s over pictures of equal length: the second one begins with the pictures.
    expect(found.map(({ texts }) => texts.map(({ lines }) => lines.join()))).toEqual([
      ['Song a'],
      ['Song b'],
      ['Song c'],
    ]);
    expect(found.map(({ frames }) => frames)).toEqual(found.map(() => [0, 300]));
    expect(await stream(it.id)).toMatchObject({ pendingJoins: 3, look: { overlays: { title: { seconds: 10 } } } });
  });

  it('are kept for two hours after they were wanted, as hardly any of them comes again', async () => {
    await start(await titled());
    const names = await asked();
    for (const name of names) await make(name);
    const forgottenAfter = async (interval: string) => {
      await service.pool().query('update joins set asked_at = now() - $1::interval', [interval]);
      await forgetOldJoins(service.pool(), 100);
      return names.length - (await data().joins.statesOf(names)).size;
    };
    expect(await forgottenAfter('1 hour 50 minutes')).toBe(0);
    expect(await forgottenAfter('2 hours 10 minutes')).toBe(names.length);
    expect(names.length).toBeGreaterThan(0);
  });

  it('are no variants of the items, and are told otherwise from the next item on', async () => {
    const it = await titled();
    await start(it);
    await goOnAir(it, 100);
    const entries = async () => (await data().timelines.ofStream(it.id)).video;
    expect((await entries()).map(({ snapshot }) => snapshot.items[0]!.variants)).toEqual([undefined]);
    const before = await asked();
    expect(await call('PATCH', `/streams/${it.id}`, { look })).toMatchObject({ status: 200 });
    expect(await entries()).toHaveLength(1);
    await call('PATCH', `/streams/${it.id}`, { look: { overlays: { title: { seconds: 10, place: 'top' } } } });
    const last = (await entries()).at(-1)!;
    expect(last.offsetSeconds).toBeCloseTo(200.5, 1);
    expect(last.snapshot.overlays).toMatchObject({ ofSound: true, title: { place: 'top' } });
    const places = (await told()).slice(before.length).flatMap(({ texts }) => texts.map(({ place }) => place));
    expect(new Set(places)).toEqual(new Set(['top']));
    await call('PATCH', `/streams/${it.id}`, { look: { overlays: null } });
    expect((await entries()).at(-1)!.snapshot.overlays).toBeUndefined();
  });
});

it('songs of an album follow one another without a gap', async () => {
  const it = await radio(await songs(), { sound: { loudness: { enabled: false }, join: { kind: 'gap_free' } } });
  await start(it);
  const [entry] = await entriesOf(it);
  expect(entry!.snapshot.items[0]!.join).toEqual({ kind: 'gap_free', seconds: 20 });
  // Three ends, and the beginnings of all songs except the first.
  expect((await asked()).length).toBeGreaterThan(4);
});

it.each([{ kind: 'crossfade', seconds: 0.4 }, { kind: 'fade', seconds: 10.1 }, { kind: 'wipe' }])(
  'the join %j is refused',
  async (join) => {
    const id = await readyStream();
    expect((await call('PATCH', `/streams/${id}`, { sound: { join } })).body).toMatchObject({
      code: 'validation_failed',
    });
  },
);

describe('the sound of videos under a sound track', () => {
  const under = { gainDB: -12, duck: true };
  const mixed = async (more: object = {}) =>
    radio(await songs(), { sound: { loudness: { enabled: false }, join: { kind: 'cut' }, under }, ...more });
  const parts = async () => Promise.all((await asked()).map(async (name) => (await data().joins.find(name))!.part));

  it('is mixed for the next ten minutes, a part of a song after the other', async () => {
    const it = await mixed();
    await start(it);
    const found = await parts();
    // Three songs of 200.5 s, each in ten parts of 21.3 s: the last one ends with the song.
    expect(found.map(({ firstGroup }) => firstGroup)).toEqual(
      [...songParts(), ...songParts(), ...songParts()].slice(0, found.length),
    );
    expect(found.length).toBeGreaterThan(27);
    expect(found.every(({ under }) => under!.length > 0)).toBe(true);
    expect((await data().joins.find((await asked())[0]!))!.content_hashes).toEqual(['a', 'pictures']);
    expect((await stream(it.id)).pendingJoins).toBe(found.length);
    expect((await stream(it.id)).sound.under).toEqual({ enabled: true, ...under });
    for (const name of await asked()) await make(name);
    expect((await stream(it.id)).pendingJoins).toBe(0);
  });

  it('is mixed otherwise from the next video on, and not any more once it is not wished', async () => {
    const it = await mixed();
    await start(it);
    await goOnAir(it, 50);
    await call('PATCH', `/streams/${it.id}`, { sound: { under: { gainDB: -20 } } });
    const gains = (await parts()).flatMap((part) => part.under!.map(({ gainDB }) => gainDB));
    expect(new Set(gains)).toEqual(new Set([-12, -20]));
    expect((await data().timelines.ofStream(it.id)).video.at(-1)!.offsetSeconds).toBeCloseTo(200.5, 0);
    await call('PATCH', `/streams/${it.id}`, { sound: { under: { enabled: false } } });
    expect((await data().timelines.ofStream(it.id)).video.at(-1)!.snapshot.items[0]!.under).toBeUndefined();
  });

  it('is kept for two hours after it was wanted', async () => {
    await start(await mixed());
    const names = await asked();
    for (const name of names) await make(name);
    await service.pool().query(`update joins set asked_at = now() - interval '2 hours 10 minutes'`);
    await forgetOldJoins(service.pool(), 100);
    expect([names.length > 0, (await data().joins.statesOf(names)).size]).toEqual([true, 0]);
  });

  it('is not heard of videos of less than 5 s, which readiness says of prepared ones alone', async () => {
    const short = await upload({ videoCodec: 'h264', durationSeconds: 4.9 });
    const codes = async (streamBackend: string) => {
      const { id } = await mixed({ streamBackend, videoUploadObjectID: short });
      const { issues } = (await call('GET', `/streams/${id}/readiness`)).body;
      return issues.map(({ code }: { code: string }) => code).includes('under_not_prepared');
    };
    expect([await codes('manifest'), await codes('ffmpeg')]).toEqual([true, false]);
  });

  it('is mixed by the ffmpeg backend while it encodes', async () => {
    const it = await mixed({ streamBackend: 'ffmpeg' });
    await start(it);
    expect([(await stream(it.id)).pendingJoins, await asked()]).toEqual([null, []]);
  });
});

/** The first frames of the parts of a song of 200.5 s. */
function songParts(): number[] {
  return Array.from({ length: Math.ceil((200.5 * 48_000) / 1024 / 1000) }, (_, part) => part * 1000);
}
