// An agent without database access stops before another takes over; if all agents lose access, no frame is lost.
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { setTimeout } from 'node:timers/promises';
import { actorsOn } from '../../support/actors.ts';
import { keepFromRenewing } from '../../support/agent-leases.ts';
import { capacityFor } from '../../support/capacities.ts';
import { whileDatabaseIsAway } from '../../support/database-outage.ts';
import { openWayTo } from '../../support/database-way.ts';
import { keysOf, testFleet } from '../../support/prepared-fleet.ts';
import { replicasByAgent } from '../../support/replica-claims.ts';
import { testService } from '../../support/service.ts';

const outageMs = 90_000;
const streams = 20;

const service = testService();
const actors = actorsOn(service);
const { call, causes } = actors;
const { fleet, ingest, liveStreams, publications, untilState } = testFleet(service, actors);

const holders = () => replicasByAgent(service);

/** Resolves once an agent knows its one peer, and that peer has been renewing for a while. */
async function untilPeered(agentID: string): Promise<void> {
  await fleet().untilPeers(agentID);
  await setTimeout(4000);
}

describe('an agent that is cut off from the database while its peer is not', { timeout: 60_000 }, () => {
  it('lets go before its peer takes over: never two publishers on a key', async () => {
    const way = await openWayTo(service.databaseURL());
    onTestFinished(() => way[Symbol.asyncDispose]());
    fleet().agent('cut', { databaseURL: way.url });
    const ids = await liveStreams(keysOf(3));
    fleet().agent('peer');
    await untilPeered('cut');
    way.cut();
    await expect.poll(holders).toEqual({ peer: 3 });
    await untilState(ids, 'active');
    for (const key of keysOf(3)) {
      expect(ingest().keys.get(`live/${key}`)!.mostAtOnce).toBe(1);
      expect(publications(key)).toHaveLength(2);
    }
    way.mend();
  });
});

describe('an agent that is cut off from the database while it is the only one', { timeout: 60_000 }, () => {
  it('goes on, until there is another one: never two publishers on a key', async () => {
    const way = await openWayTo(service.databaseURL());
    onTestFinished(() => way[Symbol.asyncDispose]());
    fleet().agent('cut', { databaseURL: way.url });
    const ids = await liveStreams(keysOf(1));
    way.cut();
    // By then its lease has ended.
    await setTimeout(6000);
    expect(publications('key0')).toMatchObject([{ endedAtMs: null }]);
    fleet().agent('later');
    await expect.poll(holders).toEqual({ later: 1 });
    await untilState(ids, 'active');
    expect(ingest().keys.get('live/key0')!.mostAtOnce).toBe(1);
    expect(publications('key0')).toHaveLength(2);
    way.mend();
  });
});

describe('an agent that cannot renew', { timeout: 60_000 }, () => {
  it('lets go before its peer takes over when it is asked to end', async () => {
    const way = await openWayTo(service.databaseURL());
    onTestFinished(() => way[Symbol.asyncDispose]());
    const cut = fleet().agent('cut', { databaseURL: way.url });
    await liveStreams(keysOf(1));
    fleet().agent('peer');
    await untilPeered('cut');
    way.cut();
    const ended = cut.stop();
    await expect.poll(() => publications('key0')[1]?.pictures ?? 0).toBeGreaterThan(30);
    expect(ingest().keys.get('live/key0')!.mostAtOnce).toBe(1);
    way.mend();
    await ended;
  });

  it('takes up nothing before it can renew again, although commands wake it up', async () => {
    fleet().agent('late');
    await liveStreams(keysOf(1));
    fleet().agent('peer');
    await untilPeered('late');
    await using _lock = await keepFromRenewing(service, 'late');
    await expect.poll(() => publications('key0')[0]!.endedAtMs).not.toBeNull();
    for (let wake = 0; wake < 20; wake++)
      await actors.data().outbox.send({ queue: 'publish-manifest', body: { streamID: 'none' } });
    await expect.poll(async () => await actors.commands()).toEqual([]);
    await setTimeout(1000);
    expect(publications('key0')).toHaveLength(1);
  });
});

describe('a database that is away from everybody', { timeout: 300_000 }, () => {
  it(`costs ${streams} streams no frame in ${outageMs / 1000} s, doubles none, and changes no state`, async () => {
    fleet().agent('first', { capacity: capacityFor(streams / 2) });
    fleet().agent('second', { capacity: capacityFor(streams / 2) });
    const ids = await liveStreams(keysOf(streams));
    await untilState(ids, 'active');
    expect(await holders()).toEqual({ first: streams / 2, second: streams / 2 });
    const before = await Promise.all(ids.map(causes));
    const urls = { databaseURL: service.databaseURL(), serverURL: inject('postgresURL') };
    await whileDatabaseIsAway(urls, () => setTimeout(outageMs));
    // Agents may need this long to reach the database again. Others wait less before they declare them dead.
    await setTimeout(15_000);
    expect(await holders()).toEqual({ first: streams / 2, second: streams / 2 });
    await untilState(ids, 'active');
    expect(await Promise.all(ids.map(causes))).toEqual(before);
    for (const key of keysOf(streams)) {
      expect(publications(key)).toHaveLength(1);
      expect(ingest().keys.get(`live/${key}`)!.mostAtOnce).toBe(1);
      // There is a picture every 33 or 34 ms, without gaps.
      expect(publications(key)[0]).toMatchObject({ endedAtMs: null, longestStepMs: 34 });
    }
    for (const id of ids)
      expect((await call('GET', `/streams/${id}/stats`)).body).toMatchObject({ droppedFrames: 0, reconnects: 0 });
  });

  it('costs no frame either when it answers nothing at all, as when packets are lost', async () => {
    const way = await openWayTo(service.databaseURL());
    onTestFinished(() => way[Symbol.asyncDispose]());
    for (const name of ['first', 'second']) fleet().agent(name, { databaseURL: way.url, capacity: capacityFor(1) });
    const ids = await liveStreams(['a', 'b']);
    await untilState(ids, 'active');
    // Agents read the list of their peers every three seconds.
    await untilPeered('first');
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
