// Receivers of every kind: those that fail, hang, lie or lead elsewhere get their events later, or not at all, and their users can see why.
import { beforeEach, expect, it } from 'vitest';
import { createSealer } from '../../lambda/ports/sealer/sealer.ts';
import { actorsOn } from '../orchestration/actors.ts';
import { makeCertificate } from '../support/certificates.ts';
import { testDataKey, testService } from '../support/service.ts';
import { startReceiver } from './receiver.ts';
import { testSender } from './sender.ts';

const service = testService();
const { call, create, user } = actorsOn(service);
const sender = (settings?: Parameters<typeof testSender>[2]) =>
  testSender(service.pool(), createSealer([testDataKey]), settings);
const webhook = async (url: string) =>
  (await call('POST', '/webhooks', { url, events: ['stream.state_changed'] })).body as { id: string; secret: string };
const deliveries = async (id: string) => (await call('GET', `/webhooks/${id}/deliveries`)).body.data;
const look = async (id: string) => (await call('GET', `/webhooks/${id}`)).body;
/** Something that one event tells of. */
const happen = async () =>
  call('POST', `/streams/${await create('/streams', {})}/schedule`, { scheduleStartAt: '9999-01-01T00:00:00Z' });
/** Lets the next attempt of everything be now. */
const passTime = () =>
  service.pool().query(`with due as (update webhook_deliveries set next_attempt_at = now() where state = 'pending'),
    woken as (update webhooks set silent_until = null)
  update outbox set visible_at = now() where queue = 'webhooks'`);

beforeEach(() => service.pool().query('truncate webhooks, events, notifications cascade'));

it('a receiver gets what it needs to verify and to tell repetitions, as JSON, and nothing of ours besides', async () => {
  await using receiver = await startReceiver();
  await webhook(receiver.url);
  await happen();
  await sender().work();
  const [{ headers, id, body }] = receiver.received as [(typeof receiver.received)[number]];
  expect(Object.keys(headers).toSorted()).toEqual([
    'connection',
    'content-length',
    'content-type',
    'host',
    'user-agent',
    'webhook-id',
    'webhook-signature',
    'webhook-timestamp',
  ]);
  expect([headers['content-type'], id, Object.keys(JSON.parse(body))]).toEqual([
    'application/json',
    expect.stringMatching(/^evt_\w+$/),
    ['type', 'timestamp', 'sequence', 'data'],
  ]);
});

it.each([
  [200, {}, null],
  [299, {}, null],
  [500, {}, 'refused'],
  [400, {}, 'refused'],
  [302, { location: 'http://127.0.0.1:9/' }, 'redirected'],
] as const)('a receiver that answers %i has taken it, or gets the same once more', async (status, headers, failure) => {
  await using receiver = await startReceiver();
  const { id, secret } = await webhook(receiver.url);
  receiver.answer = (response) => response.writeHead(status, headers).end('what it says');
  await happen();
  await sender().work();
  const [delivery] = await deliveries(id);
  expect(delivery).toMatchObject({
    state: failure ? 'pending' : 'delivered',
    attempts: 1,
    responseStatus: status,
    responseExcerpt: 'what it says',
  });
  expect(delivery.failure?.code ?? null).toBe(failure);
  receiver.answer = (response) => response.writeHead(204).end();
  await passTime();
  await sender().work();
  expect(receiver.received).toHaveLength(failure ? 2 : 1);
  expect(new Set(receiver.verified(secret).map((payload) => JSON.stringify(payload))).size).toBe(1);
  expect(new Set(receiver.received.map((received) => received.id)).size).toBe(1);
  expect(await deliveries(id)).toMatchObject([
    { state: 'delivered', attempts: failure ? 2 : 1, nextAttemptAt: null, failure: null },
  ]);
  expect((await look(id)).lastDeliveredAt).not.toBeNull();
});

it('a receiver that asks for time by Retry-After gets it', async () => {
  await using receiver = await startReceiver();
  const { id } = await webhook(receiver.url);
  receiver.answer = (response) => response.writeHead(503, { 'retry-after': '1000' }).end();
  await happen();
  await sender().work();
  const [{ nextAttemptAt, lastAttemptAt }] = await deliveries(id);
  expect(Date.parse(nextAttemptAt) - Date.parse(lastAttemptAt)).toBeGreaterThanOrEqual(1_000_000);
});

it('a receiver that hangs, or is not there, is left alone for a while with all that is due to it', async () => {
  await using hanging = await startReceiver();
  hanging.answer = () => {};
  const gone = await startReceiver();
  await gone[Symbol.asyncDispose]();
  const ids = [(await webhook(hanging.url)).id, (await webhook(gone.url)).id];
  for (let count = 0; count < 20; count++) await happen();
  await sender({ attempts: { timeoutMs: 200 } }).work();
  // Eight at once, and no more of twenty.
  expect(hanging.received).toHaveLength(8);
  for (const [id, failure] of [
    [ids[0]!, 'timed_out'],
    [ids[1]!, 'unreachable'],
  ] as const) {
    const made = await deliveries(id);
    expect(
      made.every(
        ({ state, nextAttemptAt }: { state: string; nextAttemptAt: string }) =>
          state === 'pending' && Date.parse(nextAttemptAt) > Date.now(),
      ),
    ).toBe(true);
    expect(
      made
        .filter(({ attempts }: { attempts: number }) => attempts === 1)
        .map((delivery: { failure: { code: string } }) => delivery.failure.code),
    ).toEqual(Array(8).fill(failure));
  }
  // A command waits for each next attempt: nothing is forgotten.
  const forgotten = `select from webhook_deliveries d where state = 'pending'
    and not exists (select from outbox o where o.body ->> 'webhookID' = d.webhook_id and o.visible_at = d.next_attempt_at)`;
  expect((await service.pool().query(forgotten)).rowCount).toBe(0);
  hanging.answer = (response) => response.writeHead(204).end();
  await passTime();
  await sender().work();
  expect((await deliveries(ids[0]!)).map(({ state }: { state: string }) => state)).toEqual(Array(20).fill('delivered'));
});

it('a receiver that does not answer is asked once for all that happens meanwhile, and ever more rarely', async () => {
  await using hanging = await startReceiver();
  hanging.answer = () => {};
  const { id } = await webhook(hanging.url);
  const impatient = sender({ attempts: { timeoutMs: 100 } });
  await happen();
  await impatient.work();
  expect(hanging.received).toHaveLength(1);
  // Nobody is woken up for it, and nothing is tried.
  for (let count = 0; count < 10; count++) await happen();
  expect(
    (await service.pool().query(`select from outbox where queue = 'webhooks' and visible_at <= now()`)).rowCount,
  ).toBe(0);
  await impatient.work();
  expect(hanging.received).toHaveLength(1);
  const waits: number[] = [];
  for (let turn = 0; turn < 4; turn++) {
    await passTime();
    await impatient.work();
    const next = (await deliveries(id)).map(({ nextAttemptAt }: { nextAttemptAt: string }) =>
      Date.parse(nextAttemptAt),
    );
    waits.push(Math.min(...next) - Date.now());
  }
  expect(waits).toEqual(waits.toSorted((a, b) => a - b));
  expect(waits.at(-1)).toBeGreaterThan(60_000);
  // At another address it may answer: nothing waits any more.
  hanging.answer = (response) => response.writeHead(204).end();
  await call('PATCH', `/webhooks/${id}`, { url: `${hanging.url}?new` });
  await happen();
  await impatient.work();
  expect((await deliveries(id)).map(({ state }: { state: string }) => state)).toEqual(Array(12).fill('delivered'));
});

it('an old event that a receiver never answers puts new ones off by seconds only', async () => {
  await using receiver = await startReceiver();
  const { id } = await webhook(receiver.url);
  await happen();
  await service.pool().query('update webhook_deliveries set attempts = 12');
  receiver.answer = () => {};
  const working = sender({ attempts: { timeoutMs: 500 } }).work();
  await receiver.has(1);
  await happen();
  await working;
  const [fresh, old] = await deliveries(id);
  expect(fresh).toMatchObject({ state: 'pending', attempts: 0 });
  expect(Date.parse(fresh.nextAttemptAt)).toBeLessThan(Date.now() + 10_000);
  expect(Date.parse(old.nextAttemptAt)).toBeGreaterThan(Date.now() + 3_600_000);
});

it('an address that is gone disables the webhook only while it is still the address', async () => {
  await using receiver = await startReceiver();
  const { id } = await webhook(receiver.url);
  receiver.answer = async (response) => {
    await call('PATCH', `/webhooks/${id}`, { url: `${receiver.url}?moved` });
    response.writeHead(410).end();
  };
  await happen();
  await sender().work();
  expect(await look(id)).toMatchObject({ enabled: true, url: `${receiver.url}?moved` });
});

it('a receiver to which much is due gives way to others, and gets the rest by and by', async () => {
  await using receiver = await startReceiver();
  await webhook(receiver.url);
  for (let count = 0; count < 20; count++) await happen();
  let nowMs = 0;
  const slow = sender({ steadyClock: () => (nowMs += 60_000) });
  await slow.work();
  expect(receiver.received).toHaveLength(20);
  // Eight, eight and four.
  expect(nowMs / 60_000).toBeGreaterThanOrEqual(6);
});

it('a receiver that switches to another protocol, or speaks none, has not taken it', async () => {
  await using receiver = await startReceiver();
  const { id } = await webhook(receiver.url);
  for (const [said, failure] of [
    ['HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n', 'unreachable'],
    ['220 mail.example.com ESMTP\r\n', 'protocol_error'],
  ] as const) {
    receiver.answer = ({ socket }) => socket!.end(said);
    await passTime();
    await happen();
    await sender().work();
    expect((await deliveries(id))[0]).toMatchObject({ state: 'pending', failure: { code: failure } });
  }
});

it('one user, with however many receivers that are slow, holds up few senders, and gets to all of them', async () => {
  await using slow = await startReceiver();
  const waiting: (() => unknown)[] = [];
  slow.answer = (response) => waiting.push(() => response.writeHead(204).end());
  for (let count = 0; count < 20; count++) await webhook(slow.url);
  await happen();
  let idle = 0;
  const senders = sender({ attempts: { timeoutMs: 60_000 } });
  const { rows } = await service.pool().query(`delete from outbox where queue = 'webhooks' returning body`);
  const working = rows.map(({ body }) => senders.carryOut(body).then(() => (idle += 1)));
  // Each of the others is free for other users.
  await expect.poll(() => idle).toBeGreaterThanOrEqual(10);
  slow.answer = (response) => response.writeHead(204).end();
  for (const answer of waiting) answer();
  await Promise.all(working);
  expect(slow.received).toHaveLength(20);
  expect((await service.pool().query(`select from webhook_deliveries where state <> 'delivered'`)).rowCount).toBe(0);
});

it('a receiver that hangs keeps no other waiting', async () => {
  await using hanging = await startReceiver();
  await using quick = await startReceiver();
  hanging.answer = () => {};
  await webhook(hanging.url);
  const { id } = await webhook(quick.url);
  await happen();
  const ending = new AbortController();
  const working = sender({ attempts: { timeoutMs: 60_000 }, signal: ending.signal }).work();
  await hanging.has(1);
  await expect.poll(async () => (await deliveries(id))[0].state).toBe('delivered');
  ending.abort();
  expect(await working).toBe(1);
});

it('a receiver that never ends its answer, or sends too much of it, is believed its status, and little of it is kept', async () => {
  await using receiver = await startReceiver();
  const { id } = await webhook(receiver.url);
  receiver.answer = (response) => response.writeHead(200).write(`\0${'x'.repeat(5_000_000)}`);
  await happen();
  await sender().work();
  const [delivery] = await deliveries(id);
  expect([delivery.state, delivery.responseExcerpt]).toEqual(['delivered', 'x'.repeat(1023)]);
  receiver.answer = (response) => response.writeHead(200).write('and');
  await happen();
  await sender({ attempts: { timeoutMs: 200 } }).work();
  expect((await deliveries(id))[0]).toMatchObject({ state: 'delivered', responseExcerpt: 'and' });
});

it('a receiver that answers 410 is disabled, with what is on its way to it, its user is told, and it gets more only once it is enabled', async () => {
  await using receiver = await startReceiver();
  const { id } = await webhook(receiver.url);
  receiver.answer = (response) => response.writeHead(410).end();
  await happen();
  const { mails, work } = sender();
  await work();
  expect(await look(id)).toMatchObject({ enabled: false, disabledReason: { code: 'gone' } });
  expect(await deliveries(id)).toMatchObject([{ state: 'failed', responseStatus: 410, failure: { code: 'gone' } }]);
  expect(mails).toMatchObject([
    { to: `${user().id}@example.com`, subject: 'A webhook was disabled', text: expect.stringContaining(receiver.url) },
  ]);
  await happen();
  await work();
  expect(receiver.received).toHaveLength(1);
  receiver.answer = (response) => response.writeHead(204).end();
  expect((await call('PATCH', `/webhooks/${id}`, { enabled: true })).body).toMatchObject({
    enabled: true,
    disabledReason: null,
  });
  await happen();
  await work();
  expect(receiver.received).toHaveLength(2);
});

it('a receiver that took nothing for three days is given up and disabled; one that takes others only loses that one', async () => {
  await using receiver = await startReceiver();
  const { id } = await webhook(receiver.url);
  receiver.answer = (response) => response.writeHead(500).end();
  const age = () =>
    service.pool().query(`update webhook_deliveries set asked_at = now() - interval '3 days' where state = 'pending'`);
  await happen();
  await age();
  await service.pool().query('update webhooks set last_delivered_at = now()');
  await sender().work();
  expect(await deliveries(id)).toMatchObject([{ state: 'failed', failure: { code: 'refused' } }]);
  expect((await look(id)).enabled).toBe(true);
  await happen();
  await happen();
  await age();
  await service.pool().query(`update webhooks set last_delivered_at = now() - interval '4 days'`);
  const { mails, work } = sender();
  await work();
  expect(await look(id)).toMatchObject({ enabled: false, disabledReason: { code: 'failing' } });
  expect((await deliveries(id)).map(({ state }: { state: string }) => state)).toEqual(['failed', 'failed', 'failed']);
  expect(mails).toHaveLength(1);
});

it('a receiver is asked once more by its user: the same event, retried like a new one', async () => {
  await using receiver = await startReceiver();
  const { id } = await webhook(receiver.url);
  await happen();
  await sender().work();
  const [delivery] = await deliveries(id);
  receiver.answer = (response) => response.writeHead(500).end();
  expect(await call('POST', `/webhooks/${id}/deliveries/${delivery.id}/redeliver`)).toMatchObject({
    status: 202,
    body: { id: delivery.id, state: 'pending', attempts: 0 },
  });
  await sender().work();
  expect(await deliveries(id)).toMatchObject([{ state: 'pending', attempts: 1, eventID: delivery.eventID }]);
  expect(receiver.received.map((received) => received.id)).toEqual([delivery.eventID, delivery.eventID]);
  expect(receiver.received[0]!.body).toBe(receiver.received[1]!.body);
});

it('a receiver is called only at an address that users may have called, which is checked when connecting', async () => {
  await using receiver = await startReceiver();
  const { port } = new URL(receiver.url);
  const { id } = await webhook(`http://inside.example.com:${port}/`);
  const resolve = async () => [{ address: '169.254.169.254', family: 4 }];
  await happen();
  await sender({ attempts: { resolve } }).work();
  expect(await deliveries(id)).toMatchObject([{ failure: { code: 'address_forbidden' } }]);
  // The stage has become stricter: http, and loopback, were fine when it was registered.
  await service.pool().query('update webhooks set url = $1', [receiver.url]);
  await passTime();
  await sender({ attempts: { allowPrivateAddresses: false } }).work();
  expect(await deliveries(id)).toMatchObject([{ attempts: 2, failure: { code: 'address_forbidden' } }]);
  expect(receiver.received).toEqual([]);
  // The very address that was looked up is the one that is connected to.
  await service.pool().query('update webhooks set url = $1', [`http://inside.example.com:${port}/`]);
  await passTime();
  await sender({ attempts: { resolve: async () => [{ address: '127.0.0.1', family: 4 }] } }).work();
  expect(receiver.received).toHaveLength(1);
});

it('a receiver behind TLS has to show a certificate that is valid', async ({ skip }) => {
  const certificate = await makeCertificate('DNS:localhost');
  if (!certificate) return skip('openssl is not here');
  await using receiver = await startReceiver(certificate);
  const { id } = await webhook(receiver.url);
  await happen();
  await sender().work();
  expect(await deliveries(id)).toMatchObject([{ failure: { code: 'tls_failed' } }]);
  await passTime();
  await sender({ attempts: { tlsCa: certificate.cert } }).work();
  expect(receiver.received).toHaveLength(1);
});
