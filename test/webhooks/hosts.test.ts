// Many users' webhooks at one silent host occupy few senders, and a host that answers frees them.
import { beforeEach, describe, expect, it } from 'vitest';
import { all } from '../../lambda/data/shared/queryable.ts';
import { webhookSenders } from '../../lambda/data/notices/webhook-senders.ts';
import { webhookHost } from '../../lambda/domain/shared/outbound-limits.ts';
import { createSealer } from '../../lambda/ports/sealer/sealer.ts';
import { testDataKey, testService } from '../support/service.ts';
import type { TestUser } from '../support/service.ts';
import { clearCommands } from '../support/outbox-rows.ts';
import { clearEvents, countForgottenDeliveries, makeDeliveriesDue } from '../support/webhook-deliveries.ts';
import { startReceiver } from './receiver.ts';
import { testSender } from './sender.ts';

const service = testService();
const senders = () => webhookSenders(service.pool());
const sender = (timeoutMs: number) =>
  testSender(service.pool(), createSealer([testDataKey]), { attempts: { timeoutMs } });
const webhookOf = async (user: TestUser, url: string) =>
  (await user.call('POST', '/webhooks', { url, events: ['stream.state_changed'] })).body.id as string;
const happenTo = (user: TestUser, subject = 'str_1') =>
  service.pool().query(`select record_event($1, 'stream.state_changed', $2, '{}')`, [user.id, subject]);
const lease = (id: string) => senders().lease(id, 30, 4, webhookHost);
const users = (count: number) => Promise.all(Array.from({ length: count }, () => service.user()));
const letTake = (id: string) =>
  service.pool().query('update webhooks set last_delivered_at = now() where id = $1', [id]);

beforeEach(async () => {
  await clearEvents(service);
  await clearCommands(service);
});

describe('senders to a host', () => {
  const url = 'https://hooks.example.com/a';
  /** Leases of the webhooks of a number of users at the host. @returns the ids of their webhooks */
  const leaseOfMany = async (count: number) => {
    const ids = [];
    for (const user of await users(count)) {
      const id = await webhookOf(user, `https://HOOKS.example.com/${ids.length}`);
      await happenTo(user);
      await letTake(id);
      expect(await lease(id)).toMatchObject({ id });
      ids.push(id);
    }
    return ids;
  };

  it('are few for whoever has taken nothing yet, more for whoever has, and do not count elsewhere', async () => {
    const leased = await leaseOfMany(webhookHost.mostOfOthers);
    const [user] = await users(1);
    const [fresh, known, elsewhere] = [
      await webhookOf(user!, url),
      await webhookOf(user!, url),
      await webhookOf(user!, 'https://hooks.example.com:8443/a'),
    ];
    await happenTo(user!);
    await letTake(known);
    expect(await lease(fresh)).toBeNull();
    expect(await lease(known)).toMatchObject({ id: known });
    expect(await lease(elsewhere)).toMatchObject({ id: elsewhere });
    await senders().release(leased[0]!, { hasAnswered: true, hasDelivered: true });
    expect(await lease(fresh)).toMatchObject({ id: fresh });
  });

  it('of one user count for others only', async () => {
    const [user] = await users(1);
    for (let count = 0; count < webhookHost.mostOfOthers; count++) {
      const id = await webhookOf(user!, url);
      await happenTo(user!, `str_${count}`);
      expect(await lease(id)).toMatchObject({ id });
    }
  });

  it('who finds none free comes again later, with one command, and loses nothing', async () => {
    await leaseOfMany(webhookHost.mostOfOthers);
    const [user] = await users(1);
    const id = await webhookOf(user!, url);
    await happenTo(user!);
    await clearCommands(service);
    await sender(100).carryOut({ webhookID: id });
    await happenTo(user!, 'str_2');
    const commands = await all<{ late: number }>(
      service.pool(),
      `select extract(epoch from visible_at - now())::float8 as late from outbox where body ->> 'webhookID' = $1`,
      [id],
    );
    expect(commands).toHaveLength(1);
    expect(commands[0]!.late).toBeGreaterThan(webhookHost.busyForSeconds / 2);
    const waiting = await all(service.pool(), `select from webhook_deliveries where webhook_id = $1`, [id]);
    expect(waiting).toHaveLength(2);
  });
});

describe('a host that answers nobody', () => {
  it('is left alone for all users after a few of them, and is called again when one got an answer', async () => {
    await using hanging = await startReceiver();
    hanging.answer = () => {};
    const many = await users(webhookHost.silentForUsers + 5);
    const ids = [];
    for (const user of many) ids.push(await webhookOf(user, `${hanging.url}${user.id}`));
    for (const [index, user] of many.entries()) {
      await happenTo(user);
      await sender(100).carryOut({ webhookID: ids[index]! });
    }
    expect(hanging.received).toHaveLength(webhookHost.silentForUsers);
    expect(await countForgottenDeliveries(service)).toBe(0);
    // A webhook whose receiver is known to answer still gets its events.
    const [known] = await users(1);
    const knownID = await webhookOf(known!, hanging.url);
    await letTake(knownID);
    await happenTo(known!);
    hanging.answer = (response) => response.writeHead(204).end();
    await sender(1000).carryOut({ webhookID: knownID });
    expect(hanging.received).toHaveLength(webhookHost.silentForUsers + 1);
    expect(await all(service.pool(), 'select from webhook_hosts')).toEqual([]);
    // A few at a time, all receive the events.
    for (let round = 0; round < many.length / webhookHost.mostOfOthers; round++) {
      await makeDeliveriesDue(service);
      await sender(1000).work();
    }
    const states = await all<{ state: string }>(service.pool(), 'select distinct state from webhook_deliveries');
    expect(states).toEqual([{ state: 'delivered' }]);
  });

  it('is called ever more rarely, however many webhooks it has', async () => {
    await using hanging = await startReceiver();
    hanging.answer = () => {};
    const many = await users(webhookHost.silentForUsers);
    for (const user of many) {
      await webhookOf(user, `${hanging.url}${user.id}`);
      await happenTo(user);
      await sender(100).work();
    }
    const waits: number[] = [];
    for (let turn = 0; turn < 5; turn++) {
      const [host] = await all<{ seconds: number }>(
        service.pool(),
        'select extract(epoch from silent_until - now())::float8 as seconds from webhook_hosts',
      );
      waits.push(host!.seconds);
      await makeDeliveriesDue(service);
      await sender(100).work();
    }
    expect(waits).toEqual(waits.toSorted((a, b) => a - b));
    expect(waits.at(-1)).toBeGreaterThan(webhookHost.mostSilenceSeconds * 0.9);
    expect(waits.at(-1)).toBeLessThanOrEqual(webhookHost.mostSilenceSeconds);
  });

  it('of one user is nobody else’s concern', async () => {
    await using hanging = await startReceiver();
    hanging.answer = () => {};
    const [one, other] = await users(2);
    for (let count = 0; count < 8; count++) await webhookOf(one!, `${hanging.url}${count}`);
    await happenTo(one!);
    await sender(100).work();
    const id = await webhookOf(other!, hanging.url);
    await happenTo(other!);
    hanging.answer = (response) => response.writeHead(204).end();
    await sender(1000).carryOut({ webhookID: id });
    const [delivery] = await all(service.pool(), 'select state from webhook_deliveries where webhook_id = $1', [id]);
    expect(delivery).toEqual({ state: 'delivered' });
  });
});
