// The sweep of each minute finds forgotten work, and one failure does not keep it from the rest.
import { beforeEach, expect, it, vi } from 'vitest';
import { createPoolLike } from '../../lambda/data/shared/queryable.ts';
import { bounds } from '../../lambda/domain/shared/bounds.ts';
import { sweep } from '../../lambda/jobs/sweep.ts';
import type { SweepOptions } from '../../lambda/jobs/sweep.ts';
import { createPostgresCommandQueue } from '../../lambda/ports/command-queue/postgres-command-queue.ts';
import { createOutboxTimers } from '../../lambda/ports/timers/outbox-timers.ts';
import { actorsOn, inFuture, startOptions, storage } from '../support/actors.ts';
import { keepOldAnswer, keptAnswersOf } from '../support/kept-answers.ts';
import { commandsTo, takeCommands } from '../support/outbox-rows.ts';
import { testService } from '../support/service.ts';
import { clearEvents, eventIDs } from '../support/webhook-deliveries.ts';

const service = testService();
const { activeStream, call, commands, fallDue, loseLease, readyStream, register, stream, user } = actorsOn(service);
const runSweep = (other: Partial<SweepOptions> = {}) =>
  sweep({
    pool: service.pool(),
    queue: createPostgresCommandQueue({ pool: service.pool(), log: () => {} }),
    timers: createOutboxTimers(service.pool()),
    startOptions,
    storage,
    clock: () => new Date(),
    ...other,
  });
/** The timers that are set. */
const timers = async () =>
  (await service.pool().query(`select timer_id, visible_at, body from outbox where queue = 'timers'`)).rows;
/** The timer of the whole second in which a time has come. */
const timerOf = (time: string) => {
  const second = new Date(Math.ceil(Date.parse(time) / 1000) * 1000);
  return { timer_id: `due-${second.toISOString()}`, visible_at: second, body: { dueBy: second.toISOString() } };
};
const keptKeys = async () => (await keptAnswersOf(service, user().id)).map(({ key }) => key);

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
  for (const hoursAgo of [1, 25])
    await keepOldAnswer(service, { userID: user().id, key: `${hoursAgo} hours old`, hoursAgo });
});

it('the sweep recovers streams, fires what is due, arms timers for soon, and forgets old answers', async () => {
  await runSweep();
  expect([(await stream(lost)).state, (await stream(due)).state]).toEqual(['failing', 'activating']);
  expect(await timers()).toContainEqual(timerOf(soonAt));
  expect(await keptKeys()).toEqual(['1 hours old']);
  const before = await commands();
  await runSweep();
  expect(await commands()).toEqual(before);
});

it('the sweep needs one connection, as its function may have no more', async () => {
  const pool = createPoolLike(service.pool(), { max: 1, connectionTimeoutMillis: 5000 });
  try {
    await runSweep({
      pool,
      timers: createOutboxTimers(pool),
      queue: createPostgresCommandQueue({ pool, log: () => {} }),
    });
  } finally {
    await pool.end();
  }
  expect([(await stream(lost)).state, (await stream(due)).state]).toEqual(['failing', 'activating']);
});

it('the sweep arms a timer for another second when a time has moved', async () => {
  await runSweep();
  const scheduleStartAt = inFuture(120);
  await call('PATCH', `/streams/${soon}`, { scheduleStartAt });
  await runSweep();
  expect(await timers()).toContainEqual(timerOf(scheduleStartAt));
});

it('a thousand streams that start in one second have one timer', async () => {
  await service.pool().query(
    `insert into streams (id, user_id, state)
     select 'str_full_' || n, $1, 'scheduled' from generate_series(1, 1000) n`,
    [user().id],
  );
  const second = new Date(Math.ceil(Date.now() / 1000) * 1000 + 60_000);
  await service.pool().query(
    `insert into due_times (stream_id, kind, due_at)
     select 'str_full_' || n, 'schedule_start', $1::timestamptz - n * interval '0.5 ms'
     from generate_series(1, 1000) n`,
    [second],
  );
  await runSweep();
  const armed: string[] = [];
  const arm = (id: string) => Promise.resolve(void armed.push(id));
  await service.pool().query('update due_times set timer_armed = false');
  await runSweep({ timers: { arm, disarm: arm } });
  expect(armed.filter((id) => id.includes(second.toISOString()))).toHaveLength(1);
  await runSweep({ timers: { arm: () => Promise.reject(new Error('all have a timer')), disarm: arm } });
});

it('the sweep does everything else when one thing fails, and says what failed', async () => {
  const arm = () => Promise.reject(new Error('no timers today'));
  await expect(runSweep({ timers: { arm, disarm: arm } })).rejects.toThrow('no timers today');
  expect([(await stream(lost)).state, (await stream(due)).state]).toEqual(['failing', 'activating']);
  expect(await keptKeys()).toEqual(['1 hours old']);
});

it('the next sweeps do everything else when one thing takes all the time of their functions', async () => {
  const endless = { arm: () => new Promise<never>(() => {}), disarm: async () => {} };
  void runSweep({ timers: endless, turn: 0 });
  await vi.waitUntil(async () => (await stream(due)).state === 'activating');
  expect(await keptKeys()).toHaveLength(2);
  void runSweep({ timers: endless, turn: 1 });
  await vi.waitUntil(async () => (await keptKeys()).length === 1);
});

it('a sweep of each hour deletes runs beyond the bound that earlier ones did not reach', async () => {
  await service.pool().query(
    `insert into past_runs (stream_id, anchored_at, ended_at, kept_at, quality, framerate, bytes)
     select $1, at, at, at, 'q_720p', 'f_30', $2 from (
       select now() - n * interval '3 hours' as at from generate_series(1, 3) n) ends`,
    [soon, bounds.keptRunBytesOfUser.funded],
  );
  const runs = async () => (await service.pool().query('select from past_runs where stream_id = $1', [soon])).rowCount;
  await runSweep({ turn: 60 });
  expect(await runs()).toBe(3);
  await runSweep({ turn: 61 });
  expect(await runs()).toBe(1);
});

/** Stores an event of the user that happened this many days ago. */
const storeEvent = (id: string, daysAgo: number) =>
  service.pool().query(
    `insert into events (id, user_id, type, subject_id, data, at)
     values ($1, $2, 'stream.state_changed', 'x', '{}', now() - make_interval(days => $3))`,
    [id, user().id, daysAgo],
  );

interface StoredWebhook {
  readonly id: string;
  /** Remaining time of a sender's lease. Default: no lease. */
  readonly leasedForSeconds?: number;
  readonly enabled?: boolean;
}

/** Stores a webhook of the user. */
const storeWebhook = ({ id, leasedForSeconds, enabled = true }: StoredWebhook) =>
  service.pool().query(
    `insert into webhooks (id, user_id, url, events, sealed_secret, leased_until, enabled)
     values ($1, $2, 'x', '{x}', '', now() + make_interval(secs => $3), $4)`,
    [id, user().id, leasedForSeconds, enabled],
  );

/** Stores a delivery of an event to a webhook, due in this many seconds. */
const storeDelivery = (eventID: string, webhookID: string, inSeconds: number) =>
  service.pool().query(
    `insert into webhook_deliveries (event_id, webhook_id, next_attempt_at)
     values ($1, $2, now() + make_interval(secs => $3))`,
    [eventID, webhookID, inSeconds],
  );

it('the sweep has a webhook served that its sender left, and none that a sender has or that is disabled', async () => {
  // It reports its findings about streams once.
  await runSweep();
  await clearEvents(service);
  await storeEvent('new', 0);
  await storeWebhook({ id: 'left', leasedForSeconds: -1 });
  await storeWebhook({ id: 'held', leasedForSeconds: 10 });
  await storeWebhook({ id: 'disabled', enabled: false });
  for (const webhookID of ['left', 'held', 'disabled']) await storeDelivery('new', webhookID, -120);
  await takeCommands(service, 'webhooks');
  await runSweep();
  const served = (await commandsTo(service, 'webhooks')).filter((command) => 'webhookID' in command);
  expect(served).toEqual([{ webhookID: 'left' }]);
});

it('the sweep forgets events of more than 30 days ago, but those that are still on their way', async () => {
  await clearEvents(service);
  await storeWebhook({ id: 'slow' });
  await storeEvent('recent', 29);
  for (const id of ['old', 'old and on its way']) await storeEvent(id, 31);
  await storeDelivery('old and on its way', 'slow', 3600);
  await runSweep();
  expect(await eventIDs(service)).toEqual(['old and on its way', 'recent']);
});

/** Records an event of the webhook's user, in an open transaction. @returns a function that commits it */
async function beginRecordingEvent(webhookID: string): Promise<() => Promise<void>> {
  const client = await service.pool().connect();
  await client.query('begin');
  await client.query(
    `select record_event((select user_id from webhooks where id = $1), 'stream.state_changed', 'x', '{}')`,
    [webhookID],
  );
  return async () => {
    await client.query('commit');
    client.release();
  };
}

it('the sweep gives up a delivery that was recorded while its webhook was being disabled', async () => {
  const { body: webhook } = await call('POST', '/webhooks', {
    url: 'http://127.0.0.1:9/',
    events: ['stream.state_changed'],
  });
  const commit = await beginRecordingEvent(webhook.id);
  expect((await call('PATCH', `/webhooks/${webhook.id}`, { enabled: false })).status).toBe(200);
  await commit();
  await runSweep();
  expect((await call('GET', `/webhooks/${webhook.id}/deliveries`)).body.data).toMatchObject([
    { state: 'failed', failure: { code: 'webhook_disabled' }, nextAttemptAt: null },
  ]);
});

it('the sweep bounds the history of a stream by number and by age, and what is left is still read', async () => {
  const history = async (id: string) =>
    (await service.pool().query('select id from stream_transitions where stream_id = $1 order by id', [id])).rows.map(
      (row) => row.id as number,
    );
  // Pairs of moves. The last one has led to the current state of the stream.
  const [{ last }] = (
    await service.pool().query(
      `with added as (
         insert into stream_transitions (stream_id, from_state, to_state, cause)
         select $1, case n % 2 when 1 then state else 'draft' end,
           case n % 2 when 1 then 'draft' else state end, 'start'
         from streams, generate_series(1, 300) n where id = $1 returning id)
       select max(id)::bigint as last from added`,
      [due],
    )
  ).rows;
  await service.pool().query('update streams set last_transition_id = $2 where id = $1', [due, last]);
  await service
    .pool()
    .query(`update stream_transitions set at = now() - interval '91 days' where stream_id = $1`, [soon]);
  await runSweep();
  const kept = await history(due);
  expect([kept.length, await history(soon)]).toEqual([bounds.keptTransitionsPerStream, []]);
  const { transitions, state, streamStateID } = await stream(due);
  expect([transitions.length, transitions[0].id, transitions[0].to]).toEqual([20, streamStateID, state]);
  expect((await stream(soon)).transitions).toEqual([]);
  // A stream without history still moves.
  expect((await call('DELETE', `/streams/${soon}/schedule`)).body.transitions).toHaveLength(1);
});

it('deletes all old drawings and captions that nothing uses, however many one user has left', async () => {
  await service.pool().query(
    `insert into drawings (name, drawing, noted_at)
       select 'v' || lpad(n::text, 16, '0') || 'a', '{}', now() - interval '25 hours' from generate_series(1, 12000) n;
     insert into captions (hash, file, noted_at)
       select 'unused' || n, 'x', now() - interval '25 hours' from generate_series(1, 6000) n`,
  );
  await runSweep();
  const count = 'select (select count(*) from drawings) + (select count(*) from captions) as rows';
  expect((await service.pool().query(count)).rows).toEqual([{ rows: 0 }]);
});
