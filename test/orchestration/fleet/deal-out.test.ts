// After the loss of many agents, their replicas are dealt out to the others at once.
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { databaseOn, inTransaction } from '../../../lambda/data/database.ts';
import { Losses } from '../../../lambda/orchestration/fleet/losses.ts';
import { recoverReplicas } from '../../../lambda/orchestration/fleet/recover-replicas.ts';
import { reportReplica } from '../../../lambda/orchestration/fleet/replica-reports.ts';
import { testDatabase } from '../../support/database.ts';
import { fillUsers, insertAgents, insertLiveIntervals, insertLiveStreams } from '../../support/stage-rows.ts';

const database = testDatabase();
const [agents, streams, room] = [60, 600, 40];
/** Agents that hold a third of the 600 streams. */
const lostAgents = Array.from({ length: 20 }, (_, index) => `agent_${index}`);

const ask = async <Row extends object>(sql: string, ...values: unknown[]) =>
  (await database.pool().query<Row>(sql, values)).rows;
const count = async (condition: string, ...values: unknown[]) =>
  (await ask<{ count: number }>(`select count(*)::int as count from replicas where ${condition}`, ...values))[0]!.count;

beforeAll(() => fillUsers(database.pool()));

beforeEach(async () => {
  await database
    .pool()
    .query(`delete from live_intervals; delete from streams; delete from agents; update places set held_until = null`);
  await insertAgents(database.pool(), agents, room);
  await insertLiveStreams(database.pool(), { count: streams, agents, backend: 'manifest' });
  await insertLiveIntervals(database.pool());
  await database.pool().query(
    `update agents set renewing_since = now() - interval '1 hour', lease_expires_at = case
       when id = any ($1) then '-infinity' else now() + interval '1 hour' end, used_share = 10 / $2::float8`,
    [lostAgents, room],
  );
});

it('gives each stream one new holder, whose reports count, and no report of the old one', async () => {
  const [before] = await ask<{ id: string; agent_id: string; epoch: number; stream_id: string }>(
    'select * from replicas where agent_id = $1 limit 1',
    lostAgents[0],
  );
  expect(await recoverReplicas(database.pool(), 'agent_59')).toBe(200);
  expect(await count(`state = 'connecting' and epoch = 2`)).toBe(200);
  expect(await count('agent_id = any ($1) or agent_id is null', lostAgents)).toBe(0);
  expect(await count(`agent_id = 'agent_59' and state = 'connecting'`)).toBe(0);
  expect(await ask(`select from agents where id = any ($1)`, lostAgents)).toEqual([]);
  expect(await ask(`select from streams where state = 'failing'`)).toHaveLength(200);
  expect(await ask('select from live_intervals where ended_at is null')).toHaveLength(400);

  const [after] = await databaseOn(database.pool()).replicas.ofStream(before!.stream_id);
  const report = (claim: { id: string; agent_id: string | null; epoch: number }) =>
    inTransaction(database.pool(), async (data) => {
      const now = await data.now();
      return reportReplica(data, { streamID: before!.stream_id, claim, state: 'live', reason: null, now });
    });
  expect(await report(before!)).toBe(false);
  expect(await report(after!)).toBe(true);
  const renewal = await databaseOn(database.pool()).agentRenewals.renew(after!.agent_id!);
  expect(renewal.holding.get(after!.id)).toBe(2);
});

it('fills no agent beyond its room, and lets wait what fits nowhere', async () => {
  await database.pool().query(`update agents set used_share = 0.9 where id <> 'agent_30'`);
  await recoverReplicas(database.pool(), 'agent_59');
  const held = await ask<{ agent_id: string; held: number }>(
    `select agent_id, count(*)::int as held from replicas where state = 'connecting' group by agent_id`,
  );
  for (const { agent_id: agentID, held: dealt } of held)
    expect(dealt).toBeLessThanOrEqual(agentID === 'agent_30' ? 28 : 2);
  expect(await count(`state = 'waiting' and agent_id is null`)).toBeGreaterThan(50);
});

it('deals streams of users who are funded, and leaves the others to claims within their part', async () => {
  await database.pool().query(
    `update replicas set is_unfunded = true where id in (
    select id from replicas where agent_id = any ($1) order by id limit 150)`,
    [lostAgents],
  );
  await recoverReplicas(database.pool(), 'agent_59');
  expect(await count(`state = 'connecting' and not is_unfunded`)).toBe(50);
  expect(await count(`state = 'waiting' and agent_id is null and is_unfunded`)).toBe(150);
});

it('takes nothing from agents that live, ends what is not wanted, and leaves pairs to be claimed', async () => {
  const [one, two, three] = await ask<{ id: string; stream_id: string }>(
    'select id, stream_id from replicas where agent_id = $1 order by id limit 3',
    lostAgents[0],
  );
  await database.pool().query(`update replicas set wanted = 'ended' where id = any ($1)`, [[one!.id, two!.id]]);
  // A living agent holds the other replica of two of the streams.
  await database.pool().query(
    `insert into replicas (id, stream_id, role, backend, state, agent_id, epoch, cores, cores_beside_gpu, thread,
       memory_mib, network_mbps, gpu_megapixels)
     select 'other_' || s, s, 'backup', 'manifest', 'live', 'agent_40', 7, 1, 0, 0, 0, 0, 0 from unnest($1::text[]) s`,
    [[two!.stream_id, three!.stream_id]],
  );
  await recoverReplicas(database.pool(), 'agent_59');
  expect(await ask(`select id, state, agent_id, epoch from replicas where id like 'other%' order by id`)).toEqual(
    [two!, three!]
      .map(({ stream_id: streamID }) => ({ id: `other_${streamID}`, state: 'live', agent_id: 'agent_40', epoch: 7 }))
      .toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  );
  expect(await count(`id = any ($1) and state = 'ended' and agent_id is null`, [one!.id, two!.id])).toBe(2);
  expect(await count(`id = $1 and state = 'waiting' and agent_id is null`, three!.id)).toBe(1);
});

it('leaves what few agents held to be claimed, which begins at once', async () => {
  await database
    .pool()
    .query(`update agents set lease_expires_at = now() + interval '1 hour' where id = any ($1)`, [lostAgents.slice(1)]);
  await recoverReplicas(database.pool(), 'agent_59');
  expect(await count(`state = 'waiting' and agent_id is null`)).toBe(10);
});

it('deals nothing to agents that have not renewed their leases lately, as they may be lost as well', async () => {
  const silent = Array.from({ length: 5 }, (_, index) => `agent_${index + 30}`);
  await database
    .pool()
    .query(`update agents set used_share = 0, lease_expires_at = now() + interval '2.9 s' where id = any ($1)`, [
      silent,
    ]);
  await recoverReplicas(database.pool(), 'agent_59');
  expect(await count(`state = 'connecting'`)).toBe(200);
  expect(await count(`state = 'connecting' and agent_id = any ($1)`, silent)).toBe(0);
});

it('goes on with agents whose leases end while it recovers, and deals once many streams are lost', async () => {
  const later = lostAgents.slice(10);
  const end = (agentIDs: readonly string[], at: string) =>
    database.pool().query(`update agents set lease_expires_at = ${at} where id = any ($1)`, [agentIDs]);
  await end(later, `now() + interval '1 hour'`);
  const losses = new Losses('agent_59');
  const place = { number: 1, outOf: 1 };
  await inTransaction(database.pool(), async (data) => {
    const first = await losses.lockSome(data, place, [], streams);
    expect(first).toHaveLength(100);
    expect(await losses.dealer(data, place)).toBeNull();
    await end(later, `'-infinity'`);
    const firstIDs = first.map(({ id }) => id);
    expect(await losses.lockSome(data, place, firstIDs, streams)).toHaveLength(100);
    expect(await losses.dealer(data, place)).not.toBeNull();
  });
});

it('is the work of few processes, of which one that died keeps nobody from it for long', async () => {
  const keep = (holder: string) =>
    inTransaction(database.pool(), async (data) => (await data.places.keep('recovery', holder))?.number ?? null);
  expect([await keep('a'), await keep('b')].toSorted()).toEqual([1, 2]);
  expect(await keep('c')).toBeNull();
  expect(await keep('a')).toBe(1);
  await databaseOn(database.pool()).places.leave('recovery', 'a');
  expect(await keep('c')).toBe(1);
  await database.pool().query(`update places set held_until = now() - interval '1 ms' where holder = 'b'`);
  expect(await keep('d')).toBe(2);
});
