// Uploads that were begun and never completed are deleted, with their bytes; all others stay.
import { expect, it } from 'vitest';
import { uploadURLSeconds } from '../../../lambda/domain/media/upload-times.ts';
import { discardAbandonedUploads } from '../../../lambda/orchestration/media/discard-uploads.ts';
import { actorsOn } from '../../support/actors.ts';
import { testService } from '../../support/service.ts';
import { letUploadAge, objectKeyOf } from '../../support/stored-uploads.ts';

const service = testService();
const { call, unprobed, upload } = actorsOn(service);
const remaining = async () => (await call('GET', '/uploads')).body.data.map(({ id }: { id: string }) => id).sort();

it('an upload is discarded that is old, incomplete and named nowhere, and no other', async () => {
  const [abandoned, young, inStream, inPlaylist, complete] = [
    await unprobed(),
    await unprobed(),
    await unprobed(),
    await unprobed(),
    await upload(),
  ];
  for (const id of [abandoned, inStream, inPlaylist, complete]) await letUploadAge(service, id, 8);
  await letUploadAge(service, young, 6);
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

it('the bytes of a discarded upload are deleted now, and again once its URL has expired', async () => {
  const id = await unprobed();
  const objectKey = await objectKeyOf(service, id);
  await letUploadAge(service, id, 8);
  await discardAbandonedUploads(service.pool());
  expect(await deletions()).toEqual([
    { objectKey, isAfterURL: false },
    { objectKey, isAfterURL: true },
  ]);
});

/** The commands to delete objects, and whether they run after the expiry of URLs that are issued now. */
async function deletions(): Promise<{ objectKey: string; isAfterURL: boolean }[]> {
  const { rows } = await service.pool().query(
    `select body ->> 'objectKey' as key, visible_at > now() + make_interval(secs => $1) as is_after
     from outbox where body ->> 'task' = 'delete_object' order by visible_at`,
    [uploadURLSeconds],
  );
  return rows.map((row) => ({ objectKey: row.key, isAfterURL: row.is_after }));
}
