// Playlists through the REST surface: batches of edits, versions, copies, deletion and publishing.
import { beforeAll, describe, expect, it } from 'vitest';
import { inTransaction } from '../../lambda/data/database.ts';
import { publishDraft } from '../../lambda/orchestration/playout/publish-draft.ts';
import { storeLongPlaylist } from '../support/long-playlists.ts';
import { pretendProbed, testService } from '../support/service.ts';
import type { TestUser } from '../support/service.ts';
import { pretendPublished } from '../support/stored-playlists.ts';
import { pretendOnAir } from '../support/stored-streams.ts';

const service = testService();
let user: TestUser;
let other: TestUser;
let streamID: string;
beforeAll(async () => {
  user = await service.user();
  other = await service.user();
  streamID = await createStream();
});

async function upload(owner = user): Promise<string> {
  const { id } = (await owner.call('POST', '/uploads', { name: 'clip', mimeType: 'video/mp4' })).body;
  await pretendProbed(service, id);
  return id;
}
const createStream = async (body: object = {}): Promise<string> => (await user.call('POST', '/streams', body)).body.id;
/** Creates a video playlist. Default stream: the one that most tests share. */
const create = async (ofStream = streamID) =>
  (await user.call('POST', '/playlists', { streamID: ofStream, kind: 'video', mode: 'sequential' })).body;
/** An upload without bytes, which cannot be played. */
const neverSent = async (): Promise<string> =>
  (await user.call('POST', '/uploads', { name: 'never sent', mimeType: 'video/mp4' })).body.id;
const apply = (id: string, operations: object[], more: object = {}) =>
  user.call('POST', `/playlists/${id}/operations`, { operations, ...more });
const uploadsOf = (spec: { items: { uploadID: string }[] }) => spec.items.map((item) => item.uploadID);

describe('GET /playlists', () => {
  it('answers pages that can be sent, however long the playlists are, and leaves none out', async () => {
    const collector = await service.user();
    const { body: stream } = await collector.call('POST', '/streams', {});
    const common = { userID: collector.id, streamID: stream.id, isLive: true };
    for (let count = 1; count <= 23; count++) await storeLongPlaylist(service, { ...common, id: `ply_long_${count}` });
    const seen: string[] = [];
    for (let cursor = '', hasMore = true; hasMore;) {
      const { body } = await collector.call('GET', `/playlists?limit=100${cursor && `&cursor=${cursor}`}`);
      expect(JSON.stringify(body).length).toBeLessThan(2_500_000);
      seen.push(...body.data.map(({ id }: { id: string }) => id));
      ({ hasMore, nextCursor: cursor } = body.page);
    }
    expect(seen).toEqual(Array.from({ length: 23 }, (_, index) => `ply_long_${23 - index}`));
  });
});

describe('POST /playlists', () => {
  it('makes an empty draft with version 1, and nothing live', async () => {
    expect(await create()).toMatchObject({
      streamID,
      kind: 'video',
      mode: 'sequential',
      version: 1,
      publishStatus: 'IDLE',
      live: null,
      draft: { items: [], durationSeconds: 0 },
    });
  });

  it("refuses a stream that is not the caller's", async () => {
    const { status, body } = await other.call('POST', '/playlists', { streamID, kind: 'video', mode: 'sequential' });
    expect([status, body.errors[0].path]).toEqual([422, '/streamID']);
  });
});

describe('POST /playlists/{id}/operations', () => {
  it('applies each operation of a batch to the result of those before it', async () => {
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
    const { status, body } = await apply(playlist.id, [
      { op: 'add', uploadID: await upload() },
      { op: 'remove', itemID: 'nobody' },
    ]);
    expect([status, body.code, body.errors[0].path]).toEqual([422, 'validation_failed', '/operations/1/itemID']);
    expect((await user.call('GET', `/playlists/${playlist.id}`)).body).toMatchObject({
      version: 1,
      draft: { items: [] },
    });
  });

  it("refuses uploads that are not the caller's, each at its place", async () => {
    const playlist = await create();
    const { body } = await apply(playlist.id, [
      { op: 'add', uploadID: await upload() },
      { op: 'add', uploadID: await upload(other) },
    ]);
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

describe('POST /playlists/{id}/copy', () => {
  const copy = (id: string, targetPlaylistID: string) =>
    user.call('POST', `/playlists/${id}/copy`, { targetPlaylistID });
  const filled = async () => {
    const playlist = await create();
    return (
      await apply(playlist.id, [
        { op: 'add', uploadID: await upload() },
        { op: 'add', uploadID: await upload() },
        { op: 'setMode', mode: 'shuffle' },
      ])
    ).body;
  };

  it('gives the target the items and mode of the source, and neither follows the other afterwards', async () => {
    const [source, target] = [await filled(), await create()];
    const { status, body } = await copy(source.id, target.id);
    expect([status, body.id, body.version, body.streamID]).toEqual([200, target.id, 2, target.streamID]);
    expect(body.draft).toEqual(source.draft);
    await apply(target.id, [{ op: 'clear' }]);
    expect((await user.call('GET', `/playlists/${source.id}`)).body).toEqual(source);
  });

  it('is refused into a playlist with items, even itself, and writes nothing', async () => {
    const [source, target] = [await filled(), await filled()];
    for (const { id } of [source, target]) {
      const { status, body } = await copy(source.id, id);
      expect([status, body.code]).toEqual([422, 'playlist_not_empty']);
    }
    expect((await user.call('GET', `/playlists/${target.id}`)).body).toEqual(target);
  });

  it("refuses a source and a target that are not the caller's like those that do not exist", async () => {
    const mine = await filled();
    const theirStream = (await other.call('POST', '/streams', {})).body.id;
    const theirs = (
      await other.call('POST', '/playlists', { streamID: theirStream, kind: 'video', mode: 'sequential' })
    ).body.id;
    for (const id of [theirs, 'nothing']) {
      const refused = await copy(mine.id, id);
      expect([refused.status, refused.body.code, refused.body.errors[0].path]).toEqual([
        422,
        'validation_failed',
        '/targetPlaylistID',
      ]);
      expect((await copy(id, (await create()).id)).status).toBe(404);
    }
  });

  it("does not wait for somebody else's playlist, nor keep them from it", async () => {
    const theirStream = (await other.call('POST', '/streams', {})).body.id;
    const theirs = (
      await other.call('POST', '/playlists', { streamID: theirStream, kind: 'video', mode: 'sequential' })
    ).body.id;
    const target = await create();
    await inTransaction(service.pool(), async (data) => {
      await data.playlists.lockAny(theirs);
      expect((await copy(theirs, target.id)).status).toBe(404);
    });
  });
});

describe('DELETE /playlists/{id}', () => {
  it('makes the stream invalid that names the playlist, and no stream keeps it prepared any more', async () => {
    const [plays, prepares] = [await createStream(), await createStream()];
    const playlist = (await create(plays)).id;
    await user.call('PATCH', `/streams/${prepares}`, { preparedPlaylistIDs: [playlist] });
    expect((await user.call('DELETE', `/playlists/${playlist}`)).status).toBe(204);
    expect((await user.call('GET', `/playlists/${playlist}`)).status).toBe(404);
    expect((await user.call('GET', `/streams/${plays}`)).body).toMatchObject({
      state: 'invalid',
      playlistIDs: [playlist],
    });
    expect((await user.call('GET', `/streams/${prepares}`)).body).toMatchObject({
      state: 'draft',
      preparedPlaylistIDs: [],
    });
    expect((await user.call('PATCH', `/streams/${plays}`, { playlistIDs: [] })).body.state).toBe('draft');
  });

  it('does not happen with that of its stream, and other streams keep it prepared', async () => {
    const [owner, prepares] = [await createStream(), await createStream()];
    const [first, second] = [await create(), await create(owner)].map(({ id }) => id);
    await user.call('PATCH', `/streams/${prepares}`, { preparedPlaylistIDs: [second, first] });
    await user.call('DELETE', `/streams/${owner}`);
    expect((await user.call('GET', `/playlists/${second}`)).status).toBe(200);
    expect((await user.call('GET', `/streams/${prepares}`)).body.preparedPlaylistIDs).toEqual([second, first]);
  });

  it('is refused while its stream is live', async () => {
    const destination = { name: 'x', rtmpURL: 'rtmp://127.0.0.1/live', streamKey: 'k' };
    const destinationID = (await user.call('POST', '/destinations', destination)).body.id;
    const id = await createStream({ destinationID });
    const playlist = (await create(id)).id;
    await apply(playlist, [{ op: 'add', uploadID: await upload() }]);
    expect((await user.call('POST', `/streams/${id}/start`)).status).toBe(200);
    expect(await user.call('DELETE', `/playlists/${playlist}`)).toMatchObject({
      status: 422,
      body: { code: 'stream_live' },
    });
    await user.call('POST', `/streams/${id}/stop`);
    expect((await user.call('DELETE', `/playlists/${playlist}`)).status).toBe(204);
  });
});

describe('POST /playlists/{id}/publish', () => {
  /** Carries out a request to publish, counted from 1, as the media worker would. */
  const carryOut = (id: string, request: number) =>
    inTransaction(service.pool(), (data) =>
      publishDraft(data, id, request, { now: new Date(), random: () => 0.5, limitFactor: 100 }),
    );

  it('says how far it is, and when the live stream takes over', async () => {
    const destinationID = (
      await user.call('POST', '/destinations', { name: 'x', rtmpURL: 'rtmp://127.0.0.1/x', streamKey: 'takes-over' })
    ).body.id;
    const id = await createStream({ destinationID });
    const playlist = await create(id);
    await apply(playlist.id, [{ op: 'add', uploadID: await upload() }]);
    await user.call('POST', `/streams/${id}/start`);
    await pretendOnAir(service, id, 'ffmpeg');
    const shown = async () => (await user.call('GET', `/playlists/${playlist.id}`)).body;
    expect(await shown()).toMatchObject({ takesOverAt: null, publishProgress: null });
    const pending = (await user.call('POST', '/uploads', { name: 'clip', mimeType: 'video/mp4' })).body.id;
    await apply(playlist.id, [{ op: 'add', uploadID: pending }]);
    await user.call('POST', `/playlists/${playlist.id}/publish`);
    expect(await shown()).toMatchObject({ publishStatus: 'PREPARING', publishProgress: 0.5 });
    await pretendProbed(service, pending);
    const { rows } = await service
      .pool()
      .query<{ request: number }>('select publish_request as request from playlists where id = $1', [playlist.id]);
    await carryOut(playlist.id, rows[0]!.request);
    const { takesOverAt, publishProgress } = await shown();
    expect(publishProgress).toBeNull();
    expect(Date.parse(takesOverAt) - Date.now()).toBeGreaterThan(5000);
  });

  it('answers PREPARING, and then makes the draft live as it was', async () => {
    const playlist = await create();
    const first = await upload();
    await apply(playlist.id, [{ op: 'add', uploadID: first }]);
    const { status, body } = await user.call('POST', `/playlists/${playlist.id}/publish`);
    expect([status, body.publishStatus]).toEqual([202, 'PREPARING']);
    await apply(playlist.id, [{ op: 'add', uploadID: await upload() }]);
    await carryOut(playlist.id, 1);
    const published = (await user.call('GET', `/playlists/${playlist.id}`)).body;
    expect(published).toMatchObject({
      publishStatus: 'IDLE',
      version: 3,
      live: { version: 2, publishedAt: expect.any(String) },
    });
    expect(uploadsOf(published.live)).toEqual([first]);
  });

  it('replaces an earlier request that was not carried out yet', async () => {
    const playlist = await create();
    await apply(playlist.id, [{ op: 'add', uploadID: await upload() }]);
    await user.call('POST', `/playlists/${playlist.id}/publish`);
    await user.call('POST', `/playlists/${playlist.id}/publish`);
    await carryOut(playlist.id, 1);
    expect((await user.call('GET', `/playlists/${playlist.id}`)).body.publishStatus).toBe('PREPARING');
    await carryOut(playlist.id, 2);
    expect((await user.call('GET', `/playlists/${playlist.id}`)).body.publishStatus).toBe('IDLE');
  });

  it('fails with a reason when nothing of the draft can be played', async () => {
    const playlist = await create();
    await apply(playlist.id, [{ op: 'add', uploadID: await neverSent() }]);
    await user.call('POST', `/playlists/${playlist.id}/publish`);
    await carryOut(playlist.id, 1);
    expect((await user.call('GET', `/playlists/${playlist.id}`)).body).toMatchObject({
      publishStatus: 'FAILED',
      publishFailure: { code: 'playlist_not_playable' },
      live: null,
    });
  });

  it("shows in its stream's processingState, and the stream is invalid while the last request failed", async () => {
    const id = await createStream();
    const playlist = (await create(id)).id;
    const shown = async () => {
      const { processingState, state } = (await user.call('GET', `/streams/${id}`)).body;
      return [processingState, state];
    };
    await apply(playlist, [{ op: 'add', uploadID: await neverSent() }]);
    expect(await shown()).toEqual(['idle', 'draft']);
    await user.call('POST', `/playlists/${playlist}/publish`);
    expect(await shown()).toEqual(['processing', 'draft']);
    await carryOut(playlist, 1);
    expect(await shown()).toEqual(['failed', 'invalid']);
    await apply(playlist, [{ op: 'add', uploadID: await upload() }]);
    await user.call('POST', `/playlists/${playlist}/publish`);
    await carryOut(playlist, 2);
    expect(await shown()).toEqual(['idle', 'draft']);
  });

  it('is refused for an empty draft', async () => {
    const { status, body } = await user.call('POST', `/playlists/${(await create()).id}/publish`);
    expect([status, body.code]).toEqual([422, 'playlist_empty']);
  });
});

describe('POST /playlists/{id}/discard-draft', () => {
  it('makes the draft what was published last, as another version, and does nothing where it is that', async () => {
    const { id } = await create();
    await apply(id, [{ op: 'add', uploadID: await upload() }]);
    await pretendPublished(service, id);
    const published = (await user.call('GET', `/playlists/${id}`)).body;
    await apply(id, [{ op: 'clear' }, { op: 'setMode', mode: 'shuffle' }]);
    const { body } = await user.call('POST', `/playlists/${id}/discard-draft`);
    expect(body).toMatchObject({ mode: 'sequential', version: published.version + 2, draft: published.draft });
    await pretendPublished(service, id);
    expect((await user.call('POST', `/playlists/${id}/discard-draft`)).body.version).toBe(body.version);
  });
});
