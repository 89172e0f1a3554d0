// Blocked bytes stay out, whatever the user and the name of a new upload; and a race with the block is lost.
import { createHash } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { hashContent } from '../../lambda/publisher/preparing/content.ts';
import { actorsOn } from '../support/actors.ts';
import { operatorOn } from '../support/operate.ts';
import { testService } from '../support/service.ts';

const service = testService();
const { activeStream, call, data, register, upload, user } = actorsOn(service);
const { operate } = operatorOn(service);
const bytes = Buffer.from('a film that nobody may show');
const hash = createHash('sha256').update(bytes).digest('hex');
beforeEach(() => service.pool().query('delete from blocked_contents'));

/** An upload of these bytes that was inspected a moment ago: its hash is not known yet. */
async function examined(): Promise<string> {
  const id = await upload();
  const { object_key: key } = (await data().uploads.findAny(id))!;
  await service.objects().write(key, bytes, { contentType: 'video/mp4' });
  return id;
}
const read = (id: string) =>
  hashContent({ pool: service.pool(), objects: service.objects() }, id, new AbortController().signal);

test('an upload of blocked bytes fails once they are read, and a stream that plays it already stops', async () => {
  await operate('content', 'block', hash);
  await register('agent');
  const videoUploadObjectID = await examined();
  const { id } = await activeStream('agent', { videoUploadObjectID });
  await expect(read(videoUploadObjectID)).rejects.toThrow('blocked');
  expect((await call('GET', `/uploads/${videoUploadObjectID}`)).body).toMatchObject({
    probeState: 'failed',
    failure: { code: 'content_blocked' },
  });
  expect((await data().streams.find(user().id, id))!.state).toBe('stopping');
});

test('other bytes are read as ever', async () => {
  await operate('content', 'block', 'c'.repeat(64));
  expect(await read(await examined())).toMatch(new RegExp(`^${hash}`));
});

test('bytes that are read while they are being blocked are found by one or the other', async () => {
  for (let round = 0; round < 5; round++) {
    await service.pool().query('delete from blocked_contents');
    const id = await examined();
    await Promise.allSettled([read(id), operate('content', 'block', hash)]);
    expect((await call('GET', `/uploads/${id}`)).body.probeState).toBe('failed');
  }
});
