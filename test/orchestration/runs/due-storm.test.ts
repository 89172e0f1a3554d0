// Hundreds of due times of thirty users, and processes that are killed at each step: each due time is fired once.
import { beforeAll, describe, expect, it } from 'vitest';
import { databaseOn } from '../../../lambda/data/database.ts';
import type { Replica } from '../../../lambda/data/fleet/replicas.ts';
import { all } from '../../../lambda/data/shared/queryable.ts';
import { kindsOfWork } from '../../../lambda/data/streams/due-times.ts';
import { streamBackends } from '../../../lambda/domain/streams/stream-words.ts';
import { putToRest } from '../../support/account-rest.ts';
import { roomFor } from '../../support/capacities.ts';
import { startFiringStorm } from '../../support/firing-storm.ts';
import type { FiringStorm } from '../../support/firing-storm.ts';
import { until } from '../../support/local-run.ts';
import { testService } from '../../support/service.ts';
import { dataOfEvents } from '../../support/webhook-deliveries.ts';
import { expectConsistent } from '../contradictions.ts';
import { fillStorm, registerAgent } from './fill-storm.ts';
import { groups, idsOf, mostRunning } from './storm-groups.ts';
import type { Outcome } from './storm-groups.ts';

const service = testService();
const pool = () => service.pool();
const rowsOf = <Row extends object>(sql: string, values: unknown[] = []) =>
  all<Row & Record<string, unknown>>(pool(), sql, values);

let steps: FiringStorm['steps'];
let faults: FiringStorm['faults'];

/** Ends the time for which others wait for a dead process: until its accounts and their place are free again. */
async function letAccountsWait(): Promise<void> {
  await pool().query(`update places set held_until = now() where work = 'accounts'`);
  await pool().query(
    `update billing_accounts set due_at = now() where user_id in (
       select user_id from billing_accounts where due_at between now() and now() + interval '10 seconds'
       for update skip locked)`,
  );
}

/** Whether nothing is due, not even because a process with an account may have died. */
async function isNothingDue(): Promise<boolean> {
  const due = await rowsOf(
    `select from due_times where due_at <= now() and not resting
     union all select from billing_accounts where due_at < now() + interval '20 seconds'`,
  );
  return due.length === 0;
}

const hasStarted = async (userID: string) =>
  (await rowsOf(`select from streams where user_id = $1 and status = 'ACTIVE'`, [userID])).length > 0;

beforeAll(async () => {
  const { held } = await fillStorm(service);
  let isHeld = false;
  await using storm = startFiringStorm(pool, service.databaseURL(), async ({ work, next }, isKilled) => {
    if (work === 'accounts' && isKilled) await letAccountsWait();
    if (work !== 'starts' || next !== 'committed' || isHeld) return;
    isHeld = await hasStarted(held.id);
    if (isHeld) await putToRest(service, held.id, 'held');
  });
  ({ steps, faults } = storm);
  await until(async () => faults.length > 0 || (await isNothingDue()));
  const works = Object.entries(Object.groupBy(steps, (step) => step.split(':')[0]!));
  console.log(`killed at each step: ${works.map(([work, its]) => `${its!.length} of ${work}`).join(', ')}`);
});

const outcomeSQL = `select s.state, s.state_reason ->> 'code' as reason,
    array(select cause from stream_transitions where stream_id = s.id order by id) as causes,
    array(select kind from due_times where stream_id = s.id order by kind) as due,
    (select count(*) from replicas where stream_id = s.id and wanted = 'live')::int as wanted,
    (select count(*) from replicas where stream_id = s.id and wanted = 'ended')::int as ending,
    (select count(*) from timeline_entries where stream_id = s.id)::int as entries,
    (select count(*) from live_intervals where stream_id = s.id and ended_at is null)::int as open,
    (select count(*) from live_intervals i join ledger_transactions t on t.cause = 'usage' and t.reference = i.id::text
     where i.stream_id = s.id)::int as paid
  from streams s where id = any ($1) order by id`;
const outcomesOf = (group: string) => rowsOf<Outcome>(outcomeSQL, [idsOf(group)]);

it.each(Object.keys(groups))('streams of the group %s have moved once', async (group) => {
  const { count, outcomes } = groups[group]!;
  const found = await outcomesOf(group);
  expect(found).toHaveLength(count);
  expect(new Set(found.map((each) => JSON.stringify(each))).size).toBe(outcomes.length);
  for (const each of found) expect(outcomes).toContainEqual(each);
});

it('kills at each step of each work, also before and after its commit, and no process fails by itself', () => {
  expect(faults).toEqual([]);
  for (const work of [...Object.keys(kindsOfWork), 'accounts'])
    expect([...steps]).toEqual(expect.arrayContaining([`${work}: commit`, `${work}: committed`]));
  expect([...steps].filter((step) => step.endsWith(': rollback'))).toEqual([]);
});

it('leaves consistent rows, correct books, nothing due, no lock and no place', async () => {
  await expectConsistent(pool());
  expect(await databaseOn(pool()).reconciliation.differences()).toEqual([]);
  expect(await isNothingDue()).toBe(true);
  for (const table of ['streams', 'due_times', 'places', 'users', 'billing_accounts', 'limit_use'])
    await pool().query(`select from ${table} for update nowait`);
  await expect
    .poll(() => rowsOf('select work from places where held_until > clock_timestamp()'), { timeout: 3000 })
    .toEqual([]);
});

describe('a stream that cannot start', () => {
  it.each([
    ['archived', /archived/u],
    ['unready', /^The video is still being examined\. Wait until/u],
    ['missed', /^The start at .* was missed, and the end has passed as well\.$/u],
    ['limited', new RegExp(`^You have ${mostRunning} of at most ${mostRunning} running streams.*Stop a stream`, 'u')],
  ])('of the group %s says why', async (group, words) => {
    const failed = await rowsOf(
      `select state_reason ->> 'detail' as detail from streams where id = any ($1) and state = 'failed'`,
      [idsOf(group)],
    );
    expect(failed).toHaveLength(groups[group]!.count - (group === 'limited' ? mostRunning : 0));
    for (const { detail } of failed) expect(detail).toMatch(words);
  });
});

it('an account at rest starts nothing: its starts rest', async () => {
  const resting = await rowsOf(
    `select from due_times d join streams s on s.id = d.stream_id join users u on u.id = s.user_id
     where resting <> u.is_at_rest`,
  );
  expect(resting).toEqual([]);
});

it('each set of starts wakes agents of its backends, for its own streams, and prepares nothing twice', async () => {
  const sets = await rowsOf<{ woken: number }>(
    `select at, stream_backend, (
         select count(*) from outbox
         where created_at = at and queue = 'publish-' || stream_backend
           and body ->> 'streamID' = any (ids))::int as woken
     from (
       select t.at, s.stream_backend, array_agg(s.id) as ids
       from stream_transitions t join streams s on s.id = t.stream_id
       where cause = 'schedule_start' and exists (select from replicas where stream_id = s.id)
         and t.stream_id = any ($1) group by 1, 2) sets`,
    [Object.keys(groups).flatMap((group) => (groups[group]!.begun ? [] : idsOf(group)))],
  );
  expect(sets.length).toBeGreaterThan(3);
  for (const { woken } of sets) expect(woken).toBeGreaterThan(0);
  const doubled = await rowsOf(
    `select queue, body - 'uploadID' as body from outbox where queue <> 'webhooks' group by 1, 2 having count(*) > 1`,
  );
  expect(doubled).toEqual([]);
});

it('each item that began is notified once', async () => {
  const notified = (await dataOfEvents(service, 'item.started')).map(({ streamID }) => streamID);
  expect(notified.sort()).toEqual(idsOf('onAir').sort());
});

it('a user whose credits are used up is told once which streams were stopped', async () => {
  const told = await rowsOf(
    `select detail -> 'streamIDs' as ids from notifications where kind = 'streams_stopped_without_credits'`,
  );
  expect(told).toEqual([{ ids: idsOf('broke') }]);
});

it('agents claim each replica once', async () => {
  const waiting = await rowsOf<Replica>(`select id from replicas where wanted = 'live' and agent_id is null`);
  const agents = ['a', 'b', 'c', 'd'];
  for (const agent of agents) await registerAgent(service, agent);
  const claimed: Replica[] = [];
  const claim = (agent: string) => databaseOn(pool()).replicaClaims.claim(agent, streamBackends, roomFor(20));
  for (
    let round = await Promise.all(agents.map(claim));
    round.flat().length > 0;
    round = await Promise.all(agents.map(claim))
  )
    claimed.push(...round.flat());
  expect(claimed.map(({ id }) => id).sort()).toEqual(waiting.map(({ id }) => id).sort());
  expect(new Set(claimed.map(({ epoch }) => epoch))).toEqual(new Set([1]));
});
