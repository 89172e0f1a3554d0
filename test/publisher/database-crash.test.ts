// The database server is killed and recovers: streams go on meanwhile, and what was being written is there wholly or not at all.
import { describe, expect, it, onTestFinished } from 'vitest';
import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { actorsOn } from '../orchestration/actors.ts';
import { crashingPostgres } from '../support/crashing-postgres.ts';
import { keysOf, testFleet } from '../support/prepared-fleet.ts';
import { testService } from '../support/service.ts';

/** Longer than a lease. */
const outageMs = 8000;

const database = crashingPostgres();
const service = testService({ database });
const actors = actorsOn(service);
const { causes, create, stream, upload } = actors;
const { fleet, ingest, liveStreams, publications, untilLive, untilState } = testFleet(service, actors);

async function leases(): Promise<unknown[]> {
  const { rows } = await service
    .pool()
    .query(
      `select a.id, count(r.id)::int as streams, lease_expires_at > now() as renewed from agents a left join replicas r on r.agent_id = a.id group by a.id order by a.id`,
    );
  return rows;
}

it('costs ten streams on two agents no frame, doubles none, and changes no state', { timeout: 120_000 }, async () => {
  for (const name of ['first', 'second']) fleet().agent(name, { slots: 5 });
  const keys = keysOf(10);
  const ids = await liveStreams(keys);
  await untilState(ids, 'active');
  const before = await Promise.all(ids.map(causes));
  await database.kill();
  await setTimeout(outageMs);
  await database.start();
  // Longer than anybody may take to find it again, and than others wait for them.
  await setTimeout(15_000);
  expect(await leases()).toEqual(['first', 'second'].map((id) => ({ id, streams: 5, renewed: true })));
  await untilState(ids, 'active');
  expect(await Promise.all(ids.map(causes))).toEqual(before);
  for (const key of keys) {
    expect(publications(key)).toHaveLength(1);
    expect(publications(key)[0]).toMatchObject({ endedAtMs: null, longestStepMs: 34 });
  }
});

describe('a start that was under way', { timeout: 60_000 }, () => {
  const draft = async (key: string) =>
    create('/streams', {
      destinationID: await create('/destinations', { name: 'ingest', rtmpURL: ingest().rtmpURL, streamKey: key }),
      videoUploadObjectID: await upload({ durationSeconds: 2 }),
      streamBackend: 'manifest',
      quality: 'q_720p',
      framerate: 'f_30',
    });
  const start = (id: string) =>
    actors.user().call('POST', `/streams/${id}/start`, undefined, { 'idempotency-key': `start-${id}` });
  const withReplica = async () =>
    (await service.pool().query<{ stream_id: string }>('select stream_id from replicas')).rows.map(
      (row) => row.stream_id,
    );

  async function expectOneStartOfEach(ids: readonly string[], keys: readonly string[]): Promise<void> {
    fleet().agent('agent');
    await untilLive(keys);
    await untilState(ids, 'active');
    for (const id of ids) expect((await causes(id)).filter((cause) => cause === 'start')).toHaveLength(1);
    for (const key of keys) expect(publications(key)).toHaveLength(1);
  }

  it('is not there at all when its transaction was open, and can be repeated with its Idempotency-Key', async () => {
    const keys = keysOf(4);
    const ids = await Promise.all(keys.map(draft));
    // Each start waits for this one with most of its writes done.
    const inTheWay = new Client({ connectionString: database.url() }).on('error', () => {});
    await inTheWay.connect();
    onTestFinished(() => inTheWay.end());
    await inTheWay.query('begin; lock table outbox in share mode');
    const starting = ids.map(start);
    const waiting = `select count(*)::int as count from pg_stat_activity where wait_event_type = 'Lock'`;
    await expect
      .poll(async () => (await service.pool().query<{ count: number }>(waiting)).rows[0]!.count, { timeout: 20_000 })
      .toBe(ids.length);
    await database.kill();
    expect((await Promise.all(starting)).map(({ status }) => status)).toEqual(ids.map(() => 502));
    await database.start();
    expect((await Promise.all(ids.map(stream))).map(({ state, transitions }) => [state, transitions])).toEqual(
      ids.map(() => ['draft', []]),
    );
    expect(await withReplica()).toEqual([]);
    expect(await actors.commands()).toEqual([]);
    expect((await Promise.all(ids.map(start))).map(({ status }) => status)).toEqual(ids.map(() => 200));
    await expectOneStartOfEach(ids, keys);
  });

  it('is there wholly or not at all whenever it was, and happens once', async () => {
    const keys = keysOf(10);
    const ids = await Promise.all(keys.map(draft));
    const starting = ids.map(start);
    await Promise.race(starting);
    await database.kill();
    const answers = await Promise.all(starting);
    await database.start();
    for (const [index, id] of ids.entries()) {
      const { status } = answers[index]!;
      const isStarted = (await causes(id)).includes('start');
      expect([200, 502]).toContain(status);
      // What was answered is there; what was not may be.
      if (status === 200) expect(isStarted).toBe(true);
      const repeated = await start(id);
      expect(repeated.status).toBe(200);
      expect(repeated.headers.has('idempotency-replayed')).toBe(isStarted);
    }
    await expectOneStartOfEach(ids, keys);
  });
});
