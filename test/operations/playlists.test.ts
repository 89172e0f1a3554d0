// Playlists through the REST surface: batches of edits, versions, publishing.
import { beforeAll, describe, expect, it } from 'vitest';
import { inTransaction } from '../../lambda/data/database.ts';
import { publishPlaylist } from '../../lambda/orchestration/publish-playlist.ts';
import { pretendProbed, testService } from '../support/service.ts';
import type { TestUser } from '../support/service.ts';

const service = testService();
let user: TestUser;
let other: TestUser;
let streamID: string;
beforeAll(async () => {
  user = await service.user();
  other = await service.user();
  streamID = (await user.call('POST', '/streams', {})).body.id;
});

async function upload(owner = user): Promise<string> {
  const { id } = (await owner.call('POST', '/uploads', { name: 'clip', mimeType: 'video/mp4' })).body;
  await pretendProbed(service, id);
  return id;
}
const create = async () => (await user.call('POST', '/playlists', { streamID, kind: 'video', mode: 'sequential' })).body;
const apply = (id: string, operations: object[], more: object = {}) => user.call('POST', `/playlists/${id}/operations`, { operations, ...more });
const uploadsOf = (spec: { items: { uploadID: string }[] }) => spec.items.map((item) => item.uploadID);

describe('POST /playlists', () => {
  it('makes an empty draft with version 1 and nothing live', async () => {
    expect(await create()).toMatchObject({ streamID, kind: 'video', mode: 'sequential', version: 1, publishStatus: 'IDLE', live: null, draft: { items: [], durationSeconds: 0 } });
  });

  it("refuses a stream that is not the caller's", async () => {
    const { status, body } = await other.call('POST', '/playlists', { streamID, kind: 'video', mode: 'sequential' });
    expect([status, body.errors[0].path]).toEqual([422, '/streamID']);
  });
});

describe('POST /playlists/{id}/operations', () => {
  it('applies a batch in order, each operation to the result of those before', async () => {
    const [a, b, c] = await Promise.all([upload(), upload(), upload()]);
    const playlist = await create();
    const { status, body } = await apply(playlist.id, [
      { op: 'add', uploadID: a, itemID: 'first' },
      { op: 'add', uploadID: b, index: 0, itemID: 'second' },
      { op: 'move', itemID: 'first', index: 0 },
      { op: 'replace', itemID: 'second', uploadID: c },
      { op: 'setMode', mode: 'shuffle' },
    ]);
    expect(status).toBe(200);
    expect(uploadsOf(body.draft)).toEqual([a, c]);
    expect(body).toMatchObject({ version: 2, mode: 'shuffle', draft: { durationSeconds: 20 }, live: null });
  });

  it('writes nothing when one operation does not fit, and points at it', async () => {
    const playlist = await create();
    const { status, body } = await apply(playlist.id, [{ op: 'add', uploadID: await upload() }, { op: 'remove', itemID: 'nobody' }]);
    expect([status, body.code, body.errors[0].path]).toEqual([422, 'validation_failed', '/operations/1/itemID']);
    expect((await user.call('GET', `/playlists/${playlist.id}`)).body).toMatchObject({ version: 1, draft: { items: [] } });
  });

  it("refuses uploads that are not the caller's, each at its place", async () => {
    const playlist = await create();
    const { body } = await apply(playlist.id, [{ op: 'add', uploadID: await upload() }, { op: 'add', uploadID: await upload(other) }]);
    expect(body.errors.map((error: { path: string }) => error.path)).toEqual(['/operations/1/uploadID']);
  });

  it('refuses a batch that was decided on another version', async () => {
    const playlist = await create();
    const { status, body } = await apply(playlist.id, [{ op: 'clear' }], { expectedVersion: 7 });
    expect([status, body.code]).toEqual([422, 'version_conflict']);
    expect((await apply(playlist.id, [{ op: 'clear' }], { expectedVersion: 1 })).body.version).toBe(2);
  });

  it('lets concurrent batches take turns, none lost', async () => {
    const playlist = await create();
    const ids = await Promise.all(Array.from({ length: 6 }, () => upload()));
    await Promise.all(ids.map((uploadID) => apply(playlist.id, [{ op: 'add', uploadID }])));
    const { body } = await user.call('GET', `/playlists/${playlist.id}`);
    expect(body.version).toBe(7);
    expect(uploadsOf(body.draft).sort()).toEqual(ids.sort());
  });

  it('holds at most 1,000 items and 500 operations', async () => {
    const playlist = await create();
    const uploadID = await upload();
    const many = Array.from({ length: 500 }, () => ({ op: 'add', uploadID }));
    await apply(playlist.id, many);
    expect((await apply(playlist.id, many)).body.draft.items).toHaveLength(1000);
    expect((await apply(playlist.id, [{ op: 'add', uploadID }])).status).toBe(422);
    expect((await apply(playlist.id, [...many, { op: 'clear' }])).body.errors[0].path).toBe('/operations');
  });
});

describe('POST /playlists/{id}/publish', () => {
  const work = (id: string, request: number) => inTransaction(service.pool(), (data) => publishPlaylist(data, id, request, new Date(), () => 0.5));

  it('answers PREPARING; the draft as it was then becomes live', async () => {
    const playlist = await create();
    const first = await upload();
    await apply(playlist.id, [{ op: 'add', uploadID: first }]);
    const { status, body } = await user.call('POST', `/playlists/${playlist.id}/publish`);
    expect([status, body.publishStatus]).toEqual([202, 'PREPARING']);
    await apply(playlist.id, [{ op: 'add', uploadID: await upload() }]);
    await work(playlist.id, 1);
    const published = (await user.call('GET', `/playlists/${playlist.id}`)).body;
    expect(published).toMatchObject({ publishStatus: 'IDLE', version: 3, live: { version: 2, publishedAt: expect.any(String) } });
    expect(uploadsOf(published.live)).toEqual([first]);
  });

  it('is superseded by a second publish', async () => {
    const playlist = await create();
    await apply(playlist.id, [{ op: 'add', uploadID: await upload() }]);
    await user.call('POST', `/playlists/${playlist.id}/publish`);
    await user.call('POST', `/playlists/${playlist.id}/publish`);
    await work(playlist.id, 1);
    expect((await user.call('GET', `/playlists/${playlist.id}`)).body.publishStatus).toBe('PREPARING');
    await work(playlist.id, 2);
    expect((await user.call('GET', `/playlists/${playlist.id}`)).body.publishStatus).toBe('IDLE');
  });

  it('fails, with a reason, when nothing of it can be played', async () => {
    const playlist = await create();
    const broken = (await user.call('POST', '/uploads', { name: 'never sent', mimeType: 'video/mp4' })).body.id;
    await apply(playlist.id, [{ op: 'add', uploadID: broken }]);
    await user.call('POST', `/playlists/${playlist.id}/publish`);
    await work(playlist.id, 1);
    expect((await user.call('GET', `/playlists/${playlist.id}`)).body).toMatchObject({ publishStatus: 'FAILED', publishFailure: { code: 'playlist_not_playable' }, live: null });
  });

  it('is refused for an empty draft', async () => {
    const { status, body } = await user.call('POST', `/playlists/${(await create()).id}/publish`);
    expect([status, body.code]).toEqual([422, 'playlist_empty']);
  });
});
