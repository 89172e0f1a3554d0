// Uploads that were begun and never completed go, with their bytes; all others stay.
import { expect, it } from 'vitest';
import { uploadURLSeconds } from '../../lambda/domain/upload-times.ts';
import { discardAbandonedUploads } from '../../lambda/orchestration/discard-uploads.ts';
import { testService } from '../support/service.ts';
import { actorsOn } from './actors.ts';

const service = testService();
const { call, unprobed, upload } = actorsOn(service);
const age = (id: string, days: number) =>
  service.pool().query('update uploads set created_at = now() - make_interval(days => $2) where id = $1', [id, days]);
const remaining = async () => (await call('GET', '/uploads')).body.data.map(({ id }: { id: string }) => id).sort();

it('discards what is old, incomplete and named nowhere, and nothing else', async () => {
  const [abandoned, young, inStream, inPlaylist, complete] = [
    await unprobed(),
    await unprobed(),
    await unprobed(),
    await unprobed(),
    await upload(),
  ];
  for (const id of [abandoned, inStream, inPlaylist, complete]) await age(id, 8);
  await age(young, 6);
  const { body: stream } = await call('POST', '/streams', { videoUploadObjectID: inStream });
  const { body: playlist } = await call('POST', '/playlists', {
    streamID: stream.id,
    kind: 'video',
    mode: 'sequential',
  });
  await call('POST', `/playlists/${playlist.id}/operations`, { operations: [{ op: 'add', uploadID: inPlaylist }] });

  expect(await discardAbandonedUploads(service.pool())).toBe(1);
  expect(await remaining()).toEqual([young, inStream, inPlaylist, complete].sort());
  expect(await discardAbandonedUploads(service.pool())).toBe(0);
});

it('deletes the bytes now, and once more when no URL can bring them any more', async () => {
  const id = await unprobed();
  const { rows } = await service.pool().query('select object_key from uploads where id = $1', [id]);
  await age(id, 8);
  await discardAbandonedUploads(service.pool());
  const { rows: deletions } = await service
    .pool()
    .query(
      `select body ->> 'objectKey' as key, visible_at > now() + make_interval(secs => $1) as later from outbox where body ->> 'task' = 'delete_object' order by visible_at`,
      [uploadURLSeconds],
    );
  expect(deletions).toEqual([
    { key: rows[0].object_key, later: false },
    { key: rows[0].object_key, later: true },
  ]);
});
