// What waits for a webhook, and what is kept of it, is bounded, whatever its receiver and its user do.
import { expect, it } from 'vitest';
import { databaseOn } from '../../lambda/data/database.ts';
import { all } from '../../lambda/data/queryable.ts';
import { bounds } from '../../lambda/domain/limits.ts';
import { sweep } from '../../lambda/jobs/sweep.ts';
import { createPostgresCommandQueue } from '../../lambda/ports/command-queue/postgres-command-queue.ts';
import { createOutboxTimers } from '../../lambda/ports/timers/outbox-timers.ts';
import { startOptions } from '../support/actors.ts';
import { testService } from '../support/service.ts';
import type { TestUser } from '../support/service.ts';

const service = testService();

/** Records so many events of a user. */
const record = (user: TestUser, count: number) =>
  service.pool().query(
    `select record_event($1, 'stream.state_changed', 'str_' || n, json_build_object('n', n))
     from generate_series(1, $2::int) n`,
    [user.id, count],
  );
const webhookOf = async (user: TestUser) =>
  (await user.call('POST', '/webhooks', { url: 'http://127.0.0.1:9/', events: ['stream.state_changed'] })).body
    .id as string;
const runSweep = () =>
  sweep({
    pool: service.pool(),
    queue: createPostgresCommandQueue({ pool: service.pool(), log: () => {} }),
    timers: createOutboxTimers(service.pool()),
    startOptions,
    clock: () => new Date(),
  });
const numbers = async (webhookID: string) =>
  (
    await all<{ n: number }>(
      service.pool(),
      `select (data ->> 'n')::int as n from webhook_deliveries d join events e on e.id = event_id
       where webhook_id = $1 order by d.seq`,
      [webhookID],
    )
  ).map(({ n }) => n);

it(
  'the oldest of too many that wait are dropped, of each webhook, and the user is told once a day',
  { timeout: 30_000 },
  async () => {
    const user = await service.user();
    const [one, other] = [await webhookOf(user), await webhookOf(user)];
    await record(user, bounds.pendingDeliveriesPerWebhook + 30);
    await runSweep();
    await record(user, 5);
    await runSweep();
    for (const id of [one, other]) {
      const kept = await numbers(id);
      expect(kept).toHaveLength(bounds.pendingDeliveriesPerWebhook);
      expect([kept[0], ...kept.slice(-2)]).toEqual([36, 4, 5]);
    }
    const events = await all(service.pool(), 'select from events where user_id = $1', [user.id]);
    expect(events).toHaveLength(bounds.pendingDeliveriesPerWebhook);
    const told = await all<{ kind: string }>(service.pool(), 'select kind from notifications where user_id = $1', [
      user.id,
    ]);
    expect(told.map(({ kind }) => kind)).toEqual(['webhook_overflowed', 'webhook_overflowed']);
  },
);

it('of those that were taken, only so many are kept', { timeout: 30_000 }, async () => {
  const user = await service.user();
  const id = await webhookOf(user);
  await record(user, bounds.keptDeliveriesPerWebhook + 10);
  await service.pool().query(`update webhook_deliveries set state = 'delivered' where webhook_id = $1`, [id]);
  await databaseOn(service.pool()).webhookDeliveries.dropExcess(
    bounds.pendingDeliveriesPerWebhook,
    bounds.keptDeliveriesPerWebhook,
  );
  expect((await numbers(id))[0]).toBe(11);
  expect(await all(service.pool(), 'select from notifications where user_id = $1', [user.id])).toEqual([]);
});

it('events that come while others wait send no more commands', async () => {
  const user = await service.user();
  const id = await webhookOf(user);
  for (let round = 0; round < 20; round++) await record(user, 1);
  const commands = await all(
    service.pool(),
    `select from outbox where queue = 'webhooks' and body ->> 'webhookID' = $1`,
    [id],
  );
  expect(commands).toHaveLength(8);
});
