// The order of a library: folders, tags, names, searches, and changes of many uploads at once.
import { beforeAll, describe, expect, it } from 'vitest';
import { recordStatements } from '../migrate/statement-recording.ts';
import { testService } from '../support/service.ts';
import type { TestUser } from '../support/service.ts';

const service = testService();
let user: TestUser;
let other: TestUser;
beforeAll(async () => {
  [user, other] = [await service.user(), await service.user()];
});

async function add(name: string, more: object = {}, owner = user): Promise<string> {
  const { status, body } = await owner.call('POST', '/uploads', { name, mimeType: 'video/mp4', ...more });
  expect(status).toBe(201);
  return body.id;
}

async function names(query: string, owner = user): Promise<string[]> {
  const { status, body } = await owner.call('GET', `/uploads?${query}`);
  expect(status).toBe(200);
  return body.data.map(({ name }: { name: string }) => name);
}

const arrange = (operations: object[], owner = user) => owner.call('POST', '/uploads/batch', { operations });

describe('what is looked for', () => {
  beforeAll(async () => {
    await add('Night Drive (live).mp4', { folder: 'Music/Live', tags: ['Jazz', 'late'] });
    await add('Éclair_de-minuit.MOV', { folder: 'Music' });
    await add('rain 日本語', { tags: ['jazz'] });
    await add("Night Drive of another's", { folder: 'Music/Live', tags: ['jazz'] }, other);
    await add('100% – night', { folder: 'Musical' });
  });

  it.each([
    ['a word', 'q=drive', ['Night Drive (live).mp4']],
    ['how words begin, all of them, in any order', 'q=dr nig', ['Night Drive (live).mp4']],
    ['a word without its accents', 'q=eclair', ['Éclair_de-minuit.MOV']],
    ['a word with them', 'q=ÉCLAIR', ['Éclair_de-minuit.MOV']],
    ['another script', 'q=日本', ['rain 日本語']],
    ['what has no word in it', 'q=%25%27!', []],
    ['what would be syntax', `q=${encodeURIComponent(`night' | 'a\\`)}`, []],
    ['a folder', 'folder=Music', ['Éclair_de-minuit.MOV']],
    ['a folder and those in it', 'folder=Music&recursive=true', ['Éclair_de-minuit.MOV', 'Night Drive (live).mp4']],
    ['what is in no folder', 'folder=', ['rain 日本語']],
    ['a tag, whatever its letters', 'tag=JAZZ', ['rain 日本語', 'Night Drive (live).mp4']],
    ['all tags', 'tag=jazz&tag=late', ['Night Drive (live).mp4']],
    ['several things', 'q=night&folder=Musical&type=video&probeState=pending', ['100% – night']],
    ['another type', 'q=night&type=audio', []],
  ])('%s is found, and nothing of others', async (_, query, found) => {
    expect(await names(query)).toEqual(found);
  });

  it('has the titles that its user says, and is found by them', async () => {
    const id = await add('a file', { folder: 'Titled' });
    await user.call('PATCH', `/uploads/${id}`, { title: ' Two\nlines ', artist: 'Zoë', album: '' });
    const read = async () => (await user.call('GET', `/uploads/${id}`)).body;
    expect(await read()).toMatchObject({ title: 'Two lines', artist: 'Zoë', album: null, artworkUploadID: null });
    expect(await names('q=zoe lines')).toEqual(['a file']);
    await user.call('PATCH', `/uploads/${id}`, { artist: null });
    expect(await read()).toMatchObject({ title: 'Two lines', artist: null });
    expect(await names('q=zoe')).toEqual([]);
  });

  it.each([
    ['of nobody', async () => 'upl_none'],
    ["of another's", () => add('image', {}, other)],
    ['that is no image', () => add('film')],
  ])('has no artwork %s', async (_, upload) => {
    const body = { artworkUploadID: await upload() };
    const refused = await user.call('PATCH', `/uploads/${await add('a song')}`, body);
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ path: '/artworkUploadID' }] } });
  });

  it('is found by its new name, folder and tags at once, and no more by the old ones', async () => {
    const id = await add('first name', { folder: 'A', tags: ['one'] });
    const { body } = await user.call('PATCH', `/uploads/${id}`, {
      name: 'second',
      folder: 'B/C',
      tags: ['two', 'TWO'],
    });
    expect(body).toMatchObject({ name: 'second', folder: 'B/C', tags: ['TWO'] });
    expect([await names('q=first'), await names('folder=A&recursive=true'), await names('tag=one')]).toEqual([
      [],
      [],
      [],
    ]);
    expect([await names('q=second'), await names('folder=B&recursive=true'), await names('tag=two')]).toEqual([
      ['second'],
      ['second'],
      ['second'],
    ]);
    await user.call('PATCH', `/uploads/${id}`, { tags: [] });
    expect((await user.call('GET', `/uploads/${id}`)).body).toMatchObject({ name: 'second', folder: 'B/C', tags: [] });
  });

  it.each([
    ['a folder that is too deep', { folder: 'a/b/c/d/e/f/g/h/i' }, '/folder'],
    ['an empty name in a path', { folder: 'a//b' }, '/folder'],
    ['a slash at the end', { folder: 'a/' }, '/folder'],
    ['a way up', { folder: '../a' }, '/folder'],
    ['a line break', { folder: 'a\nb' }, '/folder'],
    ['a tag of spaces', { tags: [' '] }, '/tags/0'],
    ['33 tags', { tags: Array.from({ length: 33 }, (_, index) => `t${index}`) }, '/tags'],
    ['an empty name', { name: '' }, '/name'],
  ])('refuses %s', async (_, body, path) => {
    const id = await add('x', { folder: 'Refused' });
    const answer = await user.call('PATCH', `/uploads/${id}`, body);
    expect([answer.status, answer.body.errors[0].path]).toEqual([422, path]);
    expect((await user.call('GET', `/uploads/${id}`)).body).toMatchObject({ name: 'x', folder: 'Refused', tags: [] });
  });
});

describe('a sorted list', () => {
  const sorted = ['Äpfel', 'apple', 'Episode 2', 'Episode 10', 'Episode 10', 'zebra'];
  let owner: TestUser;
  beforeAll(async () => {
    owner = await service.user();
    for (const [index, name] of ['Episode 10', 'zebra', 'Äpfel', 'Episode 2', 'apple', 'Episode 10'].entries())
      await add(name, { fileSize: (index % 3) + 1 }, owner);
  });

  async function walk(sort: string, limit: number): Promise<string[]> {
    const seen: string[] = [];
    for (let cursor: string | null = null; cursor !== '';) {
      const { status, body } = await owner.call(
        'GET',
        `/uploads?sort=${sort}&limit=${limit}${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
      );
      expect(status).toBe(200);
      seen.push(...body.data.map((upload: { name: string }) => upload.name));
      cursor = body.page.nextCursor;
    }
    return seen;
  }

  it.each([1, 2, 4, 100])('goes through names as people sort them, both ways, in pages of %i', async (limit) => {
    expect(await walk('name', limit)).toEqual(sorted);
    expect(await walk('-name', limit)).toEqual(sorted.toReversed());
  });

  it.each(['fileSize', '-fileSize', 'durationSeconds', '-durationSeconds', 'createdAt', '-createdAt'])(
    'shows each upload once by %s',
    async (sort) => {
      expect((await walk(sort, 2)).toSorted()).toEqual(sorted.toSorted());
    },
  );

  it('goes on from a row that was renamed, and does not take its cursor for another list', async () => {
    const first = (await owner.call('GET', '/uploads?sort=name&limit=3')).body;
    await owner.call('PATCH', `/uploads/${first.data[2].id}`, { name: 'a first one' });
    const cursor = encodeURIComponent(first.page.nextCursor);
    const { body } = await owner.call('GET', `/uploads?sort=name&cursor=${cursor}`);
    expect(body.data.map((upload: { name: string }) => upload.name)).toEqual(['Episode 10', 'Episode 10', 'zebra']);
    for (const query of [
      `sort=-name&cursor=${cursor}`,
      `sort=name&q=e&cursor=${cursor}`,
      `sort=name&cursor=${cursor}a`,
    ])
      expect((await owner.call('GET', `/uploads?${query}`)).body.code).toBe('invalid_cursor');
  });
});

describe('a batch', () => {
  it('renames, moves, tags and deletes in order, and says how many', async () => {
    const [one, two, three] = [await add('one', { tags: ['x'] }), await add('two'), await add('three')];
    const { status, body } = await arrange([
      { op: 'rename', uploadID: one, name: 'uno' },
      { op: 'move', uploadID: one, folder: 'Batch/In' },
      { op: 'tag', uploadID: one, tags: ['y', 'X'] },
      { op: 'untag', uploadID: one, tags: ['Y'] },
      { op: 'move', uploadID: two, folder: 'Batch' },
      { op: 'moveFolder', folder: 'Batch', to: 'Moved/There' },
      { op: 'delete', uploadID: three },
    ]);
    expect([status, body]).toEqual([200, { changed: 4, deleted: 1 }]);
    expect((await user.call('GET', `/uploads/${one}`)).body).toMatchObject({
      name: 'uno',
      folder: 'Moved/There/In',
      tags: ['X'],
    });
    expect((await user.call('GET', `/uploads/${two}`)).body.folder).toBe('Moved/There');
    expect((await user.call('GET', `/uploads/${three}`)).status).toBe(404);
    await arrange([{ op: 'moveFolder', folder: 'Moved/There', to: '' }]);
    expect([await names('q=uno&folder=In'), await names('q=two&folder=')]).toEqual([['uno'], ['two']]);
  });

  it('of 500 renames is a handful of statements, so that nothing waits long for its locks', async () => {
    const ids = [await add('many 1'), await add('many 2'), await add('many 3')];
    const renames = Array.from({ length: 500 }, (_, n) => ({ op: 'rename', uploadID: ids[n % 3], name: `many ${n}` }));
    const recording = recordStatements();
    const { body } = await arrange(renames);
    expect(recording.stop().length).toBeLessThan(20);
    expect(body).toEqual({ changed: 3, deleted: 0 });
    const shown = ids.map(async (id) => (await user.call('GET', `/uploads/${id}`)).body.name);
    expect(await Promise.all(shown)).toEqual(['many 498', 'many 499', 'many 497']);
  });

  it.each([
    ['an upload of somebody else', (): object => ({ op: 'rename', uploadID: theirs, name: 'mine' }), '/uploadID'],
    ['deleting what somebody else has', () => ({ op: 'delete', uploadID: theirs }), '/uploadID'],
    ['a folder that is not there', () => ({ op: 'deleteFolder', folder: 'Nowhere' }), '/folder'],
    ["somebody else's folder", () => ({ op: 'moveFolder', folder: 'Theirs', to: 'Mine' }), '/folder'],
    ['a folder into itself', () => ({ op: 'moveFolder', folder: 'Kept', to: 'Kept/In' }), '/to'],
    ['a folder that would be too deep', () => ({ op: 'moveFolder', folder: 'Kept', to: 'a/b/c/d/e/f/g' }), '/to'],
  ])('is refused as a whole for %s', async (_, operation, field) => {
    const id = await add('kept', { folder: 'Kept/x/y' });
    const { status, body } = await arrange([{ op: 'rename', uploadID: id, name: 'lost' }, operation()]);
    expect([status, body.errors[0].path]).toEqual([422, `/operations/1${field}`]);
    expect((await user.call('GET', `/uploads/${id}`)).body.name).toBe('kept');
    expect((await other.call('GET', `/uploads/${theirs}`)).body).toMatchObject({ name: 'theirs', folder: 'Theirs' });
  });
  let theirs: string;
  beforeAll(async () => {
    theirs = await add('theirs', { folder: 'Theirs' }, other);
  });

  it('deletes a folder with those in it, or nothing of it where a playlist uses one, which is named', async () => {
    const [held] = [await add('held', { folder: 'Gone/In' }), await add('free', { folder: 'Gone' })];
    const stream = (await user.call('POST', '/streams', {})).body.id;
    const playlist = (await user.call('POST', '/playlists', { streamID: stream, kind: 'video', mode: 'sequential' }))
      .body;
    const edited = await user.call('POST', `/playlists/${playlist.id}/operations`, {
      operations: [{ op: 'add', uploadID: held }],
    });
    expect((await user.call('GET', `/uploads/${held}`)).body.usedBy).toEqual({
      playlists: 1,
      streams: 0,
      managedSettings: 0,
      clips: 0,
    });
    const refused = await arrange([{ op: 'deleteFolder', folder: 'Gone' }]);
    expect([refused.status, refused.body.code]).toEqual([422, 'resource_in_use']);
    expect(refused.body.detail).toContain(playlist.id);
    expect(await names('folder=Gone&recursive=true')).toEqual(['free', 'held']);
    const itemID = edited.body.draft.items[0].id;
    await user.call('POST', `/playlists/${playlist.id}/operations`, { operations: [{ op: 'remove', itemID }] });
    expect((await arrange([{ op: 'deleteFolder', folder: 'Gone' }])).body).toEqual({ changed: 0, deleted: 2 });
    expect(await names('folder=Gone&recursive=true')).toEqual([]);
  });
});

describe('a playlist', () => {
  it('is renamed, and keeps its name where none is given', async () => {
    const stream = (await user.call('POST', '/streams', {})).body.id;
    const { id } = (await user.call('POST', '/playlists', { streamID: stream, kind: 'video', mode: 'shuffle' })).body;
    const rename = async (body: object) => (await user.call('PATCH', `/playlists/${id}`, body)).body.name;
    expect([await rename({ name: 'Nights' }), await rename({}), await rename({ name: null })]).toEqual([
      'Nights',
      'Nights',
      null,
    ]);
    expect((await other.call('PATCH', `/playlists/${id}`, { name: 'x' })).status).toBe(404);
  });
});

it('folders are listed level by level, each once, page by page', async () => {
  const lister = await service.user();
  const folders = ['Music/Live', 'Music', 'Music-old', 'Music/Live/2001', 'Music0', 'Films/%_', 'Films', 'Äpfel', ''];
  for (const folder of folders) await lister.call('POST', '/uploads', { name: 'a', mimeType: 'video/mp4', folder });
  const list = async (query: string) => (await lister.call('GET', `/uploads/folders?${query}`)).body;
  expect((await list('')).data).toEqual(
    ['Films', 'Music-old', 'Music', 'Music0', 'Äpfel'].map((path) => ({ path, name: path })),
  );
  expect((await list('folder=Music')).data).toEqual([{ path: 'Music/Live', name: 'Live' }]);
  expect((await list('folder=Films')).data).toEqual([{ path: 'Films/%_', name: '%_' }]);
  expect((await list('folder=Nowhere')).data).toEqual([]);
  const paths: string[] = [];
  for (let cursor = ''; ;) {
    const { data, page } = await list(`limit=2${cursor && `&cursor=${cursor}`}`);
    paths.push(...data.map(({ path }: { path: string }) => path));
    if (!page.hasMore) break;
    cursor = page.nextCursor;
  }
  expect(paths).toEqual(['Films', 'Music-old', 'Music', 'Music0', 'Äpfel']);
  expect((await (await service.user()).call('GET', '/uploads/folders')).body.data).toEqual([]);
});
