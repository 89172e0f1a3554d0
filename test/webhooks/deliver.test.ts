// Receivers that fail, hang, lie or redirect get events later, or not at all, and their users can see the reason.
import { beforeEach, expect, it } from 'vitest';
import { createSealer } from '../../lambda/ports/sealer/sealer.ts';
import { actorsOn } from '../support/actors.ts';
import { makeCertificate } from '../support/certificates.ts';
import { countDueCommands, takeCommands } from '../support/outbox-rows.ts';
import { testDataKey, testService } from '../support/service.ts';
import {
  clearEvents,
  countForgottenDeliveries,
  deliveryStates,
  letAttemptsBe,
  letDeliveriesGrowOld,
  letFormerSecretEnd,
  letLastDeliveryBe,
  makeDeliveriesDue,
  readdressWebhooks,
} from '../support/webhook-deliveries.ts';
import { startReceiver } from './receiver.ts';
import { testSender } from './sender.ts';

/** A delivery as the API shows it, with the fields that these tests read. */
interface Delivery {
  readonly id: string;
  readonly eventID: string;
  readonly state: string;
  readonly attempts: number;
  readonly nextAttemptAt: string;
  readonly lastAttemptAt: string;
  readonly failure: { readonly code: string } | null;
  readonly responseExcerpt: string | null;
}

const service = testService();
const { call, create, user } = actorsOn(service);
const sender = (settings?: Parameters<typeof testSender>[2]) =>
  testSender(service.pool(), createSealer([testDataKey]), settings);
const webhook = async (url: string) =>
  (await call('POST', '/webhooks', { url, events: ['stream.state_changed'] })).body as { id: string; secret: string };
const deliveries = async (id: string): Promise<Delivery[]> =>
  (await call('GET', `/webhooks/${id}/deliveries`)).body.data;
const statesOf = async (id: string) => (await deliveries(id)).map(({ state }) => state);
const look = async (id: string) => (await call('GET', `/webhooks/${id}`)).body;
/** Causes one event. */
const happen = async () =>
  call('POST', `/streams/${await create('/streams', {})}/schedule`, { scheduleStartAt: '9999-01-01T00:00:00Z' });
const passTime = () => makeDeliveriesDue(service);

beforeEach(() => clearEvents(service));

it('a receiver gets what it needs to verify events and to know repetitions, and nothing else', async () => {
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
] as const)(
  'a receiver that answers %i has taken the event, or gets the same once more',
  async (status, headers, failure) => {
    await using receiver = await startReceiver();
    const { id, secret } = await webhook(receiver.url);
    receiver.answer = (response) => response.writeHead(status, headers).end('what it says');
    await happen();
    await sender().work();
    const delivery = (await deliveries(id))[0]!;
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
  },
);

it('a receiver that asks for time by Retry-After gets it', async () => {
  await using receiver = await startReceiver();
  const { id } = await webhook(receiver.url);
  receiver.answer = (response) => response.writeHead(503, { 'retry-after': '1000' }).end();
  await happen();
  await sender().work();
  const { nextAttemptAt, lastAttemptAt } = (await deliveries(id))[0]!;
  expect(Date.parse(nextAttemptAt) - Date.parse(lastAttemptAt)).toBeGreaterThanOrEqual(1_000_000);
});

it('a receiver that hangs or is away gets nothing more for a while', async () => {
  await using hanging = await startReceiver();
  hanging.answer = () => {};
  const gone = await startReceiver();
  await gone[Symbol.asyncDispose]();
  const ids = [(await webhook(hanging.url)).id, (await webhook(gone.url)).id];
  await letLastDeliveryBe(service, 1);
  for (let count = 0; count < 20; count++) await happen();
  await sender({ attempts: { timeoutMs: 200 } }).work();
  // It received eight of twenty deliveries at once, and no more.
  expect(hanging.received).toHaveLength(8);
  for (const [id, failure] of [
    [ids[0]!, 'timed_out'],
    [ids[1]!, 'unreachable'],
  ] as const) {
    const made = await deliveries(id);
    expect(made.every(({ state }) => state === 'pending')).toBe(true);
    expect(made.every(({ nextAttemptAt }) => Date.parse(nextAttemptAt) > Date.now())).toBe(true);
    const tried = made.filter(({ attempts }) => attempts === 1);
    expect(tried.map((delivery) => delivery.failure?.code)).toEqual(Array(8).fill(failure));
  }
  expect(await countForgottenDeliveries(service)).toBe(0);
  hanging.answer = (response) => response.writeHead(204).end();
  await passTime();
  await sender().work();
  expect(await statesOf(ids[0]!)).toEqual(Array(20).fill('delivered'));
});

it('a receiver that does not answer is asked once for all new events, and more and more rarely', async () => {
  await using silent = await startReceiver();
  silent.answer = ({ socket }) => socket!.destroy();
  const { id } = await webhook(silent.url);
  const { work } = sender({ attempts: { timeoutMs: 60_000 } });
  await happen();
  const waits: number[] = [];
  for (let turn = 1; turn <= 5; turn++) {
    await passTime();
    await work();
    expect(silent.received).toHaveLength(turn);
    const next = (await deliveries(id)).map(({ nextAttemptAt }) => Date.parse(nextAttemptAt));
    waits.push(Math.min(...next) - Date.now());
  }
  expect(waits).toEqual(waits.toSorted((a, b) => a - b));
  expect(waits.at(-1)).toBeGreaterThan(60_000);
  // New events wake no sender, no sender tries them, and its next attempt is for all of them.
  for (let count = 0; count < 10; count++) await happen();
  expect(await countDueCommands(service, 'webhooks')).toBe(0);
  await work();
  expect(silent.received).toHaveLength(5);
  await passTime();
  await work();
  expect(silent.received).toHaveLength(6);
  // The receiver may answer at another address, so no delivery waits any more.
  silent.answer = (response) => response.writeHead(204).end();
  await call('PATCH', `/webhooks/${id}`, { url: `${silent.url}?new` });
  await happen();
  await work();
  expect(await statesOf(id)).toEqual(Array(12).fill('delivered'));
});

it('an old event that a receiver never answers delays new ones only by seconds', async () => {
  await using receiver = await startReceiver();
  const { id } = await webhook(receiver.url);
  await happen();
  await letAttemptsBe(service, 12);
  receiver.answer = () => {};
  const working = sender({ attempts: { timeoutMs: 500 } }).work();
  await receiver.has(1);
  await happen();
  await working;
  const [fresh, old] = (await deliveries(id)) as [Delivery, Delivery];
  expect(fresh).toMatchObject({ state: 'pending', attempts: 0 });
  expect(Date.parse(fresh.nextAttemptAt)).toBeLessThan(Date.now() + 10_000);
  expect(Date.parse(old.nextAttemptAt)).toBeGreaterThan(Date.now() + 3_600_000);
});

it('an address that is gone disables the webhook only if it is still its address', async () => {
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

it('a receiver to which much is due gives way to others, and gets the rest later', async () => {
  await using receiver = await startReceiver();
  await webhook(receiver.url);
  for (let count = 0; count < 20; count++) await happen();
  let nowMs = 0;
  const minuteEachLook = () => {
    nowMs += 60_000;
    return nowMs;
  };
  const slow = sender({ steadyClock: minuteEachLook });
  await slow.work();
  expect(receiver.received).toHaveLength(20);
  // Eight, eight and four deliveries take three turns, and a sender reads the clock at least twice in each.
  expect(nowMs / 60_000).toBeGreaterThanOrEqual(6);
});

it('an address that has taken nothing yet gets one request at a time, as it may be a stranger', async () => {
  await using receiver = await startReceiver();
  const waiting: (() => unknown)[] = [];
  receiver.answer = (response) => waiting.push(() => response.writeHead(204).end());
  const { id } = await webhook(receiver.url);
  for (let count = 0; count < 12; count++) await happen();
  const working = sender({ attempts: { timeoutMs: 60_000 } }).work();
  const begun = async () => (await deliveries(id)).filter(({ attempts }) => attempts > 0).length;
  await receiver.has(1);
  expect(await begun()).toBe(1);
  waiting.shift()!();
  await receiver.has(9);
  expect(await begun()).toBe(9);
  receiver.answer = (response) => response.writeHead(204).end();
  for (const answer of waiting) answer();
  await working;
  expect(new Set(await statesOf(id))).toEqual(new Set(['delivered']));
});

it('a receiver that does not speak HTTP, or stops to, has not taken the event', async () => {
  await using receiver = await startReceiver();
  const { id } = await webhook(receiver.url);
  await letLastDeliveryBe(service, 1);
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

it('a user with many slow receivers holds up few senders, and all receivers get their events', async () => {
  await using slow = await startReceiver();
  const waiting: (() => unknown)[] = [];
  slow.answer = (response) => waiting.push(() => response.writeHead(204).end());
  for (let count = 0; count < 20; count++) await webhook(slow.url);
  await happen();
  let idle = 0;
  const senders = sender({ attempts: { timeoutMs: 60_000 } });
  const commands = await takeCommands(service, 'webhooks');
  const working = commands.map((command) => senders.carryOut(command).then(() => idle++));
  // These senders are free for other users.
  await expect.poll(() => idle).toBeGreaterThanOrEqual(10);
  slow.answer = (response) => response.writeHead(204).end();
  for (const answer of waiting) answer();
  await Promise.all(working);
  expect(slow.received).toHaveLength(20);
  expect(new Set(await deliveryStates(service))).toEqual(new Set(['delivered']));
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
  await expect.poll(async () => (await deliveries(id))[0]!.state).toBe('delivered');
  ending.abort();
  // The command of the quick receiver may not have ended either; it is then carried out again, with nothing to send.
  expect(await working).toBeGreaterThanOrEqual(1);
});

it('an answer that never ends, or is too long, counts by its status, and little of it is kept', async () => {
  await using receiver = await startReceiver();
  const { id } = await webhook(receiver.url);
  receiver.answer = (response) => response.writeHead(200).write(`\0${'x'.repeat(5_000_000)}`);
  await happen();
  await sender().work();
  const delivery = (await deliveries(id))[0]!;
  expect([delivery.state, delivery.responseExcerpt]).toEqual(['delivered', 'x'.repeat(1023)]);
  receiver.answer = (response) => response.writeHead(200).write('and');
  await happen();
  await sender({ attempts: { timeoutMs: 200 } }).work();
  expect((await deliveries(id))[0]).toMatchObject({ state: 'delivered', responseExcerpt: 'and' });
});

it('a webhook whose receiver answers 410 is disabled, its user is told, and only they can enable it', async () => {
  await using receiver = await startReceiver();
  const { id } = await webhook(receiver.url);
  receiver.answer = (response) => response.writeHead(410).end();
  await happen();
  const { mails, work } = sender();
  await work();
  expect(await look(id)).toMatchObject({ enabled: false, disabledReason: { code: 'gone' } });
  expect(await deliveries(id)).toMatchObject([{ state: 'failed', responseStatus: 410, failure: { code: 'gone' } }]);
  const text = expect.stringContaining(receiver.url);
  expect(mails).toMatchObject([{ to: `${user().id}@example.com`, subject: 'A webhook was disabled', text }]);
  await happen();
  await work();
  expect(receiver.received).toHaveLength(1);
  receiver.answer = (response) => response.writeHead(204).end();
  const { body: enabled } = await call('PATCH', `/webhooks/${id}`, { enabled: true });
  expect(enabled).toMatchObject({ enabled: true, disabledReason: null });
  await happen();
  await work();
  expect(receiver.received).toHaveLength(2);
});

it('an event that was not taken for three days fails, and a webhook that took none is disabled', async () => {
  await using receiver = await startReceiver();
  const { id } = await webhook(receiver.url);
  receiver.answer = (response) => response.writeHead(500).end();
  await happen();
  await letDeliveriesGrowOld(service);
  await letLastDeliveryBe(service, 0);
  await sender().work();
  expect(await deliveries(id)).toMatchObject([{ state: 'failed', failure: { code: 'refused' } }]);
  expect((await look(id)).enabled).toBe(true);
  await happen();
  await happen();
  await letDeliveriesGrowOld(service);
  await letLastDeliveryBe(service, 4);
  const { mails, work } = sender();
  await work();
  expect(await look(id)).toMatchObject({ enabled: false, disabledReason: { code: 'failing' } });
  expect(await statesOf(id)).toEqual(['failed', 'failed', 'failed']);
  expect(mails).toHaveLength(1);
});

it('an event that its user redelivers is the same, and retried like a new one', async () => {
  await using receiver = await startReceiver();
  const { id } = await webhook(receiver.url);
  await happen();
  await sender().work();
  const delivery = (await deliveries(id))[0]!;
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

it('a receiver is called only at an address that users may name, which is checked when connecting', async () => {
  await using receiver = await startReceiver();
  const { port } = new URL(receiver.url);
  const { id } = await webhook(`http://inside.example.com:${port}/`);
  const resolve = async () => [{ address: '169.254.169.254', family: 4 }];
  await happen();
  await sender({ attempts: { resolve } }).work();
  expect(await deliveries(id)).toMatchObject([{ failure: { code: 'address_forbidden' } }]);
  // The rules of the stage are stricter than at the registration of this address.
  await readdressWebhooks(service, receiver.url);
  await passTime();
  await sender({ attempts: { allowPrivateAddresses: false } }).work();
  expect(await deliveries(id)).toMatchObject([{ attempts: 2, failure: { code: 'address_forbidden' } }]);
  expect(receiver.received).toEqual([]);
  // The sender connects to exactly the resolved address.
  await readdressWebhooks(service, `http://inside.example.com:${port}/`);
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

it('a test reaches the receiver at once, also one that asks for nothing of it and was silent', async () => {
  await using receiver = await startReceiver();
  const { id } = await webhook(receiver.url);
  const { status, body } = await call('POST', `/webhooks/${id}/test`);
  expect([status, body.eventType, body.state]).toEqual([202, 'webhook.test', 'pending']);
  await sender().work();
  expect(JSON.parse(receiver.received[0]!.body)).toMatchObject({ type: 'webhook.test', data: { webhookID: id } });
  expect(await statesOf(id)).toEqual(['delivered']);
});

it('a secret that was replaced signs beside the new one for a day, and not after that', async () => {
  await using receiver = await startReceiver();
  const { id, secret: former } = await webhook(receiver.url);
  const { secret } = (await call('POST', `/webhooks/${id}/rotate-secret`)).body;
  expect(secret).not.toBe(former);
  await call('POST', `/webhooks/${id}/test`);
  await sender().work();
  for (const known of [secret, former]) expect(receiver.verified(known)).toHaveLength(1);
  await letFormerSecretEnd(service, id);
  await call('POST', `/webhooks/${id}/test`);
  await sender().work();
  expect(receiver.verified(secret)).toHaveLength(2);
  expect(() => receiver.verified(former)).toThrow('No matching signature found');
});
