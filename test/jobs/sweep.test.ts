// The minute sweep finds what everybody else forgot, and one failure does not keep it from the rest.
import { beforeEach, expect, it } from 'vitest';
import { sweep } from '../../lambda/jobs/sweep.ts';
import type { SweepParts } from '../../lambda/jobs/sweep.ts';
import { createPostgresCommandQueue } from '../../lambda/ports/command-queue/postgres-command-queue.ts';
import { createOutboxTimers } from '../../lambda/ports/timers/outbox-timers.ts';
import { actorsOn, inFuture, starting } from '../orchestration/actors.ts';
import { testService } from '../support/service.ts';

const service = testService();
const { activeStream, call, commands, fallDue, loseLease, readyStream, register, stream } = actorsOn(service);
const runSweep = (other: Partial<SweepParts> = {}) =>
  sweep({
    pool: service.pool(),
    queue: createPostgresCommandQueue({ pool: service.pool(), log: () => {} }),
    timers: createOutboxTimers(service.pool()),
    starting,
    clock: () => new Date(),
    ...other,
  });
const timers = async () =>
  (await service.pool().query(`select timer_id, visible_at, body from outbox where queue = 'timers'`)).rows;

let lost: string;
let due: string;
let soon: string;
const soonAt = inFuture(100);

beforeEach(async () => {
  await register('dying');
  lost = (await activeStream('dying')).id;
  [due, soon] = [await readyStream(), await readyStream()];
  await call('POST', `/streams/${due}/schedule`, { scheduleStartAt: inFuture(3600) });
  await call('POST', `/streams/${soon}/schedule`, { scheduleStartAt: soonAt, scheduleEndAt: inFuture(3600) });
  await fallDue(due, 'schedule_start');
  await loseLease('dying');
  await service.pool().query(
    `insert into idempotent_answers (user_id, operation_id, key, request_sha256, status, headers, body, created_at)
     select id, 'x', age::text, '', 200, '{}', '', now() - make_interval(hours => age) from users, unnest(array[1, 25]) as age where id = (select min(id) from users)
     on conflict do nothing`,
  );
});

it('recovers, fires, arms one timer for what comes soon, and forgets old answers', async () => {
  await runSweep();
  expect([(await stream(lost)).state, (await stream(due)).state]).toEqual(['failing', 'activating']);
  const armed = (await timers()).filter((timer) => timer.timer_id.startsWith(soon));
  expect(armed).toEqual([
    { timer_id: `${soon}-schedule_start`, visible_at: new Date(soonAt), body: { streamID: soon } },
  ]);
  expect((await service.pool().query('select key from idempotent_answers')).rows).toEqual([{ key: '1' }]);
  const before = await commands();
  await runSweep();
  expect(await commands()).toEqual(before);
});

it('arms the timer again when the time has moved', async () => {
  await runSweep();
  const scheduleStartAt = inFuture(120);
  await call('PATCH', `/streams/${soon}`, { scheduleStartAt });
  await runSweep();
  expect((await timers()).find((timer) => timer.timer_id.startsWith(soon)).visible_at.toISOString()).toBe(
    scheduleStartAt,
  );
});

it('does everything else when one thing fails, and says what failed', async () => {
  const arm = () => Promise.reject(new Error('no timers today'));
  await expect(runSweep({ timers: { arm, disarm: arm } })).rejects.toThrow('no timers today');
  expect([(await stream(lost)).state, (await stream(due)).state]).toEqual(['failing', 'activating']);
  expect((await service.pool().query('select key from idempotent_answers')).rows).toEqual([{ key: '1' }]);
});

it('has webhooks served that were left behind, but none that somebody has or nobody wants, and forgets old events', async () => {
  const {
    rows: [event],
  } = await service
    .pool()
    .query(
      `insert into events (user_id, type, subject_id, data) select min(id), 'stream.state_changed', 'x', '{}' from users returning id, user_id`,
    );
  const makeWebhook = async (id: string, columns: string) => {
    await service
      .pool()
      .query(
        `insert into webhooks (id, user_id, url, events, sealed_secret, leased_until, enabled) select $1, $2, 'x', '{x}', '', ${columns}`,
        [id, event.user_id],
      );
    await service
      .pool()
      .query(
        `insert into webhook_deliveries (event_id, webhook_id, next_attempt_at) values ($2, $1, now() - interval '2 minutes')`,
        [id, event.id],
      );
  };
  await makeWebhook('left', `now() - interval '1 second', true`);
  await makeWebhook('held', `now() + interval '10 seconds', true`);
  await makeWebhook('disabled', 'null, false');
  const old = `insert into events (id, user_id, type, subject_id, data, at) select $1, $2, 'x', 'x', '{}', now() - interval '31 days'`;
  for (const id of ['old', 'old and on its way']) await service.pool().query(old, [id, event.user_id]);
  await service
    .pool()
    .query(
      `insert into webhook_deliveries (event_id, webhook_id, next_attempt_at) values ('old and on its way', 'left', now() + interval '1 hour')`,
    );
  await service.pool().query(`delete from outbox where queue = 'webhooks'`);
  await runSweep();
  expect((await commands()).filter(({ queue }) => queue === 'webhooks')).toEqual([
    { queue: 'webhooks', body: { webhookID: 'left' } },
  ]);
  expect((await service.pool().query('select id from events order by at')).rows).toEqual([
    { id: 'old and on its way' },
    { id: event.id },
  ]);
});

it('gives up what was told to a webhook in the moment in which it was disabled', async () => {
  const { body: webhook } = await call('POST', '/webhooks', {
    url: 'http://127.0.0.1:9/',
    events: ['stream.state_changed'],
  });
  const elsewhere = await service.pool().connect();
  await elsewhere.query('begin');
  await elsewhere.query(
    `select record_event((select user_id from webhooks where id = $1), 'stream.state_changed', 'x', '{}')`,
    [webhook.id],
  );
  expect((await call('PATCH', `/webhooks/${webhook.id}`, { enabled: false })).status).toBe(200);
  await elsewhere.query('commit');
  elsewhere.release();
  await runSweep();
  expect((await call('GET', `/webhooks/${webhook.id}/deliveries`)).body.data).toMatchObject([
    { state: 'failed', failure: { code: 'webhook_disabled' }, nextAttemptAt: null },
  ]);
});
