// Checks of destinations through the API: requested, bounded, claimed or expired, and deleted with the address.
import { describe, expect, it } from 'vitest';
import { bounds } from '../../lambda/domain/shared/bounds.ts';
import { actorsOn } from '../support/actors.ts';
import { testService } from '../support/service.ts';

const service = testService();
const { call, data, destination, register } = actorsOn(service);

const check = async (id: string) => call('POST', `/destinations/${id}/check`);
const lastCheck = async (id: string) => (await call('GET', `/destinations/${id}`)).body.lastCheck;
const commands = async () =>
  (await service.pool().query(`select queue, body from outbox where queue like 'publish-%'`)).rows;
/** Makes the requests of all destinations' checks this many seconds old. */
const askedAgo = (seconds: number) =>
  service.pool().query('update destination_checks set asked_at = now() - make_interval(secs => $1)', [seconds]);
const reached = { isBackup: false, failure: null, detail: 'The server answers.', steps: [] } as const;
const refused = {
  isBackup: true,
  failure: { code: 'app_refused', blame: 'caller' },
  detail: 'It refuses.',
  steps: [{ step: 'address', isDone: true, ms: 12 }],
} as const;

describe('a check', () => {
  it('is pending, wakes up an agent once, and is done when one has written down what it found', async () => {
    await register('agent');
    const id = await destination();
    expect(await lastCheck(id)).toBeNull();
    const { status, body } = await check(id);
    const pending = { state: 'pending', isReachable: null, detail: 'A publisher is testing the addresses.', feeds: [] };
    expect([status, body]).toEqual([202, { ...pending, askedAt: expect.any(String) }]);
    expect((await check(id)).body).toEqual(body);
    expect(await lastCheck(id)).toEqual(body);
    expect(await commands()).toEqual([{ queue: 'publish-manifest', body: { destinationID: id } }]);

    const claimed = (await data().destinationChecks.claim())!;
    expect(claimed).toMatchObject({ url: 'rtmp://127.0.0.1/live', backup_url: 'rtmp://127.0.0.1/backup' });
    expect(await data().destinationChecks.claim()).toBeNull();
    expect(await lastCheck(id)).toEqual(body);
    await data().destinationChecks.finish(claimed.id, id, [reached, refused]);
    const done = {
      state: 'done',
      isReachable: false,
      detail: 'The server answers. Backup: It refuses.',
      askedAt: body.askedAt,
      feeds: [
        { isBackup: false, code: null, blame: null, detail: reached.detail, steps: [] },
        { isBackup: true, code: 'app_refused', blame: 'caller', detail: refused.detail, steps: refused.steps },
      ],
    };
    expect(await lastCheck(id)).toMatchObject(done);
    expect((await call('GET', '/destinations')).body.data[0].lastCheck).toMatchObject(done);
  });

  it('is told to whoever asks for changes when it is asked for and when it is done', async () => {
    const id = await destination();
    let { cursor } = (await call('GET', '/changes')).body;
    const changed = async () => {
      const { body } = await call('GET', `/changes?since=${cursor}`);
      ({ cursor } = body);
      return body.changed;
    };
    await check(id);
    expect(await changed()).toEqual([{ kind: 'destination', id, deleted: false }]);
    const claimed = (await data().destinationChecks.claim())!;
    expect(await changed()).toEqual([]);
    await data().destinationChecks.finish(claimed.id, id, [reached]);
    expect(await changed()).toEqual([{ kind: 'destination', id, deleted: false }]);
  });

  it('that no agent takes up says so in words, is begun no more, and can be asked for again', async () => {
    const id = await destination();
    await check(id);
    await askedAgo(25);
    expect([await data().destinationChecks.claim(), (await lastCheck(id)).state]).toEqual([null, 'pending']);
    await askedAgo(31);
    expect(await lastCheck(id)).toMatchObject({
      state: 'done',
      isReachable: null,
      detail: 'No publisher took it up: none is running now that could check. Check again in a minute.',
    });
    expect((await check(id)).body.state).toBe('pending');
  });

  it('whose agent died says so, and what that one still writes changes nothing of the next', async () => {
    const id = await destination();
    await check(id);
    const claimed = (await data().destinationChecks.claim())!;
    await askedAgo(31);
    expect((await lastCheck(id)).detail).toMatch(/^The publisher that had begun to check ended/);
    await check(id);
    await data().destinationChecks.finish(claimed.id, id, [reached]);
    expect((await lastCheck(id)).state).toBe('pending');
  });

  it('is forgotten with the address that it was of', async () => {
    const id = await destination();
    await check(id);
    await call('PATCH', `/destinations/${id}`, { name: 'other', streamKey: 'other' });
    expect(await lastCheck(id)).not.toBeNull();
    await call('PATCH', `/destinations/${id}`, { rtmpURL: 'rtmp://127.0.0.1/other', streamKey: 'other' });
    expect(await lastCheck(id)).toBeNull();
  });

  it('of a connected channel only says that there is nothing to check', async () => {
    const { body: connection } = await call('POST', '/connections', { platform: 'youtube' });
    const channel = { id: 'dst_channel', connectionID: connection.id, name: 'x', sealedStreamKey: Buffer.alloc(0) };
    await data().destinations.insertOfConnection(channel);
    const { status, body } = await check('dst_channel');
    expect([status, body.state, body.isReachable]).toEqual([202, 'done', null]);
    expect(body.detail).toContain(`get_connection of ${connection.id}`);
    expect(await commands()).toEqual([]);
  });
});

describe('checks of a user', () => {
  it('are few at once, and as many others once those are over', async () => {
    const ids = await Promise.all(Array.from({ length: 4 }, destination));
    const answers = await Promise.all(ids.map(check));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 202, 202, 422]);
    expect(answers.find(({ status }) => status === 422)!.body).toMatchObject({
      code: 'limit_reached',
      limit: 'destinationChecks',
      used: 3,
      allowed: 3,
    });
    await askedAgo(31);
    expect((await check(ids[3]!)).status).toBe(202);
  });

  it('are so many in a minute at most', async () => {
    const id = await destination();
    for (let count = 0; count < bounds.destinationChecksPerMinute; count++) {
      expect((await check(id)).status).toBe(202);
      await askedAgo(31);
    }
    const { status, headers, body } = await check(id);
    expect([status, body.code]).toEqual([429, 'rate_limited']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(body.detail).toMatch(/^Destinations can be checked 20 times a minute\. Wait \d+ seconds\.$/);
  });
});

it('a check goes to agents of encoded streams where there are no others', async () => {
  await register('encoding', ['ffmpeg']);
  const id = await destination();
  await check(id);
  expect(await commands()).toEqual([{ queue: 'publish-ffmpeg', body: { destinationID: id } }]);
});
