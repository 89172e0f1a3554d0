// Requests of guests: viewers ask at a guide link for an item, by the policy of its owner, and floods stay bounded.
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { sweep } from '../../lambda/jobs/sweep.ts';
import { planRun } from '../../lambda/orchestration/playout/plan-run.ts';
import { networkOf } from '../../lambda/surfaces/admission/networks.ts';
import { createPostgresCommandQueue } from '../../lambda/ports/command-queue/postgres-command-queue.ts';
import { createOutboxTimers } from '../../lambda/ports/timers/outbox-timers.ts';
import { actorsOn, startOptions, storage } from '../support/actors.ts';
import { holdRows } from '../support/held-rows.ts';
import { pretendProbed, testService } from '../support/service.ts';
import type { Answer } from '../support/service.ts';

// The limits of requests are those of a stage.
const service = testService({ rateLimitFactor: 1 });
const { call, claim, data, readyStream, register, report, transaction, user } = actorsOn(service);

let streamID: string;
let programmeID: string;
let collectionID: string;
let requestsURL: string;
/** The uploads that guests can ask for. */
let wishes: string[];

async function clip(name: string, durationSeconds: number, folder?: string): Promise<string> {
  const { body } = await call('POST', '/uploads', { name, mimeType: 'video/mp4', ...(folder && { folder }) });
  await pretendProbed(service, body.id, { durationSeconds });
  return body.id;
}

const collect = async (folder: string) => {
  const wanted = { name: folder, kind: 'video', source: { folder }, order: 'oldest' };
  return (await call('POST', '/collections', wanted)).body.id;
};
const policy = (more: object = {}) => ({
  collectionID,
  perHour: 10,
  perGuestMinutes: 30,
  sameItemMinutes: 60,
  ...more,
});
const allow = (requests: object | null) => call('PATCH', `/streams/${streamID}/guide-link`, { requests });

/** Makes a channel with a list of six songs, and ten wishes that guests may ask for. */
async function makeChannel(): Promise<void> {
  streamID = await readyStream({ name: 'Evening', videoUploadObjectID: null, framerate: 'f_30' });
  for (let index = 0; index < 6; index++) await clip(`Song ${index}`, 60, 'Songs');
  wishes = [];
  for (let index = 0; index < 10; index++) wishes.push(await clip(`Wish ${index}.mp4`, 30, 'Wishes'));
  const songs = await collect('Songs');
  collectionID = await collect('Wishes');
  programmeID = (await call('POST', '/programmes', { streamID, timeZone: 'UTC' })).body.id;
  const blocks = [{ id: 'music', name: 'Music', steps: [{ id: 'songs', collectionID: songs }] }];
  expect(await call('PATCH', `/programmes/${programmeID}`, { blocks })).toMatchObject({ status: 200 });
  expect(await call('POST', `/programmes/${programmeID}/publish`)).toMatchObject({ status: 202 });
  const made = await call('POST', `/streams/${streamID}/guide-link`, { requests: policy() });
  expect(made).toMatchObject({ status: 201 });
  ({ requestsURL } = made.body);
}

beforeEach(async () => {
  await service.pool().query('delete from request_windows');
  await makeChannel();
});

const plan = () =>
  transaction(async (tx) => {
    const stream = (await tx.streams.lock(user().id, streamID))!;
    await planRun(tx, stream, { now: await tx.now(), limitFactor: 1 });
  });

async function goLive(): Promise<void> {
  expect(await call('POST', `/streams/${streamID}/start`)).toMatchObject({ status: 200 });
  const agent = `agent of ${streamID}`;
  await register(agent);
  const [replica] = await claim(agent);
  await data().streams.anchor(streamID);
  await report(replica!, 'live');
  await plan();
}

async function rows(): Promise<any[]> {
  const [from, to] = [-3600, 3600].map((seconds) => new Date(Date.now() + seconds * 1000).toISOString());
  return (await call('GET', `/streams/${streamID}/timeline?from=${from}&to=${to}&limit=1000`)).body.data;
}
const waiting = async () => (await call('GET', `/programmes/${programmeID}/queue`)).body.data;

const post = (url: string, body: unknown, address: string, headers: Record<string, string> = {}): Promise<Answer> =>
  service.send(
    new Request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    }),
    address,
  );
const ask = (uploadID: string, address: string) => post(requestsURL, { uploadID }, address);
const offered = (search = '') => service.send(new Request(`${requestsURL}${search}`), '192.0.2.99');
const refusedBy = (rule: string, more: object = {}) => ({
  status: 422,
  body: { code: 'item_request_refused', refusedBy: rule, ...more },
});
const addressOf = (index: number) => `198.51.${Math.floor(index / 250)}.${index % 250}`;
const countOf = async (table: string) =>
  (await service.pool().query(`select count(*)::int as count from ${table}`)).rows[0].count;

describe('a request of a guest', () => {
  it('plays next, and the guest waits for the time of the policy, unlike others', async () => {
    await goLive();
    const asked = Date.now();
    expect(await ask(wishes[0]!, '192.0.2.1')).toMatchObject({ status: 202, body: { uploadID: wishes[0] } });
    const again = await ask(wishes[1]!, '192.0.2.1');
    expect(again).toMatchObject(refusedBy('perGuestMinutes'));
    const waitMs = Date.parse(again.body.allowedAt) - asked;
    expect(Math.abs(waitMs - 30 * 60_000)).toBeLessThan(5000);
    expect(again.body.detail).toContain(again.body.allowedAt);
    expect(await ask(wishes[1]!, '192.0.2.2')).toMatchObject({ status: 202 });
    await plan();
    const [first, second, third, fourth] = await rows();
    expect([first, second, third, fourth].map(({ name, kind }) => [name, kind])).toEqual([
      ['Song 0', 'item'],
      ['Wish 0.mp4', 'queued'],
      ['Wish 1.mp4', 'queued'],
      ['Song 1', 'item'],
    ]);
    expect(await waiting()).toMatchObject([
      { uploadID: wishes[0], byGuest: true, playsAt: second.startAt },
      { uploadID: wishes[1], byGuest: true },
    ]);
  });

  it('is refused while the item waits in the queue, by whom ever, or was on the air', async () => {
    await goLive();
    await call('POST', `/programmes/${programmeID}/queue`, { uploadID: wishes[3] });
    expect((await waiting())[0]).toMatchObject({ byGuest: false });
    expect(await ask(wishes[3]!, '192.0.2.1')).toMatchObject(refusedBy('sameItemMinutes', { allowedAt: null }));
    expect(await ask(wishes[4]!, '192.0.2.1')).toMatchObject({ status: 202 });
    expect(await ask(wishes[4]!, '192.0.2.2')).toMatchObject(refusedBy('sameItemMinutes'));
    await allow(policy({ collectionID: await collect('Songs') }));
    const [playing] = await rows();
    expect(playing.name).toBe('Song 0');
    const again = new Date(Date.parse(playing.endAt) + 60 * 60_000).toISOString();
    expect(await ask(playing.uploadID, '192.0.2.2')).toMatchObject(refusedBy('sameItemMinutes', { allowedAt: again }));
    await allow(policy({ collectionID: await collect('Songs'), sameItemMinutes: 0 }));
    expect(await ask(playing.uploadID, '192.0.2.2')).toMatchObject({ status: 202 });
  });

  it('of 50 guests at once is granted as often as the policy says in an hour', async () => {
    await goLive();
    await allow(policy({ perHour: 7 }));
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => ask(wishes[index % 10]!, addressOf(index))),
    );
    const granted = answers.filter(({ status }) => status === 202);
    expect(granted).toHaveLength(7);
    const refused = answers.filter(({ status }) => status !== 202);
    for (const { body } of refused) expect(body.refusedBy).toMatch(/^(perHour|sameItemMinutes)$/);
    expect(await waiting()).toHaveLength(7);
    const next = await ask(wishes[9]!, '192.0.2.1');
    expect(next).toMatchObject(refusedBy('perHour'));
    expect(Date.parse(next.body.allowedAt)).toBeGreaterThan(Date.now() + 59 * 60_000);
  });

  it('of 20 guests at once for one item is granted once', async () => {
    await goLive();
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => ask(wishes[0]!, addressOf(index))));
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 202))
      expect(answer).toMatchObject(refusedBy('sameItemMinutes'));
  });
});

it('requests of guests that wait for a stream leave connections to its owner and to others', async () => {
  await goLive();
  const usual = service.pool().options.max;
  onTestFinished(() => void (service.pool().options.max = usual));
  service.pool().options.max = 20;
  const other = (await call('POST', '/streams', {})).body.id;
  const held = await holdRows(service.pool(), 'streams', streamID);
  const asked = Array.from({ length: 30 }, (_, index) => ask(wishes[index % 10]!, addressOf(index)));
  await held.untilWaiting(6);
  expect((await call('PATCH', `/streams/${other}`, { name: 'Other' })).status).toBe(200);
  await vi.waitUntil(() => service.pool().waitingCount === 0);
  expect(await held.waits()).toBe(6);
  await held.release();
  const answers = await Promise.all(asked);
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(24);
  expect(refused[0]).toMatchObject({ body: { code: 'rate_limited' } });
  expect(refused[0]!.headers.get('retry-after')).toBe('2');
  expect((await waiting()).length).toBeGreaterThan(0);
});

describe('a request that waits while', () => {
  /** The answer to a request that began before a change of its stream was committed. */
  const askWhile = async (change: (tx: ReturnType<typeof data>) => Promise<unknown>) => {
    let asked: Promise<Answer> | undefined;
    await transaction(async (tx) => {
      await tx.streams.lock(user().id, streamID);
      asked = ask(wishes[0]!, '192.0.2.1');
      await vi.waitUntil(async () => (await countOf('pg_locks where not granted')) > 0);
      await change(tx);
    });
    return asked;
  };

  it('the link is revoked is refused as one with an unknown token', async () => {
    await goLive();
    expect(await askWhile((tx) => tx.guideLinks.delete(streamID))).toMatchObject({ status: 404 });
  });

  it('the policy changes is judged by the new one', async () => {
    await goLive();
    expect(await askWhile((tx) => tx.guideLinks.setRequests(streamID, null))).toMatchObject(refusedBy('requests'));
  });

  it('the programme is deleted is refused', async () => {
    await goLive();
    const deleted = async (tx: ReturnType<typeof data>) =>
      tx.programmes.delete((await tx.programmes.lock(user().id, programmeID))!);
    expect(await askWhile(deleted)).toMatchObject(refusedBy('requests'));
  });
});

describe('a channel', () => {
  it('that takes no requests says so, whatever the reason', async () => {
    expect(await ask(wishes[0]!, '192.0.2.1')).toMatchObject(refusedBy('stream'));
    await goLive();
    await allow(null);
    expect(await ask(wishes[0]!, '192.0.2.1')).toMatchObject(refusedBy('requests', { allowedAt: null }));
    expect(await offered()).toMatchObject(refusedBy('requests'));
    await allow(policy());
    expect(await ask(wishes[0]!, '192.0.2.1')).toMatchObject({ status: 202 });
    await call('POST', `/streams/${streamID}/stop`);
    expect(await ask(wishes[1]!, '192.0.2.2')).toMatchObject(refusedBy('stream'));
    for (const replica of await data().replicas.ofStream(streamID)) await report(replica, 'ended');
    expect(await ask(wishes[1]!, '192.0.2.2')).toMatchObject(refusedBy('stream'));
    expect(await offered()).toMatchObject(refusedBy('stream'));
  });

  it('takes none without its collection, without a programme for it, and while its queue is long', async () => {
    await goLive();
    const short = await collect('Songs');
    await allow(policy({ collectionID: short }));
    await call('DELETE', `/collections/${short}`);
    expect(await ask(wishes[0]!, '192.0.2.1')).toMatchObject(refusedBy('requests'));
    await allow(policy());
    for (let index = 0; index < 50; index++)
      expect((await call('POST', `/programmes/${programmeID}/queue`, { uploadID: wishes[9] })).status).toBe(202);
    expect(await ask(wishes[0]!, '192.0.2.1')).toMatchObject(refusedBy('queue'));
    // The owner has the rest of the queue.
    expect((await call('POST', `/programmes/${programmeID}/queue`, { uploadID: wishes[9] })).status).toBe(202);
    await call('DELETE', `/programmes/${programmeID}`);
    expect(await ask(wishes[0]!, '192.0.2.1')).toMatchObject(refusedBy('requests'));
  });

  it('keeps its policy with its link, of collections of its owner', async () => {
    expect(await call('PATCH', `/streams/${streamID}/guide-link`, {})).toMatchObject({
      status: 200,
      body: { requests: { collectionID, perHour: 10, perGuestMinutes: 30, sameItemMinutes: 60 } },
    });
    const defaults = { perHour: 12, perGuestMinutes: 30, sameItemMinutes: 60 };
    expect((await allow({ collectionID })).body).toEqual({ requests: { collectionID, ...defaults } });
    const other = await service.user();
    const theirs = (await other.call('POST', '/collections', { name: 'x', kind: 'video', source: { folder: '' } }))
      .body;
    for (const unknown of [theirs.id, 'nothing'])
      expect(await allow(policy({ collectionID: unknown }))).toMatchObject({
        status: 422,
        body: { errors: [{ path: '/requests/collectionID' }] },
      });
    await call('DELETE', `/streams/${streamID}/guide-link`);
    expect((await allow(null)).status).toBe(404);
  });
});

describe('the list of items that guests can ask for', () => {
  it('has what plays and is in time, by pages and by words, and nothing that is private', async () => {
    await goLive();
    await call('PATCH', `/uploads/${wishes[0]}`, { title: 'Été à Paris', artist: 'The Band' });
    await call('PATCH', `/uploads/${wishes[1]}`, { availability: { until: '2020-01-01T00:00:00Z' } });
    await call('POST', '/uploads', { name: 'Unread', mimeType: 'video/mp4', folder: 'Wishes' });
    const all = await offered('?limit=100');
    expect(all.status).toBe(200);
    expect(all.body.data).toHaveLength(9);
    expect(all.body.data[0]).toEqual({ id: wishes[0], title: 'Été à Paris', artist: 'The Band', durationSeconds: 30 });
    expect(all.body.data[1]).toEqual({ id: wishes[2], title: 'Wish 2', artist: null, durationSeconds: 30 });
    for (const secret of [streamID, programmeID, collectionID, user().id, 'usr_', 'uploads/', 'example.org'])
      expect(JSON.stringify(all.body)).not.toContain(secret);
    expect((await offered('?q=band%20ete')).body.data).toMatchObject([{ id: wishes[0] }]);
    expect((await offered('?q=nobody')).body).toEqual({ data: [], page: { hasMore: false, nextCursor: '' } });
    const first = (await offered('?limit=5')).body;
    const second = (await offered(`?limit=5&cursor=${first.page.nextCursor}`)).body;
    expect([...first.data, ...second.data]).toEqual(all.body.data);
    expect(await offered(`?q=other&cursor=${first.page.nextCursor}`)).toMatchObject({
      body: { code: 'invalid_cursor' },
    });
    expect(await ask(wishes[1]!, '192.0.2.1')).toMatchObject(refusedBy('collectionID'));
  });
});

describe('a search of guests', () => {
  it('folds the titles once for all searches of a moment', async () => {
    await goLive();
    await offered();
    const normalize = vi.spyOn(String.prototype, 'normalize');
    expect((await offered('?q=wish%203')).body.data).toMatchObject([{ id: wishes[3] }]);
    expect((await offered('?q=WI%204')).body.data).toMatchObject([{ id: wishes[4] }]);
    const folded = normalize.mock.contexts.map(String);
    normalize.mockRestore();
    expect(folded.filter((text) => text.includes('Wish '))).toEqual([]);
  });
});

describe('a website of the owner', () => {
  it('may send requests and read refusals, without the credentials of its visitor', async () => {
    await goLive();
    const origin = 'https://radio.example.org';
    const preflight = await service.send(
      new Request(requestsURL, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' },
      }),
    );
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
    expect(preflight.headers.get('access-control-allow-methods')).toContain('POST');
    expect(preflight.headers.get('access-control-allow-headers')).toBe('Content-Type');
    expect(preflight.headers.has('access-control-allow-credentials')).toBe(false);
    // A browser that is signed in as the owner is a guest like any other, whatever it sends.
    const signedIn = { origin, cookie: 'better-auth.session_token=x', 'x-api-key': user().apiKey };
    const granted = await post(requestsURL, { uploadID: wishes[0] }, '192.0.2.1', signedIn);
    const refused = await post(requestsURL, { uploadID: wishes[1] }, '192.0.2.1', signedIn);
    expect([granted.status, refused.status]).toEqual([202, 422]);
    const list = await offered();
    expect([granted, refused, list].map(({ headers }) => headers.get('access-control-allow-origin'))).toEqual(
      Array(3).fill('*'),
    );
    expect([granted, refused, list].map(({ headers }) => headers.get('cache-control'))).toEqual([
      'no-store',
      'no-store',
      'public, max-age=30',
    ]);
  });
});

describe('guests', () => {
  it('are told apart by their network, and are forgotten when their waits are over', async () => {
    await goLive();
    expect(await ask(wishes[0]!, '2001:db8:1:2::1')).toMatchObject({ status: 202 });
    expect(await ask(wishes[1]!, '2001:db8:1:2:ffff::9')).toMatchObject(refusedBy('perGuestMinutes'));
    expect(await ask(wishes[1]!, '2001:db8:1:3::1')).toMatchObject({ status: 202 });
    const { rows: kept } = await service.pool().query('select * from guest_requests');
    expect(kept).toHaveLength(2);
    const { rows: windows } = await service.pool().query('select subject, class from request_windows');
    expect(new Set(windows.map((row) => row.class))).toEqual(
      new Set(['guest', 'ask', 'guestRequest', 'read', 'write']),
    );
    expect(JSON.stringify([kept, windows])).not.toContain('2001');
    await service.pool().query(`update guest_requests set granted_at = granted_at - interval '31 minutes'`);
    expect(await ask(wishes[2]!, '2001:db8:1:2::1')).toMatchObject({ status: 202 });
    await service
      .pool()
      .query(`update guest_requests set forget_at = forget_at - interval '60 minutes' where id = $1`, [kept[0].id]);
    await sweep({
      pool: service.pool(),
      queue: createPostgresCommandQueue({ pool: service.pool(), log: () => {} }),
      timers: createOutboxTimers(service.pool()),
      startOptions,
      storage,
      clock: () => new Date(),
    });
    expect(await countOf('guest_requests')).toBe(2);
  });

  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', 'c000:201'],
    ['2001:DB8::1', '2001:db8:0:0'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['::1', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['unknown', 'unknown'],
  ])('at %s have the network %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

describe('the time of requests', () => {
  const subject = () => `requests of ${streamID}`;
  const countedMs = async () => {
    const text = `select work_ms from request_windows where subject = $1 and class = 'guestRequest'`;
    return (await service.pool().query(text, [subject()])).rows[0]?.work_ms as number | undefined;
  };

  it('is paid in advance, and refused requests read nothing of the channel', async () => {
    await goLive();
    expect((await offered()).status).toBe(200);
    expect(await countedMs()).toBe(150);
    await service.pool().query(`update request_windows set work_ms = 15150 where subject = $1`, [subject()]);
    const query = vi.spyOn(service.pool(), 'query');
    const refusals = [await offered('?q=other'), await ask(wishes[0]!, '192.0.2.1')];
    const texts = query.mock.calls.map(([statement]) => JSON.stringify(statement));
    query.mockRestore();
    for (const { status, headers, body } of refusals) {
      expect([status, Number(headers.get('retry-after'))]).toEqual([429, expect.closeTo(60, -1)]);
      expect(body).toMatchObject({ code: 'rate_limited', detail: expect.stringMatching(/^Requests of guests took/) });
    }
    expect(texts.filter((text) => /from uploads|collections|programmes/.test(text))).toEqual([]);
  });
});

describe('an attacker', () => {
  const attempts = 2000;
  const send = async (each: (index: number) => Promise<Answer>): Promise<Record<string, number>> => {
    const statuses: Record<string, number> = {};
    for (let from = 0; from < attempts; from += 50) {
      const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => each(from + index)));
      for (const { status, body } of answers) {
        const key = `${status} ${body.refusedBy ?? body.code ?? ''}`.trim();
        statuses[key] = (statuses[key] ?? 0) + 1;
      }
    }
    return statuses;
  };
  const sizes = async () => ({
    windows: await countOf('request_windows'),
    requests: await countOf('guest_requests'),
    queued: await countOf('queued_items'),
    dueTimes: await countOf('due_times'),
  });

  it('with one address is stopped before others of the link are', async () => {
    await goLive();
    const flood = await Promise.all(Array.from({ length: 70 }, () => ask('upl_none', '203.0.113.1')));
    expect(flood.filter(({ status }) => status === 422)).toHaveLength(60);
    const refused = flood.filter(({ status }) => status === 429);
    for (const { headers } of refused) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await ask(wishes[0]!, '192.0.2.1')).toMatchObject({ status: 202 });
  });

  it('with a large body, of known and of unknown length, is refused', async () => {
    await goLive();
    const body = JSON.stringify({ uploadID: wishes[0], padding: 'x'.repeat(5000) });
    const headers = { 'content-type': 'application/json' };
    const chunked = new Blob([body]).stream();
    for (const sent of [{ body }, { body: chunked, duplex: 'half' }]) {
      const request = new Request(requestsURL, { method: 'POST', headers, ...sent });
      expect(await service.handler()(request, '192.0.2.1')).toMatchObject({ status: 422 });
    }
    const malformed = await post(requestsURL, [1], '192.0.2.1');
    expect(malformed).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
    expect(malformed.headers.get('access-control-allow-origin')).toBe('*');
  });

  it('with wrong tokens learns nothing, and leaves a row for an address and minute', async () => {
    await goLive();
    const unknown = requestsURL.replace(/\/guides\/[^/]+\//, `/guides/${'A'.repeat(32)}/`);
    const malformed = requestsURL.replace(/\/guides\/[^/]+\//, '/guides/x/');
    const bodies = await Promise.all([unknown, malformed].map((url) => post(url, { uploadID: 'x' }, '203.0.113.2')));
    expect(bodies[0]!.body).toEqual(bodies[1]!.body);
    const before = await sizes();
    const urlOf = (index: number) => (index % 2 ? unknown : malformed);
    const statuses = await send((index) => post(urlOf(index), { uploadID: wishes[0] }, '203.0.113.1'));
    const after = await sizes();
    console.log(`${attempts} wrong tokens: ${JSON.stringify({ statuses, before, after })}`);
    expect(statuses).toEqual({ '404 not_found': 1200, '429 rate_limited': attempts - 1200 });
    expect(after).toEqual({ ...before, windows: before.windows + 1 });
    expect(await ask(wishes[0]!, '192.0.2.1')).toMatchObject({ status: 202 });
  });

  it('cannot tell the uploads of others, or those outside of the collection, from unknown ones', async () => {
    await goLive();
    const other = await service.user();
    const foreign = (await other.call('POST', '/uploads', { name: 'x', mimeType: 'video/mp4' })).body.id;
    const outside = await clip('Private', 30, 'Private');
    const answers = await Promise.all([foreign, outside, 'upl_none'].map((uploadID) => ask(uploadID, '203.0.113.1')));
    for (const { status, body } of answers) expect({ status, body }).toEqual({ status: 422, body: answers[0]!.body });
    expect(answers[0]).toMatchObject(refusedBy('collectionID'));
  });

  it('from many addresses is stopped by the limit of the link, and other links are not', async () => {
    await goLive();
    const before = await sizes();
    const statuses = await send((index) => ask('upl_none', addressOf(index)));
    expect(statuses).toEqual({ '422 collectionID': 100, '429 rate_limited': attempts - 100 });
    const after = await sizes();
    console.log(`${attempts} addresses: ${JSON.stringify({ statuses, before, after })}`);
    // A guest and an address for each request within the limit, and the link. Some at once are counted beyond it.
    expect(after.windows - before.windows).toBeLessThan(2 * 100 + 60);
    expect(after).toEqual({ ...before, windows: after.windows });
    const query = vi.spyOn(service.pool(), 'query');
    expect((await ask(wishes[0]!, '192.0.2.1')).status).toBe(429);
    expect(query).toHaveBeenCalledTimes(1);
    query.mockRestore();
    expect((await offered()).status).toBe(200);
    expect((await call('GET', `/programmes/${programmeID}/queue`)).status).toBe(200);
    const channel = requestsURL;
    await makeChannel();
    await goLive();
    expect(requestsURL).not.toBe(channel);
    expect((await ask(wishes[0]!, '192.0.2.1')).status).toBe(202);
  });
});
