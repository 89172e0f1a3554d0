// Who is cut off from the database lets go before another takes over; a database that is away from everybody costs nobody a frame.
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { setTimeout } from 'node:timers/promises';
import { actorsOn } from '../orchestration/actors.ts';
import { onServer } from '../support/database.ts';
import { openWayTo } from '../support/database-way.ts';
import { keysOf, testFleet } from '../support/prepared-fleet.ts';
import { testService } from '../support/service.ts';

const outageMs = 90_000;
const streams = 20;

const service = testService();
const actors = actorsOn(service);
const { call, causes } = actors;
const { fleet, ingest, liveStreams, publications, untilState } = testFleet(service, actors);

async function holders(): Promise<Record<string, number>> {
  const { rows } = await service
    .pool()
    .query<{ agent_id: string; streams: number }>(
      'select agent_id, count(*)::int as streams from replicas where agent_id is not null group by agent_id',
    );
  return Object.fromEntries(rows.map(({ agent_id: id, streams: held }) => [id, held]));
}

describe('an agent that is cut off from the database while its peer is not', { timeout: 60_000 }, () => {
  it('lets go before its peer takes over: never two publishers on a key', async () => {
    const way = await openWayTo(service.databaseURL());
    onTestFinished(() => way[Symbol.asyncDispose]());
    fleet().agent('cut', { databaseURL: way.url });
    const ids = await liveStreams(keysOf(3));
    fleet().agent('peer');
    // Until they know of each other, and the peer has renewed for a while.
    await expect.poll(async () => (await actors.data().agents.peerURLs('cut')).length).toBe(1);
    await setTimeout(4000);
    way.cut();
    await expect.poll(holders, { timeout: 20_000 }).toEqual({ peer: 3 });
    await untilState(ids, 'active');
    for (const key of keysOf(3)) {
      expect(ingest().keys.get(`live/${key}`)!.mostAtOnce).toBe(1);
      expect(publications(key)).toHaveLength(2);
    }
    way.mend();
  });
});

describe('an agent that cannot renew', { timeout: 60_000 }, () => {
  it('and is asked to end lets go before its peer takes over', async () => {
    const way = await openWayTo(service.databaseURL());
    onTestFinished(() => way[Symbol.asyncDispose]());
    const cut = fleet().agent('cut', { databaseURL: way.url });
    await liveStreams(keysOf(1));
    fleet().agent('peer');
    await expect.poll(async () => (await actors.data().agents.peerURLs('cut')).length).toBe(1);
    await setTimeout(4000);
    way.cut();
    const ended = cut.stop();
    await expect.poll(() => publications('key0')[1]?.pictures ?? 0, { timeout: 30_000 }).toBeGreaterThan(30);
    expect(ingest().keys.get('live/key0')!.mostAtOnce).toBe(1);
    way.mend();
    await ended;
  });

  it('takes nothing up again before it can, whoever wakes it up', async () => {
    fleet().agent('late');
    await liveStreams(keysOf(1));
    fleet().agent('peer');
    await expect.poll(async () => (await actors.data().agents.peerURLs('late')).length).toBe(1);
    await setTimeout(4000);
    const held = await service.pool().connect();
    try {
      await held.query('begin');
      await held.query(`select from agents where id = 'late' for no key update`);
      await expect.poll(() => publications('key0')[0]!.endedAtMs, { timeout: 20_000 }).not.toBeNull();
      for (let wake = 0; wake < 20; wake++)
        await actors.data().outbox.send({ queue: 'publish-manifest', body: { streamID: 'none' } });
      await expect.poll(async () => await actors.commands(), { timeout: 20_000 }).toEqual([]);
      await setTimeout(1000);
      expect(publications('key0')).toHaveLength(1);
    } finally {
      await held.query('rollback');
      held.release();
    }
  });
});

describe('a database that is away from everybody', { timeout: 300_000 }, () => {
  it(`for ${outageMs / 1000} s costs ${streams} streams on two agents no frame, doubles none, and leaves their states right`, async () => {
    fleet().agent('first', { slots: streams / 2 });
    fleet().agent('second', { slots: streams / 2 });
    const ids = await liveStreams(keysOf(streams));
    await untilState(ids, 'active');
    expect(await holders()).toEqual({ first: streams / 2, second: streams / 2 });
    const before = await Promise.all(ids.map(causes));
    const database = new URL(service.databaseURL()).pathname.slice(1);
    await onServer(inject('postgresURL'), `alter database "${database}" with allow_connections false`);
    try {
      await onServer(
        inject('postgresURL'),
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}'`,
      );
      await setTimeout(outageMs);
    } finally {
      await onServer(inject('postgresURL'), `alter database "${database}" with allow_connections true`);
    }
    // Longer than anybody may take to find it again, and than others wait for them.
    await setTimeout(15_000);
    expect(await holders()).toEqual({ first: streams / 2, second: streams / 2 });
    await untilState(ids, 'active');
    expect(await Promise.all(ids.map(causes))).toEqual(before);
    for (const key of keysOf(streams)) {
      expect(publications(key)).toHaveLength(1);
      expect(ingest().keys.get(`live/${key}`)!.mostAtOnce).toBe(1);
      // A picture every 33 or 34 ms, and none missing.
      expect(publications(key)[0]).toMatchObject({ endedAtMs: null, longestStepMs: 34 });
    }
    for (const id of ids)
      expect((await call('GET', `/streams/${id}/stats`)).body).toMatchObject({ droppedFrames: 0, reconnects: 0 });
  });

  it('and answers nothing at all, as when packets are lost, costs no frame either', async () => {
    const way = await openWayTo(service.databaseURL());
    onTestFinished(() => way[Symbol.asyncDispose]());
    for (const name of ['first', 'second']) fleet().agent(name, { databaseURL: way.url, slots: 1 });
    const ids = await liveStreams(['a', 'b']);
    await untilState(ids, 'active');
    await expect.poll(async () => (await actors.data().agents.peerURLs('first')).length).toBe(1);
    // Peers are learnt every three seconds.
    await setTimeout(4000);
    way.cut();
    await setTimeout(20_000);
    way.mend();
    await untilState(ids, 'active');
    for (const key of ['a', 'b']) {
      expect(publications(key)).toHaveLength(1);
      expect(publications(key)[0]).toMatchObject({ endedAtMs: null, longestStepMs: 34 });
    }
  });
});
