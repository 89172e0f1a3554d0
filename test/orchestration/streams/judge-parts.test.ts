// A stream that is not live is invalid exactly as long as a part that it names is missing or failed.
import { describe, expect, it } from 'vitest';
import { judgeUsersOf } from '../../../lambda/orchestration/streams/judge-parts.ts';
import { actorsOn, inFuture } from '../../support/actors.ts';
import { testService } from '../../support/service.ts';
import { pretendFailed } from '../../support/stored-streams.ts';

const service = testService();
const {
  activeStream,
  call,
  causes,
  data,
  destination,
  readyStream,
  register,
  report,
  startedStream,
  stream,
  transaction,
  unprobed,
  upload,
} = actorsOn(service);
const state = async (id: string) => (await stream(id)).state;
/** Marks an upload as unreadable, as its inspection would. */
const failProbe = (uploadID: string) =>
  transaction(async (tx) => {
    await tx.uploads.recordFailure(uploadID, { code: 'unreadable', detail: 'x' });
    await judgeUsersOf(tx, { uploadID });
  });

describe('an upload', () => {
  it.each(['videoUploadObjectID', 'audioUploadObjectID'])(
    'named as %s makes the stream invalid when its probe fails, and draft again when it succeeds',
    async (field) => {
      const uploadID = await unprobed();
      const id = await readyStream({ [field]: uploadID });
      expect(await state(id)).toBe('draft');
      await failProbe(uploadID);
      expect(await state(id)).toBe('invalid');
      expect((await call('POST', `/streams/${id}/stop`)).body.code).toBe('stream_not_stoppable');
      await transaction(async (tx) => {
        await tx.uploads.markUploaded(uploadID, 5);
        await judgeUsersOf(tx, { uploadID });
      });
      expect(await state(id)).toBe('draft');
      expect(await causes(id)).toEqual(['part_missing', 'parts_complete']);
    },
  );

  it('that is deleted makes all idle streams invalid that name it, and no other', async () => {
    const shared = await upload();
    const [one, two, other] = [
      await readyStream({ videoUploadObjectID: shared }),
      await readyStream({ videoUploadObjectID: shared }),
      await readyStream(),
    ];
    await call('POST', `/streams/${two}/start`);
    await call('POST', `/streams/${two}/stop`);
    expect((await call('DELETE', `/uploads/${shared}`)).status).toBe(204);
    expect([await state(one), await state(two), await state(other)]).toEqual(['invalid', 'invalid', 'draft']);
    const videoUploadObjectID = await upload();
    expect((await call('PATCH', `/streams/${one}`, { videoUploadObjectID })).body.state).toBe('draft');
    expect((await call('PATCH', `/streams/${two}`, { videoUploadObjectID: null })).body.state).toBe('draft');
  });

  it('that cannot be read leaves live and scheduled streams as they are', async () => {
    await register('agent');
    const shared = await upload();
    const {
      id: live,
      held: [replica],
    } = await activeStream('agent', { videoUploadObjectID: shared });
    const scheduled = await readyStream({ videoUploadObjectID: shared });
    await call('POST', `/streams/${scheduled}/schedule`, { scheduleStartAt: inFuture(3600) });
    await failProbe(shared);
    expect([await state(live), await state(scheduled)]).toEqual(['active', 'scheduled']);
    expect((await call('DELETE', `/uploads/${shared}`)).body.code).toBe('resource_in_use');
    await call('POST', `/streams/${live}/stop`);
    await report(replica!, 'ended');
    expect(await state(live)).toBe('stopped');
  });

  it('that is deleted while its stream is started is either gone before the start or in use', async () => {
    for (let round = 0; round < 5; round++) {
      const uploadID = await upload();
      const id = await readyStream({ videoUploadObjectID: uploadID });
      const [deleted, started] = await Promise.all([
        call('DELETE', `/uploads/${uploadID}`),
        call('POST', `/streams/${id}/start`),
      ]);
      const outcome = [deleted.status, started.status, await state(id)];
      expect([
        [204, 422, 'invalid'],
        [422, 200, 'activating'],
      ]).toContainEqual(outcome);
    }
  });

  it('that is deleted while a PATCH names it leaves that stream invalid, or unchanged', async () => {
    for (let round = 0; round < 5; round++) {
      const uploadID = await upload();
      const id = await readyStream();
      const [deleted, patched] = await Promise.all([
        call('DELETE', `/uploads/${uploadID}`),
        call('PATCH', `/streams/${id}`, { videoUploadObjectID: uploadID }),
      ]);
      expect(deleted.status).toBe(204);
      expect([
        [200, 'invalid'],
        [422, 'draft'],
      ]).toContainEqual([patched.status, await state(id)]);
    }
  });
});

it('a destination that is archived makes the streams invalid that name it', async () => {
  const destinationID = await destination();
  const id = await readyStream({ destinationID });
  expect((await call('DELETE', `/destinations/${destinationID}`)).status).toBe(204);
  expect(await state(id)).toBe('invalid');
  expect((await call('PATCH', `/streams/${id}`, { destinationID: await destination() })).body.state).toBe('draft');
});

it('a playlist that is deleted makes the stream invalid that names it, and no other', async () => {
  const [id, other] = [await readyStream(), await readyStream()];
  const playlistID = (await call('POST', '/playlists', { streamID: id, kind: 'video', mode: 'sequential' })).body.id;
  expect((await call('DELETE', `/playlists/${playlistID}`)).status).toBe(204);
  expect([await state(id), await state(other)]).toEqual(['invalid', 'draft']);
  expect((await call('PATCH', `/streams/${id}`, { playlistIDs: [] })).body.state).toBe('draft');
});

it('a failed stream becomes invalid as well, and starts again with another upload', async () => {
  const uploadID = await upload();
  const id = await startedStream({ videoUploadObjectID: uploadID });
  await pretendFailed(service, id);
  await failProbe(uploadID);
  expect(await state(id)).toBe('invalid');
  await call('PATCH', `/streams/${id}`, { videoUploadObjectID: await upload(), status: 'ACTIVE' });
  expect(await state(id)).toBe('activating');
  expect((await data().replicas.ofStream(id)).map(({ wanted }) => wanted)).toEqual(['live']);
});
