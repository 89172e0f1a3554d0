// Videos have captions, and streams draw them on request: prepared ahead, applied while live, limited in size.
import { beforeEach, describe, expect, it } from 'vitest';
import { captionBounds } from '../../../lambda/domain/playout/captions.ts';
import { formatNamed } from '../../../lambda/domain/playout/rendition.ts';
import { finishPreparation } from '../../../lambda/orchestration/runs/start-prepared.ts';
import { actorsOn } from '../../support/actors.ts';
import { testService } from '../../support/service.ts';
import { clearRenditions } from '../../support/stored-uploads.ts';

const service = testService();
const { call, claim, commands, create, data, readyStream, register, report, upload, user } = actorsOn(service);
const base = 'q_720p-f_30';
const look = { overlays: { captions: {} } };
const file = (text: string) => `1\n00:00:01,000 --> 00:00:02,500\n${text}\n`;

beforeEach(() => clearRenditions(service));

async function video(content: string): Promise<string> {
  const id = await upload();
  await data().uploads.recordContentHash(id, content);
  await data().renditions.begin(content, formatNamed(base), 1);
  await data().renditions.finishSegment(content, base, 0);
  return id;
}

async function streamOf(uploadID: string, more: object = {}): Promise<string> {
  const settings = { quality: 'q_720p', framerate: 'f_30', streamBackend: 'manifest', videoUploadObjectID: null };
  const id = await readyStream({ ...settings, look, ...more });
  const playlistID = await create('/playlists', { streamID: id, kind: 'video', mode: 'sequential' });
  await call('POST', `/playlists/${playlistID}/operations`, { operations: [{ op: 'add', uploadID }] });
  return id;
}

const setCaptions = (id: string, captions: string | null) => call('PATCH', `/uploads/${id}`, { captions });
const issuesOf = async (id: string) => {
  const { body } = await call('GET', `/streams/${id}/readiness`);
  return body.issues.map(({ code }: { code: string }) => code);
};
const asked = async () =>
  (await commands()).flatMap(({ body }) =>
    body.task === 'prepare_upload' ? [`${body.contentHash} ${body.format}`] : [],
  );
const variantsOf = async (id: string) => {
  const { video: entries } = await data().timelines.ofStream(id);
  return entries.at(-1)!.snapshot.items.flatMap(({ variants = [] }) => variants);
};

describe('captions of an upload', () => {
  it('are counted in answers, until they are taken away', async () => {
    const id = await video('film');
    expect((await setCaptions(id, file('Guten Tag'))).body.captionCount).toBe(1);
    expect((await call('PATCH', `/uploads/${id}`, { name: 'other' })).body.captionCount).toBe(1);
    expect((await setCaptions(id, null)).body.captionCount).toBe(0);
  });

  it.each([
    ['WEBVTT\n', /no captions/],
    ['1\n00:00:03,000 --> 00:00:02,000\nx', /^Line 2: the caption ends before it begins/],
    ['x'.repeat(captionBounds.bytes + 1), /300000/],
  ])('are refused where they cannot be read: %#', async (text, sentence) => {
    const { status, body } = await setCaptions(await video('film'), text);
    expect([status, body.code, body.errors[0].path]).toEqual([422, 'validation_failed', '/captions']);
    expect(body.errors[0].detail).toMatch(sentence);
  });

  it('are for videos alone', async () => {
    const id = await upload();
    await service.pool().query(`update uploads set type = 'audio' where id = $1`, [id]);
    expect((await setCaptions(id, file('x'))).body.errors[0].detail).toMatch(/Only videos can have captions/);
  });

  it('count among the limits of their user, as long as they are there', async () => {
    const used = async () => {
      const { body } = await call('GET', '/me');
      return body.limits.find(({ limit }: { limit: string }) => limit === 'captionBytes').used;
    };
    const [id, other] = [await video('film'), await video('another')];
    const before = await used();
    await setCaptions(id, file('abc'));
    await setCaptions(other, file('abcdef'));
    expect((await used()) - before).toBe(file('abc').length + file('abcdef').length);
    await setCaptions(id, null);
    await call('DELETE', `/uploads/${other}`);
    expect(await used()).toBe(before);
  });
});

describe('a stream that draws captions', () => {
  it('says that nothing has any, and begins with those that there are', async () => {
    const uploadID = await video('film');
    const id = await streamOf(uploadID);
    expect(await issuesOf(id)).toContain('captions_missing');
    await setCaptions(uploadID, file('Guten Tag'));
    expect(await issuesOf(id)).not.toContain('captions_missing');
    await call('POST', `/streams/${id}/start`);
    const [variant] = await variantsOf(id);
    expect(variant).toMatch(/^v[\da-f]{16}a$/);
    expect(await asked()).toEqual([`film ${base}-${variant}`]);
    const { hash } = (await data().uploads.findAny(uploadID))!.captions!;
    expect(await data().looks.drawing(variant!)).toMatchObject({ captions: { hash, place: 'bottom' }, texts: [] });
    expect(await data().captions.file(hash)).toBe(file('Guten Tag'));
  });

  it('draws other ones from the next item on while it is live, and none where they are taken away', async () => {
    const uploadID = await video('film');
    await setCaptions(uploadID, file('before'));
    const id = await streamOf(uploadID);
    await call('POST', `/streams/${id}/start`);
    const [before] = await variantsOf(id);
    await register('agent');
    const [replica] = await claim('agent');
    await report(replica!, 'live');
    await setCaptions(uploadID, file('after'));
    const [after] = await variantsOf(id);
    expect(after).not.toBe(before);
    expect(await asked()).toContain(`film ${base}-${after}`);
    expect((await call('GET', `/streams/${id}`)).body.pendingLook).toBe(1);
    await data().renditions.begin('film', formatNamed(`${base}-${after}`), 1);
    await data().renditions.finishSegment('film', `${base}-${after}`, 0);
    await finishPreparation(service.pool(), 'film', formatNamed(`${base}-${after}`));
    expect((await call('GET', `/streams/${id}`)).body.pendingLook).toBe(0);
    await setCaptions(uploadID, null);
    expect(await variantsOf(id)).toEqual([]);
  });

  it('has them prepared with its playlists', async () => {
    const uploadID = await video('film');
    const id = await streamOf(uploadID);
    const { playlistIDs } = (await call('GET', `/streams/${id}`)).body;
    await call('PATCH', `/streams/${id}`, { preparedPlaylistIDs: playlistIDs });
    expect(await asked()).toEqual([]);
    await setCaptions(uploadID, file('x'));
    const [variant, ...others] = await asked();
    expect([variant, others]).toEqual([expect.stringMatching(/^film q_720p-f_30-v[\da-f]{16}a$/), []]);
    await call('POST', `/streams/${id}/start`);
    expect((await variantsOf(id)).map((name) => `film ${base}-${name}`)).toEqual([variant]);
  });
});

describe('captions that are written again and again', () => {
  const written = (index: number) => file(`${index} ${'x'.repeat(960)}`);
  const bytes = written(0).length;

  it('may have twice the limit of their user within an hour, and as much in the next', async () => {
    await data().limits.override(user().id, 'captionBytes', 5 * bytes);
    const id = await video('film');
    const codes = [];
    // An author tries ten times. Without a change nothing is written.
    for (const index of [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9]) codes.push((await setCaptions(id, written(index))).status);
    expect(codes).toEqual(Array.from({ length: 11 }, () => 200));
    await setCaptions(id, null);
    const { body } = await setCaptions(id, written(11));
    const used = { limit: 'captionBytes', used: 10 * bytes, allowed: 10 * bytes };
    expect(body).toMatchObject({ code: 'limit_reached', ...used });
    expect(body.detail).toMatch(/^Within an hour/);
    const { rows } = await service
      .pool()
      .query('select count(*)::int as count from captions where file like $1', ['%xxxx%']);
    expect(rows).toEqual([{ count: 10 }]);
    await service.pool().query(`update request_windows set began_at = now() - interval '59 minutes'`);
    await data().requestWindows.deleteEnded();
    expect((await setCaptions(id, written(12))).body.code).toBe('limit_reached');
    await service.pool().query(`update request_windows set began_at = now() - interval '61 minutes'`);
    expect((await setCaptions(id, written(13))).status).toBe(200);
  });

  it('leave a file for hours, and no longer for pictures that are prepared', async () => {
    const uploadID = await video('film');
    const id = await streamOf(uploadID);
    await call('PATCH', `/streams/${id}`, {
      preparedPlaylistIDs: (await call('GET', `/streams/${id}`)).body.playlistIDs,
    });
    const hashes: string[] = [];
    for (const text of ['first', 'second']) {
      await setCaptions(uploadID, file(text));
      hashes.push((await data().uploads.findAny(uploadID))!.captions!.hash);
    }
    const kept = async () => {
      await data().captions.forgetUnused(10);
      return Promise.all(hashes.map((hash) => data().captions.file(hash)));
    };
    const age = (hours: number) =>
      service.pool().query(`update captions set noted_at = now() - make_interval(hours => ${hours});
        update drawings set noted_at = now() - make_interval(hours => ${hours})`);
    await age(7);
    // Both are still to be prepared.
    expect(await kept()).toEqual([file('first'), file('second')]);
    await service.pool().query(`update renditions set state = 'ready' where drawing is not null`);
    await age(5);
    expect(await kept()).toEqual([file('first'), file('second')]);
    await age(7);
    expect(await kept()).toEqual([null, file('second')]);
  });

  it('leave a file that a stream may still show, however long ago it was written', async () => {
    const uploadID = await video('film');
    await setCaptions(uploadID, file('old'));
    const { hash } = (await data().uploads.findAny(uploadID))!.captions!;
    await service.pool().query(`update captions set noted_at = now() - interval '7 hours'`);
    await setCaptions(uploadID, null);
    await data().captions.forgetUnused(10);
    expect(await data().captions.file(hash)).toBe(file('old'));
  });
});

it('files that nothing names are forgotten after hours', async () => {
  const uploadID = await video('film');
  await setCaptions(uploadID, file('kept'));
  const { hash: kept } = (await data().uploads.findAny(uploadID))!.captions!;
  await data().captions.save('unnamed', 'x');
  await data().captions.forgetUnused(10);
  expect(await data().captions.file('unnamed')).toBe('x');
  await service.pool().query(`update captions set noted_at = now() - interval '25 hours'`);
  await data().captions.forgetUnused(10);
  expect([await data().captions.file('unnamed'), await data().captions.file(kept)]).toEqual([null, file('kept')]);
});

it('files that uploads name are looked at seldom, so that a few looks find those that nothing names', async () => {
  const named: string[] = [];
  for (const text of ['first', 'second', 'third']) {
    const uploadID = await video('film');
    await setCaptions(uploadID, file(text));
    named.push((await data().uploads.findAny(uploadID))!.captions!.hash);
  }
  await service.pool().query('delete from captions where not hash = any ($1)', [named]);
  await data().captions.save('unnamed', 'x');
  await service
    .pool()
    .query(
      `update captions set noted_at = now() - interval '7 hours' - make_interval(hours => (hash <> 'unnamed')::int)`,
    );
  const looked: number[] = [];
  for (let count = 0; count < 3; count++) looked.push(await data().captions.forgetUnused(2));
  expect(looked).toEqual([2, 2, 0]);
  expect(await data().captions.file('unnamed')).toBeNull();
  for (const hash of named) expect(await data().captions.file(hash)).not.toBeNull();
});
