// Waiting and stored deliveries of a webhook are limited, whatever its receiver and its user do.
import { expect, it } from 'vitest';
import { databaseOn } from '../../lambda/data/database.ts';
import { all } from '../../lambda/data/shared/queryable.ts';
import { bounds } from '../../lambda/domain/shared/bounds.ts';
import { sweep } from '../../lambda/jobs/sweep.ts';
import { createPostgresCommandQueue } from '../../lambda/ports/command-queue/postgres-command-queue.ts';
import { createOutboxTimers } from '../../lambda/ports/timers/outbox-timers.ts';
import { startOptions, storage } from '../support/actors.ts';
import { testService } from '../support/service.ts';
import type { TestUser } from '../support/service.ts';

const service = testService();

/** Records a number of events of a user. */
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
    storage,
    clock: () => new Date(),
  });
const numbers = async (webhookID: string, state = 'pending') =>
  (
    await all<{ n: number }>(
      service.pool(),
      `select (data ->> 'n')::int as n from webhook_deliveries d join events e on e.id = event_id
       where webhook_id = $1 and state = $2 order by d.seq`,
      [webhookID, state],
    )
  ).map(({ n }) => n);

it(
  'the oldest of too many that wait fail, of each webhook, and the user is told once a day',
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
      expect(await numbers(id, 'failed')).toEqual(Array.from({ length: 35 }, (_, index) => index + 1));
      const { data } = (await user.call('GET', `/webhooks/${id}/deliveries?state=failed&limit=1`)).body;
      expect(data).toMatchObject([{ failure: { code: 'overflowed' } }]);
      const again = await user.call('POST', `/webhooks/${id}/deliveries/${data[0].id}/redeliver`);
      expect(again.body).toMatchObject({ state: 'pending', failure: null });
    }
    const told = await all<{ kind: string }>(service.pool(), 'select kind from notifications where user_id = $1', [
      user.id,
    ]);
    expect(told.map(({ kind }) => kind)).toEqual(['webhook_overflowed', 'webhook_overflowed']);
  },
);

it('all webhooks of a user have a bound together, and nobody else loses anything', async () => {
  const { webhookDeliveries } = databaseOn(service.pool());
  const [many, other] = [await service.user(), await service.user()];
  const ids = [await webhookOf(many), await webhookOf(many), await webhookOf(many)];
  const othersID = await webhookOf(other);
  await record(many, 4);
  await record(other, 4);
  const excess = async () => (await webhookDeliveries.excess(5, 9)).filter(({ userID }) => userID === many.id);
  const found = await excess();
  expect(found.map(({ webhookID }) => webhookID).toSorted()).toEqual(ids.toSorted());
  for (const one of found) expect(await webhookDeliveries.failExcess(one)).toBe(true);
  expect(await excess()).toEqual([]);
  for (const id of ids) expect([await numbers(id), await numbers(id, 'failed')]).toEqual([[2, 3, 4], [1]]);
  expect(await numbers(othersID)).toEqual([1, 2, 3, 4]);
});

it('of those that were taken, only so many are kept', { timeout: 30_000 }, async () => {
  const user = await service.user();
  const id = await webhookOf(user);
  await record(user, bounds.keptDeliveriesPerWebhook + 10);
  await service.pool().query(`update webhook_deliveries set state = 'delivered' where webhook_id = $1`, [id]);
  await databaseOn(service.pool()).webhookDeliveries.deleteExcess(bounds.keptDeliveriesPerWebhook);
  expect((await numbers(id, 'delivered'))[0]).toBe(11);
  const events = await all(service.pool(), 'select from events where user_id = $1', [user.id]);
  expect(events).toHaveLength(bounds.keptDeliveriesPerWebhook);
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

it('of many uploads with one content, the last hundred of each user are told to be looked through', async () => {
  const [many, one, deaf] = [await service.user(), await service.user(), await service.user()];
  for (const user of [many, one])
    await user.call('POST', '/webhooks', { url: 'http://127.0.0.1:9/', events: ['upload.examined'] });
  await service.pool().query(
    `insert into uploads (id, user_id, name, mime_type, type, object_key, content_hash)
     select user_id || lpad(n::text, 4, '0'), user_id, 'x', 'video/mp4', 'video', user_id || n, 'same'
     from (values ($1, 120), ($2, 1), ($3, 120)) of_user (user_id, count), generate_series(1, count::int) n`,
    [many.id, one.id, deaf.id],
  );
  await service.pool().query(
    `insert into inspections (content_hash, user_id, turn) values ('same', $1, 0)
    on conflict (content_hash) do nothing`,
    [many.id],
  );
  await service.pool().query(`update inspections set state = 'completed' where content_hash = 'same'`);
  const told = await all<{ user_id: string; first: string; count: number }>(
    service.pool(),
    `select user_id, min(subject_id) as first, count(*)::int from events where type = 'upload.examined'
     group by user_id order by count`,
  );
  expect(told).toEqual([
    { user_id: one.id, first: `${one.id}0001`, count: 1 },
    { user_id: many.id, first: `${many.id}0021`, count: 100 },
  ]);
});
