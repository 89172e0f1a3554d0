// Users' resources are limited, counted exactly, and cheap to count; refusals name a remedy.
import { describe, expect, it } from 'vitest';
import { databaseOn } from '../../lambda/data/database.ts';
import { all, one } from '../../lambda/data/shared/queryable.ts';
import { allowedOf, limitNames, limits } from '../../lambda/domain/shared/limits.ts';
import type { LimitName } from '../../lambda/domain/shared/limits.ts';
import { actorsOn } from '../support/actors.ts';
import { objectKeyOf } from '../support/stored-uploads.ts';
import { testService } from '../support/service.ts';
import type { TestUser } from '../support/service.ts';

const service = testService({ limitFactor: 1 });
const { destination, readyStream, user: actor } = actorsOn(service);

const useOf = async (user: TestUser, limit: LimitName) => {
  const { limits: uses } = (await user.call('GET', '/me')).body;
  return (uses as { limit: string; used: number; allowed: number }[]).find((use) => use.limit === limit)!;
};
const allow = (user: TestUser, limit: LimitName, allowed: number) =>
  databaseOn(service.pool()).limits.override(user.id, limit, allowed);
const newStream = (user: TestUser) => user.call('POST', '/streams', {});

/** The number of deadlocks that Postgres has resolved since the database was created. */
async function deadlocks(): Promise<number> {
  const pool = service.pool();
  // Each connection reports its own count; the pause makes sure that each connection is queried.
  const tell = () => pool.query('select pg_stat_force_next_flush(), pg_sleep(0.05)');
  await Promise.all(Array.from({ length: pool.options.max }, tell));
  const sql = 'select deadlocks from pg_stat_database where datname = current_database()';
  return (await one<{ deadlocks: number }>(pool, sql, []))!.deadlocks;
}

describe('a limit', () => {
  it('refuses with its name, what is used and allowed, and what to do', async () => {
    const user = await service.user(0);
    await allow(user, 'streams', 1);
    await newStream(user);
    const { status, body } = await newStream(user);
    expect(status).toBe(422);
    expect(body).toMatchObject({ code: 'limit_reached', limit: 'streams', used: 1, allowed: 1 });
    expect(body.detail).toContain(limits.streams.remedy);
  });

  it('lets exactly as many through as there is room for, however many come at once', async () => {
    const user = await service.user(0);
    await allow(user, 'streams', 7);
    const answers = await Promise.all(Array.from({ length: 20 }, () => newStream(user)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(7);
    expect(await useOf(user, 'streams')).toMatchObject({ used: 7, allowed: 7 });
  });

  it('has room again for what was deleted', async () => {
    const user = await service.user(0);
    await allow(user, 'streams', 1);
    const { id } = (await newStream(user)).body;
    expect((await newStream(user)).status).toBe(422);
    await user.call('DELETE', `/streams/${id}`);
    expect((await newStream(user)).status).toBe(201);
  });

  it('keeps no two transactions of one user waiting for each other', async () => {
    const user = await service.user(0);
    await allow(user, 'incomingBytes', 1e15);
    const { uploads } = databaseOn(service.pool());
    const create = async () =>
      (await user.call('POST', '/uploads', { name: 'x', mimeType: 'video/mp4' })).body.id as string;
    const ids = await Promise.all(Array.from({ length: 20 }, create));
    // Outside of our transactions nothing is retried when Postgres resolves a deadlock.
    await Promise.all(ids.flatMap((id) => [uploads.markUploaded(id, 5), create(), uploads.delete(id)]));
    expect(await useOf(user, 'uploads')).toMatchObject({ used: 20 });
    expect(await useOf(user, 'storedBytes')).toMatchObject({ used: 0 });
  });

  it('keeps no two of many uploads that are made, completed and deleted at once waiting in a circle', async () => {
    const user = await service.user(0);
    const create = (multipart: boolean) =>
      user.call('POST', '/uploads', { name: 'x', mimeType: 'video/mp4', fileSize: 5, multipart });
    const idsOf = async (multipart: boolean) =>
      (await Promise.all(Array.from({ length: 20 }, () => create(multipart)))).map(({ body }) => body.id as string);
    const [whole, inParts] = [await idsOf(false), await idsOf(true)];
    for (const id of whole)
      await service.objects().write(await objectKeyOf(service, id), Buffer.from('bytes'), { contentType: 'video/mp4' });
    const answers = await Promise.all(
      whole.flatMap((id, position) => [
        user.call('POST', `/uploads/${id}/complete`),
        create(position % 2 === 0),
        user.call('DELETE', `/uploads/${inParts[position]}`),
      ]),
    );
    expect(answers.map(({ status }) => status)).toEqual(whole.flatMap(() => [200, 201, 204]));
    expect(await deadlocks()).toBe(0);
    expect(await useOf(user, 'multipartUploads')).toMatchObject({ used: 10 });
    expect(await useOf(user, 'incomingBytes')).toMatchObject({ used: 100 });
    expect(await useOf(user, 'storedBytes')).toMatchObject({ used: 100 });
  });

  it.each([
    ['imports', '/uploads/import', { url: 'https://example.com/a.mp4' }, 202],
    ['pendingTopUps', '/billing/top-ups', { amountCents: 500 }, 201],
  ] as const)('of %s refuses what is asked for beyond it', async (limit, path, body, made) => {
    const user = await service.user(0);
    await allow(user, limit, 2);
    const answers = await Promise.all(Array.from({ length: 4 }, () => user.call('POST', path, body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([made, made, 422, 422].sort());
    const refused = answers.filter(({ status }) => status === 422);
    for (const answer of refused)
      expect(answer.body).toMatchObject({ code: 'limit_reached', limit, used: 2, allowed: 2 });
    expect(await useOf(user, limit)).toMatchObject({ used: 2 });
  });

  it('of running streams refuses a start, and lets it through once another has stopped', async () => {
    const [first, second] = [await readyStream(), await readyStream()];
    await allow(actor(), 'runningStreams', 1);
    const start = (id: string) => actor().call('POST', `/streams/${id}/start`);
    expect((await start(first)).status).toBe(200);
    const { status, body } = await start(second);
    expect([status, body]).toMatchObject([
      422,
      { code: 'limit_reached', limit: 'runningStreams', used: 1, allowed: 1 },
    ]);
    await actor().call('POST', `/streams/${first}/stop`);
    expect((await start(second)).status).toBe(200);
    await actor().call('POST', `/streams/${second}/stop`);
    await databaseOn(service.pool()).limits.override(actor().id, 'runningStreams', null);
  });

  it('is not of other users', async () => {
    const [one, other] = [await service.user(0), await service.user(0)];
    await allow(one, 'streams', 0);
    expect([(await newStream(one)).status, (await newStream(other)).status]).toEqual([422, 201]);
  });

  it('grows with the credits of the user up to its most, and with the factor of the stage', () => {
    const allowed = (credits: number, factor = 1) => allowedOf('streams', { factor, credits, override: null });
    const { base, perCredit, most } = limits.streams;
    expect([allowed(0), allowed(-500), allowed(1000), allowed(1e9)]).toEqual([
      base,
      base,
      base + 1000 * perCredit,
      most,
    ]);
    expect(allowed(0, 10)).toBe(10 * base);
    expect(allowedOf('streams', { factor: 10, credits: 1e9, override: 3 })).toBe(3);
  });
});

describe('GET /me', () => {
  it('has every limit, with what there is of it', async () => {
    const user = await service.user(0);
    const { body } = await user.call('GET', '/me');
    expect(body.limits.map(({ limit }: { limit: string }) => limit)).toEqual(limitNames);
    await user.call('POST', '/uploads', { name: 'x', mimeType: 'video/mp4', fileSize: 1234 });
    expect(await useOf(user, 'incomingBytes')).toMatchObject({ used: 1234, allowed: limits.incomingBytes.base });
    expect(await useOf(user, 'uploads')).toMatchObject({ used: 1 });
  });

  it('counts the streams that run, and their slots', async () => {
    const id = await readyStream({ quality: 'q_1080p' });
    await actor().call('POST', `/streams/${id}/start`);
    expect(await useOf(actor(), 'runningStreams')).toMatchObject({ used: 1 });
    expect(await useOf(actor(), 'runningSlots')).toMatchObject({ used: 2 });
    await actor().call('POST', `/streams/${id}/stop`);
    expect(await useOf(actor(), 'runningSlots')).toMatchObject({ used: 0 });
  });

  it('counts as slots what capacity counts: decoding too, and next to nothing of prepared streams', async () => {
    const start = async (id: string) => (await actor().call('POST', `/streams/${id}/start`)).status;
    const heavy = await readyStream();
    await service
      .pool()
      .query('update uploads set decode_cost = 72 from streams s where uploads.id = s.video_upload_id and s.id = $1', [
        heavy,
      ]);
    await allow(actor(), 'runningSlots', 12);
    expect(await start(heavy)).toBe(422);
    await allow(actor(), 'runningSlots', 13);
    expect(await start(heavy)).toBe(200);
    expect(await useOf(actor(), 'runningSlots')).toMatchObject({ used: 13 });
    expect(await start(await readyStream())).toBe(422);
    expect(await start(await readyStream({ streamBackend: 'manifest', quality: 'q_2160p' }))).toBe(200);
    expect(await useOf(actor(), 'runningSlots')).toMatchObject({ used: 13 });
  });
});

describe('archived destinations', () => {
  it('do not count, and of those that no stream names the last hundred are kept', async () => {
    const user = await service.user(0);
    for (let count = 0; count < 102; count++) {
      const { body } = await user.call('POST', '/destinations', {
        name: `${count}`,
        rtmpURL: 'rtmp://example.com/live',
        streamKey: 'k',
      });
      await user.call('DELETE', `/destinations/${body.id}`);
    }
    expect(await useOf(user, 'destinations')).toMatchObject({ used: 0 });
    const kept = await all<{ name: string }>(
      service.pool(),
      'select name from destinations where user_id = $1 order by archived_at',
      [user.id],
    );
    expect([kept.length, kept[0]!.name]).toEqual([100, '2']);
    expect(typeof (await destination())).toBe('string');
  });
});

/** The correct values of the counters, counted row by row. */
const recounted = `
  select u.id, (select count(*) from uploads where user_id = u.id)::int as uploads,
    (select coalesce(sum(expected_bytes), 0) from uploads
     where user_id = u.id and not uploaded and probe_state = 'pending')::bigint as "incomingBytes",
    (select coalesce(sum(size_bytes), 0) from uploads where user_id = u.id and uploaded)::bigint as "storedBytes"
  from users u where u.id = $1`;

describe('with 20,000 rows', () => {
  it('counting reads a row, and says what counting the rows says', async () => {
    const user = await service.user(0);
    const pool = service.pool();
    await pool.query(
      `insert into uploads (id, user_id, name, mime_type, type, object_key, uploaded, size_bytes, expected_bytes)
       select 'many_' || n, $1, 'x', 'video/mp4', 'video', 'many/' || n, n % 2 = 0, n, n
       from generate_series(1, 20000) n`,
      [user.id],
    );
    await pool.query(`delete from uploads where user_id = $1 and id like 'many_1____'`, [user.id]);
    const [counted] = await all<Record<string, unknown>>(pool, recounted, [user.id]);
    for (const name of ['uploads', 'incomingBytes', 'storedBytes'] as const)
      expect((await useOf(user, name)).used).toBe(counted![name]);
    // A request is judged by one row, found by its key, and no upload is read.
    const plan = JSON.stringify(
      await all(
        pool,
        `explain (analyze, format json) select limit_name, used from limit_use
         where user_id = '${user.id}' and limit_name = any ('{uploads,storedBytes}')`,
      ),
    );
    expect(plan).not.toContain('"uploads_');
    expect(plan).not.toContain('Relation Name":"uploads"');
  });
});

describe('uploads that move with their folders', () => {
  it('are ten thousand in one request at most, and nothing changes if there are more', async () => {
    const user = await service.user(0);
    await service.pool().query(
      `insert into uploads (id, user_id, name, mime_type, type, object_key, folder)
       select 'upl_moved' || n, $1, 'a.mp4', 'video/mp4', 'video', 'uploads/moved' || n, 'a'
       from generate_series(1, 5001) n`,
      [user.id],
    );
    const [there, back] = [
      { op: 'moveFolder', folder: 'a', to: 'b' },
      { op: 'moveFolder', folder: 'b', to: 'a' },
    ];
    const moves = (count: number) => Array.from({ length: count }, (_, index) => (index % 2 === 0 ? there : back));
    const { status, body } = await user.call('POST', '/uploads/batch', { operations: moves(2) });
    expect({ status, errors: body.errors }).toEqual({
      status: 422,
      errors: [expect.objectContaining({ path: '/operations/1/folder', detail: expect.stringContaining('10000') })],
    });
    const folders = async () =>
      all(service.pool(), 'select distinct folder from uploads where user_id = $1', [user.id]);
    expect(await folders()).toEqual([{ folder: 'a' }]);
    expect((await user.call('POST', '/uploads/batch', { operations: moves(1) })).body).toEqual({
      changed: 5001,
      deleted: 0,
    });
    expect(await folders()).toEqual([{ folder: 'b' }]);
  });
});
