// Clips: uploads that are a part of another upload, with its file, and the times at which uploads may play.
import { describe, expect, it } from 'vitest';
import { databaseOn } from '../../lambda/data/database.ts';
import { hashContent } from '../../lambda/publisher/preparing/content.ts';
import { actorsOn } from '../support/actors.ts';
import { commandsTo } from '../support/outbox-rows.ts';
import { pretendProbed, testService } from '../support/service.ts';
import { nameContent, objectKeyOf } from '../support/stored-uploads.ts';

const service = testService();
const { call } = actorsOn(service);

type Facts = Parameters<typeof pretendProbed>[2];

async function unnamedFilm(facts: Facts = { durationSeconds: 60 }): Promise<string> {
  const { body } = await call('POST', '/uploads', {
    name: 'film',
    mimeType: 'video/mp4',
    folder: 'Films',
    tags: ['a'],
  });
  await pretendProbed(service, body.id, facts);
  return body.id;
}

/** An upload whose content has its name. */
async function film(facts?: Facts): Promise<string> {
  const id = await unnamedFilm(facts);
  await nameContent(service, id);
  return id;
}

const clip = (id: string, body: object = {}) => call('POST', `/uploads/${id}/clips`, body);
const stored = async (id: string) => (await databaseOn(service.pool()).uploads.findAny(id))!;

describe('a clip', () => {
  it('is an upload with the file, the titles and the order of the whole, and with its own length', async () => {
    const id = await film();
    await call('PATCH', `/uploads/${id}`, { title: 'The film', artist: 'Ada' });
    const { status, headers, body } = await clip(id, { fromSeconds: 12.3456, untilSeconds: 40 });
    expect(status).toBe(201);
    expect(headers.get('location')).toMatch(new RegExp(`/v1/uploads/${body.id}$`));
    expect(body).toMatchObject({
      name: 'film',
      folder: 'Films',
      tags: ['a'],
      title: 'The film',
      artist: 'Ada',
      type: 'video',
      uploaded: true,
      probeState: 'completed',
      durationSeconds: 27.654,
      clipOf: { uploadID: id, fromSeconds: 12.346 },
    });
    expect(body).not.toHaveProperty('fileSize');
    expect(await objectKeyOf(service, body.id)).toBe(await objectKeyOf(service, id));
    const [whole, part] = [await stored(id), await stored(body.id)];
    expect(part.content_hash).toBe(`${whole.content_hash!.replace('-60-', '-27.654-')}-from12.346`);
    expect((await call('GET', `/uploads/${id}`)).body).toMatchObject({ clipOf: null, usedBy: { clips: 1 } });
  });

  it('lasts to the end unless it is told, and may have a name, a folder and tags of its own', async () => {
    const { body } = await clip(await film(), { fromSeconds: 50, name: 'end', folder: '', tags: [] });
    expect(body).toMatchObject({ durationSeconds: 10, name: 'end', folder: '', tags: [] });
  });

  it('of a clip is a part of the same file', async () => {
    const id = await film();
    const first = (await clip(id, { fromSeconds: 10, untilSeconds: 40 })).body;
    const { body } = await clip(first.id, { fromSeconds: 5.5, untilSeconds: 9 });
    expect(body).toMatchObject({ durationSeconds: 3.5, clipOf: { uploadID: id, fromSeconds: 15.5 } });
  });

  it('has the name of its content as soon as the bytes of its upload have been read', async () => {
    const id = await unnamedFilm();
    const { body } = await clip(id, { fromSeconds: 20 });
    expect((await stored(body.id)).content_hash).toBeNull();
    const options = { pool: service.pool(), objects: service.objects() };
    const contentHash = await hashContent(options, id, new AbortController().signal);
    expect((await stored(body.id)).content_hash).toBe(`${contentHash.replace('-60-', '-40-')}-from20`);
  });

  it('has the captions of its part, at its own times', async () => {
    const id = await film();
    const captions =
      '1\n00:00:01,000 --> 00:00:02,000\nbefore\n\n2\n00:00:09,500 --> 00:00:12,250\n1 < 2 & <i>so</i> &lt;b>\n\n' +
      '3\n00:00:30,000 --> 00:00:31,000\nafter\n';
    await call('PATCH', `/uploads/${id}`, { captions });
    const { body } = await clip(id, { fromSeconds: 10, untilSeconds: 20 });
    expect(body.captionCount).toBe(1);
    const { hash } = (await stored(body.id)).captions!;
    const file = await databaseOn(service.pool()).captions.file(hash);
    expect(file).toBe('1\n00:00:00,000 --> 00:00:02,250\n1 < 2 & so &lt;b>\n');
    const again = await clip(body.id, { fromSeconds: 1, untilSeconds: 3 });
    expect(again.body.captionCount).toBe(1);
  });

  it.each([
    ['ends after its upload', { untilSeconds: 60.1 }, '/untilSeconds'],
    ['is shorter than a second', { fromSeconds: 10, untilSeconds: 10.9 }, '/untilSeconds'],
    ['ends before it begins', { fromSeconds: 10, untilSeconds: 5 }, '/untilSeconds'],
    ['begins before its upload', { fromSeconds: -1 }, '/fromSeconds'],
  ])('that %s is refused', async (_, body, path) => {
    const refused = await clip(await film(), body);
    expect(refused).toMatchObject({ status: 422, body: { code: 'validation_failed', errors: [{ path }] } });
  });

  it('of an image is refused, with the field that an image has', async () => {
    const refused = await clip(await film({ durationSeconds: null, audioCodec: null }), { untilSeconds: 5 });
    expect(refused.body.detail).toContain('showSeconds');
  });

  it("of another user's upload does not exist", async () => {
    const other = await service.user();
    expect((await other.call('POST', `/uploads/${await film()}/clips`, {})).status).toBe(404);
  });

  it('keeps its upload from being deleted, and its own deletion leaves the file', async () => {
    const id = await film();
    const { body } = await clip(id, { fromSeconds: 10, name: 'part' });
    const refused = await call('DELETE', `/uploads/${id}`);
    expect(refused).toMatchObject({ status: 422, body: { code: 'resource_in_use' } });
    expect(refused.body.detail).toContain(`clip ${body.id} (part)`);
    const deletions = async () => (await commandsTo(service, 'media')).filter(({ task }) => task === 'delete_object');
    const before = (await deletions()).length;
    expect((await call('DELETE', `/uploads/${body.id}`)).status).toBe(204);
    expect((await deletions()).length).toBe(before);
    expect((await call('DELETE', `/uploads/${id}`)).status).toBe(204);
    expect((await deletions()).length).toBe(before + 2);
  });

  it('uses no storage', async () => {
    const id = await film();
    const used = async () => {
      const { limits } = (await call('GET', '/me')).body;
      return (limits as { limit: string; used: number }[]).find(({ limit }) => limit === 'storedBytes')!.used;
    };
    const before = await used();
    await clip(id, { fromSeconds: 10 });
    expect(await used()).toBe(before);
  });
});

describe('the times of an upload', () => {
  it('are kept, and taken away', async () => {
    const id = await film();
    const hours = [{ days: ['SA', 'SU'], from: '22:00', to: '04:00' }];
    const sent = { from: '2026-12-01T00:00:00+01:00', hours };
    const { body } = await call('PATCH', `/uploads/${id}`, { availability: sent });
    expect(body.availability).toEqual({ from: '2026-11-30T23:00:00.000Z', until: null, hours });
    expect((await call('PATCH', `/uploads/${id}`, { name: 'x' })).body.availability).toEqual(body.availability);
    expect((await call('PATCH', `/uploads/${id}`, { availability: null })).body.availability).toBeNull();
  });

  it('of an image are how long it is shown, in collections too', async () => {
    const { body } = await call('POST', '/uploads', { name: 'still', mimeType: 'image/png', folder: 'Stills' });
    await pretendProbed(service, body.id, { durationSeconds: null, audioCodec: null });
    await call('PATCH', `/uploads/${body.id}`, { showSeconds: 25 });
    const made = await call('POST', '/collections', {
      name: 's',
      kind: 'video',
      source: { folder: 'Stills' },
      order: 'shuffle',
    });
    expect(made.body).toMatchObject({ count: 1, secondsWithoutRepeat: 25 });
    const refused = await call('PATCH', `/uploads/${await film()}`, { showSeconds: 25 });
    expect(refused.body.errors).toMatchObject([{ path: '/showSeconds' }]);
  });
});
