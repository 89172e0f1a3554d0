// Who is cut off from the database lets go before another takes over; a database that is away from everybody costs nobody a frame.
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, onTestFinished } from 'vitest';
import { setTimeout } from 'node:timers/promises';
import { actorsOn } from '../orchestration/actors.ts';
import { onServer } from '../support/database.ts';
import { startFaultyIngest } from '../support/faulty-ingest.ts';
import type { FaultyIngest } from '../support/faulty-ingest.ts';
import { openWayTo } from '../support/database-way.ts';
import { preparedFleet } from '../support/prepared-fleet.ts';
import { testService } from '../support/service.ts';

const outageMs = 90_000;
const streams = 20;

const service = testService();
const actors = actorsOn(service);
const { call, causes, stream } = actors;
let fleet: Awaited<ReturnType<typeof preparedFleet>>;
let ingest: FaultyIngest;
beforeAll(async () => {
  fleet = await preparedFleet(service, actors);
});
afterAll(() => fleet.close());
beforeEach(async () => {
  ingest = await startFaultyIngest();
  onTestFinished(() => ingest[Symbol.asyncDispose]());
});

const publications = (key: string) => ingest.keys.get(`live/${key}`)?.publications ?? [];
const keysOf = (count: number) => Array.from({ length: count }, (_, index) => `key${index}`);

async function holders(): Promise<Record<string, number>> {
  const { rows } = await service.pool().query<{ agent_id: string; streams: number }>('select agent_id, count(*)::int as streams from replicas where agent_id is not null group by agent_id');
  return Object.fromEntries(rows.map(({ agent_id: id, streams: held }) => [id, held]));
}

async function startedStreams(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (const key of keysOf(count)) ids.push(await fleet.stream({ rtmpURL: ingest.rtmpURL }, key));
  await expect.poll(() => keysOf(count).filter((key) => (publications(key)[0]?.pictures ?? 0) > 30), { timeout: 30_000 }).toHaveLength(count);
  return ids;
}

async function untilStates(ids: readonly string[], state: string): Promise<void> {
  await expect.poll(async () => (await Promise.all(ids.map(stream))).filter((each) => each.state === state), { timeout: 20_000 }).toHaveLength(ids.length);
}

describe('an agent that is cut off from the database while its peer is not', { timeout: 60_000 }, () => {
  it('lets go before its peer takes over: never two publishers on a key', async () => {
    const way = await openWayTo(service.databaseURL());
    onTestFinished(() => way[Symbol.asyncDispose]());
    fleet.agent('cut', { databaseURL: way.url });
    const ids = await startedStreams(3);
    fleet.agent('peer');
    // Until they know of each other, and the peer has renewed for a while.
    await expect.poll(async () => (await actors.data().agents.peerURLs('cut')).length).toBe(1);
    await setTimeout(4000);
    way.cut();
    await expect.poll(holders, { timeout: 20_000 }).toEqual({ peer: 3 });
    await untilStates(ids, 'active');
    for (const key of keysOf(3)) {
      expect(ingest.keys.get(`live/${key}`)!.mostAtOnce).toBe(1);
      expect(publications(key)).toHaveLength(2);
    }
    way.mend();
  });
});

describe('a database that is away from everybody', { timeout: 300_000 }, () => {
  it(`for ${outageMs / 1000} s costs ${streams} streams on two agents no frame, doubles none, and leaves their states right`, async () => {
    fleet.agent('first', { slots: streams / 2 });
    fleet.agent('second', { slots: streams / 2 });
    const ids = await startedStreams(streams);
    await untilStates(ids, 'active');
    expect(await holders()).toEqual({ first: streams / 2, second: streams / 2 });
    const before = await Promise.all(ids.map(causes));
    const database = new URL(service.databaseURL()).pathname.slice(1);
    await onServer(inject('postgresURL'), `alter database "${database}" with allow_connections false`);
    try {
      await onServer(inject('postgresURL'), `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}'`);
      await setTimeout(outageMs);
    } finally {
      await onServer(inject('postgresURL'), `alter database "${database}" with allow_connections true`);
    }
    // Longer than anybody may take to find it again, and than others wait for them.
    await setTimeout(15_000);
    expect(await holders()).toEqual({ first: streams / 2, second: streams / 2 });
    await untilStates(ids, 'active');
    expect(await Promise.all(ids.map(causes))).toEqual(before);
    for (const key of keysOf(streams)) {
      expect(publications(key)).toHaveLength(1);
      expect(ingest.keys.get(`live/${key}`)!.mostAtOnce).toBe(1);
      // A picture every 33 or 34 ms, and none missing.
      expect(publications(key)[0]).toMatchObject({ endedAtMs: null, longestStepMs: 34 });
    }
    for (const id of ids) expect((await call('GET', `/streams/${id}/stats`)).body).toMatchObject({ droppedFrames: 0, reconnects: 0 });
  });
});
