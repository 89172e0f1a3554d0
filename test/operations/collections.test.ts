// Collections: each source, each order, deletions of the things that they name, and refused requests.
import { describe, expect, it } from 'vitest';
import { databaseOn } from '../../lambda/data/database.ts';
import { collectionBounds } from '../../lambda/domain/media/collections.ts';
import { actorsOn } from '../support/actors.ts';
import { pretendProbed, testService } from '../support/service.ts';
import { pretendPublished } from '../support/stored-playlists.ts';
import { failProbe } from '../support/stored-uploads.ts';

const service = testService();
const { call, create } = actorsOn(service);

interface Made {
  readonly name: string;
  readonly folder?: string;
  readonly tags?: readonly string[];
  readonly artist?: string;
  readonly album?: string;
  readonly mimeType?: string;
  /** Absent: not examined yet. */
  readonly facts?: Parameters<typeof pretendProbed>[2];
}

async function add({ artist, album, facts, ...upload }: Made, caller: typeof call = call): Promise<string> {
  const { body } = await caller('POST', '/uploads', { mimeType: 'video/mp4', ...upload });
  if (artist !== undefined || album !== undefined) await caller('PATCH', `/uploads/${body.id}`, { artist, album });
  if (facts) await pretendProbed(service, body.id, facts);
  return body.id;
}

const collect = (source: object, more: object = {}) =>
  call('POST', '/collections', { name: 'c', kind: 'video', source, ...more });
const collectionOf = async (source: object, more?: object): Promise<string> => {
  const { status, body } = await collect(source, more);
  expect([status, body.errors]).toEqual([201, undefined]);
  return body.id;
};
const read = async (id: string) => (await call('GET', `/collections/${id}`)).body;

async function namesIn(id: string): Promise<string[]> {
  const { status, body } = await call('GET', `/collections/${id}/uploads?limit=100`);
  expect(status).toBe(200);
  return body.data.map(({ name }: { name: string }) => name);
}

/** A library in the order of its uploads, and a library of another user with the same words. */
async function fillLibrary() {
  const other = await service.user();
  await add({ name: 'Night 1', folder: 'Music', tags: ['jazz'] }, (...request) => other.call(...request));
  const ids = new Map<string, string>();
  for (const upload of [
    { name: 'Night 10', folder: 'Music/Live', tags: ['Jazz', 'late'], artist: 'Zoë' },
    { name: 'Night 2', folder: 'Music', tags: ['jazz'] },
    { name: 'Day 1', folder: 'Musical', tags: ['pop', 'late'] },
    { name: 'Rain', tags: ['rain'] },
  ])
    ids.set(upload.name, await add(upload));
  return { other, ids };
}

describe('a source', () => {
  it.each<[string, object, string[]]>([
    ['a folder', { folder: 'Music' }, ['Night 2']],
    ['a folder and those in it', { folder: 'Music', recursive: true }, ['Night 2', 'Night 10']],
    ['no folder', { folder: '' }, ['Rain']],
    ['everything', { folder: '', recursive: true }, ['Rain', 'Night 2', 'Night 10', 'Day 1']],
    ['all tags', { allTags: ['JAZZ', 'late'] }, ['Night 10']],
    ['any tag', { anyTags: ['rain', 'pop'] }, ['Rain', 'Day 1']],
    ['no tag', { noTags: ['late'] }, ['Rain', 'Night 2']],
    ['tags of each kind', { allTags: ['late'], anyTags: ['jazz', 'pop'], noTags: ['POP'] }, ['Night 10']],
    ['words', { text: 'nig' }, ['Night 2', 'Night 10']],
    ['words of titles', { text: 'zoe' }, ['Night 10']],
    ['no word', { text: `%'|` }, []],
  ])('finds %s, and nothing of others', async (_, source, names) => {
    await fillLibrary();
    const id = await collectionOf(source);
    expect(await namesIn(id)).toEqual(names);
    expect(await read(id)).toMatchObject({ source, count: names.length, complete: true });
  });

  it('fills itself', async () => {
    const id = await collectionOf({ allTags: ['new'] });
    expect(await read(id)).toMatchObject({ count: 0, durationSeconds: 0, secondsWithoutRepeat: 0, complete: true });
    const upload = await add({ name: 'x', tags: ['new'] });
    expect(await namesIn(id)).toEqual(['x']);
    await call('PATCH', `/uploads/${upload}`, { tags: [] });
    expect(await namesIn(id)).toEqual([]);
  });

  it('lists uploads by hand, and a deleted one leaves the list', async () => {
    const { ids } = await fillLibrary();
    const uploadIDs = ['Rain', 'Night 10', 'Day 1'].map((name) => ids.get(name)!);
    const id = await collectionOf({ uploadIDs });
    expect(await namesIn(id)).toEqual(['Rain', 'Night 10', 'Day 1']);
    expect((await call('DELETE', `/uploads/${uploadIDs[1]}`)).status).toBe(204);
    expect(await namesIn(id)).toEqual(['Rain', 'Day 1']);
    expect(await read(id)).toMatchObject({ count: 2, source: { uploadIDs: [uploadIDs[0], uploadIDs[2]] } });
  });

  it('has the files that a watched source lists, in their latest version, until it is deleted', async () => {
    const { ids } = await fillLibrary();
    const sourceID = await create('/sources', { kind: 'rss', url: 'https://example.org/feed.xml' });
    const { sourceFiles } = databaseOn(service.pool());
    const record = (path: string, name: string) =>
      sourceFiles.record(sourceID, { path, version: name, fingerprint: null } as never, ids.get(name)!);
    for (const [path, name] of [
      ['a', 'Night 10'],
      ['b', 'Night 2'],
      ['c', 'Rain'],
    ] as const)
      await record(path, name);
    const id = await collectionOf({ sourceID });
    expect(await namesIn(id)).toEqual(['Rain', 'Night 2', 'Night 10']);
    await sourceFiles.markRemoved(sourceID, ['b']);
    await record('a', 'Day 1');
    expect(await namesIn(id)).toEqual(['Rain', 'Day 1']);
    await call('DELETE', `/sources/${sourceID}`);
    expect(await read(id)).toMatchObject({ count: 0, source: { sourceID } });
  });

  it('has the published items of a playlist, each upload once, until it is deleted', async () => {
    const { ids } = await fillLibrary();
    const streamID = await create('/streams', {});
    const playlistID = await create('/playlists', { streamID, kind: 'video', mode: 'shuffle' });
    const id = await collectionOf({ playlistID });
    await call('POST', `/playlists/${playlistID}/operations`, {
      operations: ['Rain', 'Day 1', 'Rain'].map((name) => ({ op: 'add', uploadID: ids.get(name) })),
    });
    expect(await namesIn(id)).toEqual([]);
    await pretendPublished(service, playlistID);
    expect(await namesIn(id)).toEqual(['Rain', 'Day 1']);
    await call('DELETE', `/playlists/${playlistID}`);
    expect(await read(id)).toMatchObject({ count: 0, source: { playlistID } });
  });

  it('is a union of collections, which loses those that are deleted', async () => {
    await fillLibrary();
    const [late, jazz] = [await collectionOf({ allTags: ['late'] }), await collectionOf({ allTags: ['jazz'] })];
    const union = await collectionOf({ collectionIDs: [late, jazz] });
    expect(await namesIn(union)).toEqual(['Night 10', 'Day 1', 'Night 2']);
    expect(await read(union)).toMatchObject({ count: 3 });
    expect((await call('DELETE', `/collections/${late}`)).status).toBe(204);
    expect(await namesIn(union)).toEqual(['Night 2', 'Night 10']);
    expect((await read(union)).source).toEqual({ collectionIDs: [jazz] });
  });
});

describe('an order', () => {
  const listed = async () => {
    const ids = [];
    for (const [name, artist, tag] of [
      ['Episode 10', 'B', 'series:x'],
      ['Episode 2', 'A', 'Series:X'],
      ['Film', null, 'film'],
      ['Episode 1', 'B', 'series:y'],
    ] as const)
      ids.push(await add({ name, tags: [tag], ...(artist && { artist }) }));
    return ids.reverse();
  };

  it.each<[string, object, string[]]>([
    ['sequential', {}, ['Episode 1', 'Film', 'Episode 2', 'Episode 10']],
    ['newest', { order: 'newest' }, ['Episode 1', 'Film', 'Episode 2', 'Episode 10']],
    ['oldest', { order: 'oldest' }, ['Episode 10', 'Episode 2', 'Film', 'Episode 1']],
    ['series', { order: 'series' }, ['Episode 1', 'Episode 2', 'Episode 10', 'Film']],
    ['artist', { order: 'series', groupBy: 'artist' }, ['Episode 2', 'Episode 1', 'Episode 10', 'Film']],
    ['tag', { order: 'series', groupBy: 'tag:series:' }, ['Episode 2', 'Episode 10', 'Episode 1', 'Film']],
  ])('%s', async (_, more, names) => {
    const id = await collectionOf({ uploadIDs: await listed() }, more);
    expect(await namesIn(id)).toEqual(names);
    expect(await read(id)).toMatchObject({ order: 'sequential', groupBy: null, ...more });
  });

  it('shuffle is by id, for programmes to draw from', async () => {
    const uploadIDs = await listed();
    const id = await collectionOf({ uploadIDs }, { order: 'shuffle' });
    const { members } = (await databaseOn(service.pool()).collections.members(await ownerOf(id), [id])).get(id)!;
    expect(members.map((member) => member.id)).toEqual([...uploadIDs].sort());
  });

  it('tells the group of each member', async () => {
    const id = await collectionOf({ uploadIDs: await listed() }, { order: 'series', groupBy: 'tag:series:' });
    const { members } = (await databaseOn(service.pool()).collections.members(await ownerOf(id), [id])).get(id)!;
    expect(members.map(({ group }) => group)).toEqual(['series:x', 'series:x', 'series:y', null]);
  });

  const ownerOf = async (id: string) =>
    (await service.pool().query<{ user_id: string }>('select user_id from collections where id = $1', [id])).rows[0]!
      .user_id;
});

describe('the track', () => {
  const pictures = { name: 'pictures', facts: { durationSeconds: 20, videoCodec: 'h264', audioCodec: null } };
  const song = { name: 'song', mimeType: 'audio/mpeg', facts: { durationSeconds: 30, videoCodec: null } };
  const film = { name: 'film', facts: { durationSeconds: 40 } };
  const photo = {
    name: 'photo',
    mimeType: 'image/png',
    facts: { durationSeconds: null, videoCodec: 'png', audioCodec: null },
  };

  it('leaves out what it cannot play, and counts what it may play once it is examined', async () => {
    for (const upload of [pictures, song, film, photo, { name: 'waits' }]) await add(upload);
    await failProbe(service, await add({ name: 'broken' }), 'unreadable');
    const everything = { folder: '', recursive: true };
    const [video, audio] = [await collectionOf(everything), await collectionOf(everything, { kind: 'audio' })];
    expect(await namesIn(video)).toEqual(['broken', 'film', 'photo', 'pictures', 'waits']);
    expect(await read(video)).toMatchObject({ count: 5, durationSeconds: 60, secondsWithoutRepeat: 70 });
    expect(await namesIn(audio)).toEqual(['broken', 'film', 'song', 'waits']);
    expect(await read(audio)).toMatchObject({ count: 4, durationSeconds: 70, secondsWithoutRepeat: 70 });
  });

  it('refuses listed uploads that it cannot play', async () => {
    const uploadIDs = [await add(film), await add(song)];
    expect(await collect({ uploadIDs })).toMatchObject({
      status: 422,
      body: { errors: [{ path: '/source/uploadIDs/1', detail: expect.stringMatching('no picture') }] },
    });
  });
});

describe('a change', () => {
  it('replaces what it names, and GET /changes tells it', async () => {
    const { cursor } = (await call('GET', '/changes')).body;
    const id = await collectionOf({ allTags: ['a'] });
    const { body } = await call('PATCH', `/collections/${id}`, { name: 'n', source: { text: 'x' }, order: 'newest' });
    expect(body).toMatchObject({ name: 'n', source: { text: 'x' }, order: 'newest', groupBy: null, kind: 'video' });
    expect(body.updatedAt >= body.createdAt).toBe(true);
    const changed = (await call('GET', `/changes?since=${cursor}`)).body;
    expect(changed.changed).toEqual([{ kind: 'collection', id, deleted: false }]);
    await call('DELETE', `/collections/${id}`);
    const gone = (await call('GET', `/changes?since=${changed.cursor}`)).body;
    expect(gone.changed).toEqual([{ kind: 'collection', id, deleted: true }]);
  });

  it('takes back what was read, after an upload of it is gone', async () => {
    const uploadIDs = [await add({ name: 'a' }), await add({ name: 'b' })];
    const id = await collectionOf({ uploadIDs });
    await call('DELETE', `/uploads/${uploadIDs[0]}`);
    const { source } = await read(id);
    expect(await call('PATCH', `/collections/${id}`, { source })).toMatchObject({ status: 200, body: { source } });
    await call('DELETE', `/uploads/${uploadIDs[1]}`);
    expect((await read(id)).source).toEqual({ uploadIDs: [] });
  });

  it('of the order needs no groups', async () => {
    const id = await collectionOf({ text: 'x' }, { order: 'series', groupBy: 'album' });
    const refused = await call('PATCH', `/collections/${id}`, { order: 'newest' });
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ path: '/order' }] } });
    expect(await call('PATCH', `/collections/${id}`, { order: 'newest', groupBy: null })).toMatchObject({
      status: 200,
    });
  });

  it('makes no union of a collection in a union, nor of itself', async () => {
    const [part, other] = [await collectionOf({ text: 'a' }), await collectionOf({ text: 'b' })];
    const union = await collectionOf({ collectionIDs: [part] });
    for (const [id, collectionIDs] of [
      [part, [other]],
      [union, [union]],
    ] as const)
      expect(await call('PATCH', `/collections/${id}`, { source: { collectionIDs } })).toMatchObject({ status: 422 });
    expect(await read(union)).toMatchObject({ source: { collectionIDs: [part] } });
  });
});

describe('pages', () => {
  it('continue after an upload that leaves', async () => {
    const uploadIDs: string[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) uploadIDs.push(await add({ name }));
    const id = await collectionOf({ uploadIDs });
    const page = (cursor?: string) =>
      call('GET', `/collections/${id}/uploads?limit=2${cursor ? `&cursor=${cursor}` : ''}`);
    const first = (await page()).body;
    expect(first.data.map(({ name }: { name: string }) => name)).toEqual(['a', 'b']);
    await call('DELETE', `/uploads/${uploadIDs[0]}`);
    const second = (await page(first.page.nextCursor)).body;
    expect(second.data.map(({ name }: { name: string }) => name)).toEqual(['c', 'd']);
    const third = (await page(second.page.nextCursor)).body;
    expect([third.data.map(({ name }: { name: string }) => name), third.page.hasMore]).toEqual([['e'], false]);
    expect(await page('abc')).toMatchObject({ status: 422, body: { code: 'invalid_cursor' } });
  });

  it('of collections list each with its own figures, newest first', async () => {
    await fillLibrary();
    const made: string[] = [];
    for (let index = 0; index < 12; index++) made.push(await collectionOf({ allTags: [index % 2 ? 'jazz' : 'rain'] }));
    const { body } = await call('GET', '/collections?limit=11');
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(made.reverse().slice(0, 11));
    expect(body.data.map(({ count }: { count: number }) => count)).toEqual([2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2]);
    expect(body.page.hasMore).toBe(true);
  });

  it('of collections end before they would have too many uploads', async () => {
    const uploadIDs = [await add({ name: 'a' })];
    const id = await collectionOf({ uploadIDs });
    const listed = Array.from({ length: 60 }, () => collectionOf({ uploadIDs }));
    await Promise.all(listed);
    // Lists of uploads that are read as they were stored: a deletion would remove them from the answers.
    await service.pool().query(
      `insert into uploads (id, user_id, name, mime_type, type, object_key)
       select 'upl_many_' || n, user_id, 'x', 'video/mp4', 'video', 'many ' || n
       from generate_series(1, 1000) as n, collections where id = $1`,
      [id],
    );
    await service.pool().query(
      `update collections set source = jsonb_build_object(
         'uploadIDs', (select jsonb_agg('upl_many_' || n) from generate_series(1, 1000) as n))
       where user_id = (select user_id from collections where id = $1)`,
      [id],
    );
    const { body } = await call('GET', '/collections?limit=100');
    expect([body.data.length, body.page.hasMore]).toEqual([10, true]);
    const rest = (await call('GET', `/collections?limit=100&cursor=${body.page.nextCursor}`)).body;
    expect([rest.data.length, rest.page.hasMore]).toEqual([10, true]);
  });
});

describe('pages of unions', () => {
  it('end before too many uploads would be read, also if each union has the same few', async () => {
    const uploadIDs = [await add({ name: 'a' })];
    const parts: string[] = [];
    for (let index = 0; index < 10; index++) parts.push(await collectionOf({ uploadIDs }));
    const unions: string[] = [];
    for (let index = 0; index < 12; index++) unions.push(await collectionOf({ collectionIDs: parts }));
    await service.pool().query(
      `insert into uploads (id, user_id, name, mime_type, type, object_key)
       select 'upl_same_' || n, user_id, 'x', 'video/mp4', 'video', 'same ' || n
       from generate_series(1, 1000) as n, collections where id = $1`,
      [parts[0]],
    );
    // The same uploads in the order of another beginning each, so that no two lists are equal.
    await service.pool().query(
      `update collections set source = jsonb_build_object('uploadIDs', (
         select jsonb_agg('upl_same_' || 1 + (n + array_position($1::text[], id)) % 1000 order by n)
         from generate_series(1, 1000) as n))
       where id = any ($1)`,
      [parts],
    );
    const { body } = await call('GET', '/collections?limit=100');
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(unions.toReversed().slice(0, 5));
    expect(body.data.map(({ count }: { count: number }) => count)).toEqual([1000, 1000, 1000, 1000, 1000]);
    expect(body.page.hasMore).toBe(true);
  });
});

describe('somebody else', () => {
  it('sees, changes and deletes nothing', async () => {
    const { other } = await fillLibrary();
    const id = await collectionOf({ folder: '', recursive: true });
    for (const [method, path, body] of [
      ['GET', `/collections/${id}`],
      ['GET', `/collections/${id}/uploads`],
      ['PATCH', `/collections/${id}`, { name: 'x' }],
      ['DELETE', `/collections/${id}`],
    ] as const)
      expect(await other.call(method, path, body)).toMatchObject({ status: 404 });
    expect((await other.call('GET', '/collections')).body.data).toEqual([]);
    expect(await read(id)).toMatchObject({ name: 'c', count: 4 });
  });

  it('keeps their things to themselves, even if a collection names them', async () => {
    const { other, ids } = await fillLibrary();
    const otherCollection = (
      await other.call('POST', '/collections', { name: 'c', kind: 'video', source: { allTags: ['jazz'] } })
    ).body.id;
    const streamID = (await other.call('POST', '/streams', {})).body.id;
    const playlistID = (await other.call('POST', '/playlists', { streamID, kind: 'video', mode: 'shuffle' })).body.id;
    const sourceID = (await other.call('POST', '/sources', { kind: 'rss', url: 'https://example.org/feed.xml' })).body
      .id;
    const theirs = (await other.call('GET', '/uploads')).body.data[0].id;
    for (const [source, path] of [
      [{ uploadIDs: [ids.get('Rain'), theirs] }, '/source/uploadIDs/1'],
      [{ collectionIDs: [otherCollection] }, '/source/collectionIDs/0'],
      [{ playlistID }, '/source/playlistID'],
      [{ sourceID }, '/source/sourceID'],
    ] as const)
      expect(await collect(source)).toMatchObject({ status: 422, body: { errors: [{ path }] } });
    await other.call('POST', `/playlists/${playlistID}/operations`, { operations: [{ op: 'add', uploadID: theirs }] });
    await pretendPublished(service, playlistID);
    const id = await collectionOf({ text: 'nowhere' });
    for (const source of [
      { uploadIDs: [theirs] },
      { collectionIDs: [otherCollection] },
      { playlistID },
      { sourceID },
    ]) {
      await service.pool().query('update collections set source = $2 where id = $1', [id, source]);
      expect([await namesIn(id), (await read(id)).count]).toEqual([[], 0]);
    }
  });
});

describe('what is refused', () => {
  const tags = (count: number) => Array.from({ length: count }, (_, index) => `t${index}`);
  it.each<[string, object, string]>([
    ['no source', {}, '/source'],
    ['two sources', { folder: 'a', text: 'b' }, '/source'],
    ['recursive without a folder', { recursive: true }, '/source/folder'],
    ['a way up', { folder: '../a' }, '/source/folder'],
    ['no tags', { allTags: [] }, '/source/allTags'],
    ['too many tags', { anyTags: tags(33) }, '/source/anyTags'],
    ['a tag of spaces', { noTags: [' '] }, '/source/noTags/0'],
    ['an empty search', { text: '' }, '/source/text'],
    ['a long search', { text: 'x'.repeat(256) }, '/source/text'],
    ['too many uploads', { uploadIDs: tags(collectionBounds.uploadIDs + 1) }, '/source/uploadIDs'],
    ['too many collections', { collectionIDs: tags(collectionBounds.collectionIDs + 1) }, '/source/collectionIDs'],
    ['an unknown field', { text: 'x', everything: true }, '/source/everything'],
  ])('%s', async (_, source, path) => {
    expect(await collect(source)).toMatchObject({ status: 422, body: { errors: [{ path }] } });
  });

  it.each<[string, object, string]>([
    ['another kind', { kind: 'image' }, '/kind'],
    ['an empty name', { name: '' }, '/name'],
    ['a long name', { name: 'x'.repeat(256) }, '/name'],
    ['another order', { order: 'random' }, '/order'],
    ['groups of another order', { groupBy: 'artist' }, '/groupBy'],
    ['another group', { order: 'series', groupBy: 'genre' }, '/groupBy'],
    ['a group of no tag', { order: 'series', groupBy: 'tag:' }, '/groupBy'],
    ['a group with a line break', { order: 'series', groupBy: 'tag:a\nb' }, '/groupBy'],
  ])('%s', async (_, more, path) => {
    expect(await collect({ text: 'x' }, more)).toMatchObject({ status: 422, body: { errors: [{ path }] } });
  });

  it('an upload or a collection twice, a union of unions, and another kind', async () => {
    const upload = await add({ name: 'x' });
    const [part, sound] = [await collectionOf({ text: 'x' }), await collectionOf({ text: 'x' }, { kind: 'audio' })];
    const union = await collectionOf({ collectionIDs: [part] });
    const streamID = await create('/streams', {});
    const playlistID = await create('/playlists', { streamID, kind: 'audio', mode: 'shuffle' });
    for (const [source, path] of [
      [{ uploadIDs: [upload, upload] }, '/source/uploadIDs/1'],
      [{ collectionIDs: [part, part] }, '/source/collectionIDs/1'],
      [{ collectionIDs: [union] }, '/source/collectionIDs/0'],
      [{ collectionIDs: [part, sound] }, '/source/collectionIDs/1'],
      [{ playlistID }, '/source/playlistID'],
    ] as const)
      expect(await collect(source)).toMatchObject({ status: 422, body: { errors: [{ path }] } });
  });
});
