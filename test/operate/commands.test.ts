// Operators' commands on users, credits, content and dead commands; a dry run prints the same, and changes nothing.
import { beforeEach, describe, expect, it } from 'vitest';
import { reconcile } from '../../lambda/jobs/reconcile.ts';
import { formatNamed } from '../../lambda/domain/playout/rendition.ts';
import { actorsOn } from '../support/actors.ts';
import { operatorOn } from '../support/operate.ts';
import { testService } from '../support/service.ts';

const service = testService();
const { activeStream, call, commands, data, register, startedStream, unprobed, upload, user } = actorsOn(service);
const { operate, operateDry } = operatorOn(service);
const row = async (id: string) => (await data().streams.find(user().id, id))!;
const email = async () => (await data().users.find(user().id))!.email;
const hash = 'a'.repeat(64);

describe('user', () => {
  it('is found by a part of the address, and shown with what they use', async () => {
    await startedStream();
    const found = await operate('user', 'find', (await email()).slice(0, 6).toUpperCase());
    expect(found).toMatchObject({ rows: expect.arrayContaining([expect.objectContaining({ id: user().id })]) });
    const shown = await operate('user', 'show', await email());
    expect(shown).toMatchObject({
      rows: expect.arrayContaining([
        { what: 'id', value: user().id, 'allowed by operators': null },
        { what: 'limited: uploads', value: 1, 'allowed by operators': null },
        { what: 'limited: runningStreams', value: 1, 'allowed by operators': null },
      ]),
    });
    expect(await operate('user', 'find', '%')).toMatchObject({ rows: [] });
  });

  it.each([
    ['disable', 'enable'],
    ['hold', 'release'],
  ])('%s stops what is on air at once, and %s undoes it', async (rest, wake) => {
    await register('agent');
    const { id } = await activeStream('agent');
    const dry = await operateDry('user', rest, await email());
    expect(dry).toMatchObject({ outcome: 'dry_run', rows: [{ stream: id, state: 'active' }] });
    expect([(await row(id)).state, (await data().users.find(user().id))!.is_at_rest]).toEqual(['active', false]);
    const done = await operate('user', rest, await email());
    expect(done).toEqual({ ...dry, outcome: 'done' });
    expect((await row(id)).state).toBe('stopping');
    expect(await operate('user', rest, await email())).toMatchObject({ says: expect.stringContaining('already') });
    await operate('user', wake, await email());
    expect((await data().users.find(user().id))!.is_at_rest).toBe(false);
    expect((await call('GET', '/me')).status).toBe(200);
  });

  it('gets a feature', async () => {
    await operate('user', 'feature', user().id, 'streamBackendEdit', 'on');
    expect((await call('GET', '/me')).body.featureFlags).toEqual({ streamBackendEdit: true });
  });

  it('gets a limit of their own, and the one of the table again', async () => {
    const upload = async () => (await call('POST', '/uploads', { name: 'clip', mimeType: 'video/mp4' })).status;
    await operate('user', 'limit', user().id, 'uploads', '0');
    expect(await upload()).toBe(422);
    await operate('user', 'limit', user().id, 'uploads', 'default');
    expect(await upload()).toBe(201);
  });

  it('that does not exist is refused in a sentence', async () => {
    expect(await operate('user', 'disable', 'nobody@example.com')).toEqual({
      outcome: 'refused',
      says: expect.stringContaining('There is no user nobody@example.com.'),
    });
  });
});

describe('credits', () => {
  const left = () => data().creditAccounts.creditsLeft(user().id);

  it('are given and taken through the ledger, and the books agree', async () => {
    const before = await left();
    await operateDry('credits', 'grant', user().id, '10');
    expect(await left()).toBe(before);
    await operate('credits', 'grant', user().id, '10.5');
    expect(await left()).toBe(before + 10.5);
    await operate('credits', 'take', user().id, '0.25');
    expect(await left()).toBe(before + 10.25);
    await reconcile(service.pool(), () => {});
  });

  it('are taken no further than they are left', async () => {
    const before = await left();
    expect(await operate('credits', 'take', user().id, String(before + 1))).toMatchObject({ outcome: 'refused' });
    expect(await left()).toBe(before);
  });
});

describe('content', () => {
  let ids: string[];
  beforeEach(async () => {
    await service.pool().query('delete from blocked_contents');
    ids = [await upload(), await upload()];
    for (const id of ids) await data().uploads.recordContentHash(id, `${hash}-video-1-sound`);
  });

  it('is taken down everywhere: what plays it stops, its uploads fail, their bytes and renditions go', async () => {
    await register('agent');
    const { id: single } = await activeStream('agent', { videoUploadObjectID: ids[0] });
    const other = await startedStream();
    await data().renditions.begin(`${hash}-video-1-sound`, formatNamed('q_720p-f_30'), 3);
    await service.pool().query('delete from outbox');
    const dry = await operateDry('content', 'block', ids[1]!);
    expect((await row(single)).state).toBe('active');
    const done = await operate('content', 'block', hash);
    expect(done).toEqual({ ...dry, outcome: 'done' });
    expect(done).toMatchObject({
      rows: [
        ...ids.toSorted().map((id) => ({ what: 'upload', id, user: expect.anything(), name: 'clip' })),
        { what: 'stream on air', id: single, user: null, name: null },
      ],
    });
    expect(await row(single)).toMatchObject({ state: 'stopping', state_reason: { code: 'content_blocked' } });
    expect((await row(other)).state).toBe('activating');
    for (const id of ids)
      expect((await call('GET', `/uploads/${id}`)).body).toMatchObject({
        probeState: 'failed',
        failure: { code: 'content_blocked' },
      });
    const deleted = (await commands()).filter(({ body }) => body.task === 'delete_object');
    expect(new Set(deleted.map(({ body }) => body.objectKey)).size).toBe(2);
    expect(await data().orphanedRenditions.find(1)).toMatchObject([{ content_hash: `${hash}-video-1-sound` }]);
  });

  it('is let in again, and what was taken down stays so', async () => {
    await operate('content', 'block', hash);
    expect(await operate('content', 'show', hash)).toMatchObject({
      says: expect.stringContaining('they asked for it'),
    });
    await operate('content', 'unblock', hash);
    expect(await operate('content', 'unblock', hash)).toMatchObject({ outcome: 'refused' });
    expect((await call('GET', `/uploads/${ids[0]}`)).body.probeState).toBe('failed');
  });

  it('of an upload whose bytes nobody has read is not known', async () => {
    expect(await operate('content', 'block', await unprobed())).toMatchObject({ outcome: 'refused' });
  });
});

describe('dead letters', () => {
  it('are listed, and sent again as if they were new', async () => {
    await service.pool().query(
      `insert into outbox (queue, body, dead_at, receives) values
         ('media', '{"task":"probe_upload","uploadID":"upl_1"}', now(), 3),
         ('webhooks', '{"webhookID":"whk_1"}', now(), 5)`,
    );
    const listed = await operate('dead-letters', 'list', 'media');
    expect(listed).toMatchObject({ rows: [{ command: expect.stringContaining('upl_1') }] });
    const dry = await operateDry('dead-letters', 'requeue', 'media', 'all');
    expect(await operate('dead-letters', 'requeue', 'media', 'all')).toEqual({ ...dry, outcome: 'done' });
    expect(await operate('dead-letters', 'requeue', 'media', 'all')).toMatchObject({ outcome: 'refused' });
    const { rows } = await service
      .pool()
      .query('select queue, receives, dead_at is null as lives from outbox order by id');
    expect(rows).toEqual([
      { queue: 'media', receives: 0, lives: true },
      { queue: 'webhooks', receives: 5, lives: false },
    ]);
  });
});
