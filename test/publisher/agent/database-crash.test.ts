// The database server is killed and recovers. Streams continue; a start in progress happens completely or not at all.
import { describe, expect, it, onTestFinished } from 'vitest';
import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { actorsOn } from '../../support/actors.ts';
import { leases } from '../../support/agent-leases.ts';
import { crashingPostgres } from '../../support/crashing-postgres.ts';
import { capacityFor } from '../../support/capacities.ts';
import { untilLockWaits } from '../../support/database-outage.ts';
import { keysOf, testFleet } from '../../support/prepared-fleet.ts';
import { streamsWithReplica } from '../../support/replica-claims.ts';
import { testService } from '../../support/service.ts';

/** Duration of the database outage: longer than a lease. */
const outageMs = 8000;

const database = crashingPostgres();
const service = testService({ database });
const actors = actorsOn(service);
const { causes, create, stream, upload } = actors;
const { fleet, ingest, liveStreams, publications, untilLive, untilState } = testFleet(service, actors);

it(
  'a crash costs ten streams on two agents no frame, doubles none, and changes no state',
  { timeout: 120_000 },
  async () => {
    for (const name of ['first', 'second']) fleet().agent(name, { capacity: capacityFor(5) });
    const keys = keysOf(10);
    const ids = await liveStreams(keys);
    await untilState(ids, 'active');
    const before = await Promise.all(ids.map(causes));
    await database.kill();
    await setTimeout(outageMs);
    await database.start();
    // Agents may need this long to reach the database again. Others wait less before they declare them dead.
    await setTimeout(15_000);
    expect(await leases(service)).toEqual(['first', 'second'].map((id) => ({ id, streams: 5, renewed: true })));
    await untilState(ids, 'active');
    expect(await Promise.all(ids.map(causes))).toEqual(before);
    for (const key of keys) {
      expect(publications(key)).toHaveLength(1);
      expect(publications(key)[0]).toMatchObject({ endedAtMs: null, longestStepMs: 34 });
    }
  },
);

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
  const statusesOf = (answers: readonly { status: number }[]) => answers.map(({ status }) => status);

  /** Blocks the last writes of every start, until the database is killed. */
  async function lockOutbox(): Promise<void> {
    const inTheWay = new Client({ connectionString: database.url() }).on('error', () => {});
    await inTheWay.connect();
    onTestFinished(() => inTheWay.end());
    await inTheWay.query('begin; lock table outbox in share mode');
  }

  async function expectOneStartOfEach(ids: readonly string[], keys: readonly string[]): Promise<void> {
    fleet().agent('agent');
    await untilLive(keys);
    await untilState(ids, 'active');
    for (const id of ids) expect((await causes(id)).filter((cause) => cause === 'start')).toHaveLength(1);
    for (const key of keys) expect(publications(key)).toHaveLength(1);
  }

  it('is undone when its transaction was open, and can be repeated with its Idempotency-Key', async () => {
    const keys = keysOf(4);
    const ids = await Promise.all(keys.map(draft));
    await lockOutbox();
    const starting = ids.map(start);
    await untilLockWaits(service, ids.length, 20_000);
    await database.kill();
    expect(statusesOf(await Promise.all(starting))).toEqual(ids.map(() => 502));
    await database.start();
    const streams = await Promise.all(ids.map(stream));
    expect(streams.map(({ state, transitions }) => [state, transitions])).toEqual(ids.map(() => ['draft', []]));
    expect(await streamsWithReplica(service)).toEqual([]);
    expect(await actors.commands()).toEqual([]);
    expect(statusesOf(await Promise.all(ids.map(start)))).toEqual(ids.map(() => 200));
    await expectOneStartOfEach(ids, keys);
  });

  it('is done wholly or not at all, whenever the database was killed, and happens once', async () => {
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
      // An answered start has happened. An unanswered one may have happened.
      if (status === 200) expect(isStarted).toBe(true);
      const repeated = await start(id);
      expect(repeated.status).toBe(200);
      expect(repeated.headers.has('idempotency-replayed')).toBe(isStarted);
    }
    await expectOneStartOfEach(ids, keys);
  });
});
