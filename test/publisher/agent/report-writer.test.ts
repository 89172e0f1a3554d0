// Reports of an agent are written together in one transaction, and none of them delays another.
import type { Pool } from 'pg';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Replica } from '../../../lambda/data/fleet/replicas.ts';
import { ReportWriter } from '../../../lambda/publisher/agent/report-writer.ts';
import { actorsOn } from '../../support/actors.ts';
import { testService } from '../../support/service.ts';

const service = testService();
const { causes, claim, data, register, startedStream, stream, transaction } = actorsOn(service);

beforeEach(() => register('agent'));

/** A pool that counts the transactions on it. */
function countingPool() {
  const counted = { transactions: 0 };
  const pool = service.pool();
  const connect = async () => {
    counted.transactions++;
    return pool.connect();
  };
  return { counted, pool: { connect } as unknown as Pool };
}

const live = (replica: Replica, userID = 'usr_a') => ({
  streamID: replica.stream_id,
  userID,
  asOf: (now: Date) => ({ streamID: replica.stream_id, claim: replica, state: 'live', reason: null, now }) as const,
});

async function claimed(count: number, more: object = {}): Promise<Replica[]> {
  for (let index = 0; index < count; index++) await startedStream(more);
  return claim('agent');
}

describe('reports that come in the same moment', () => {
  it('are written in one transaction, and move each stream as by itself', async () => {
    const replicas = await claimed(6);
    const { counted, pool } = countingPool();
    const writer = new ReportWriter(pool, { needsPlace: true, mostAtOnce: 1 });
    expect(await Promise.all(replicas.map((replica) => writer.write(live(replica))))).toEqual(replicas.map(() => true));
    expect(counted.transactions).toBe(1);
    for (const { stream_id: id } of replicas) {
      expect(await stream(id)).toMatchObject({ state: 'active', startedAt: expect.any(String) });
      expect(await causes(id)).toEqual(['start', 'media_accepted']);
    }
  });

  it('tell the agent which of its claims it has lost', async () => {
    const replicas = await claimed(3);
    const late = { ...replicas[1]!, epoch: 0 };
    const writer = new ReportWriter(service.pool(), { needsPlace: true, mostAtOnce: 1 });
    const reports = [replicas[0]!, late, replicas[2]!].map((replica) => writer.write(live(replica)));
    expect(await Promise.all(reports)).toEqual([true, false, true]);
    expect((await stream(late.stream_id)).state).toBe('activating');
  });

  it('of both replicas of a stream are written one after the other', async () => {
    const replicas = await claimed(1, { agentModeEnabled: true, runBackupStream: true });
    expect(replicas).toHaveLength(2);
    const writer = new ReportWriter(service.pool(), { needsPlace: true, mostAtOnce: 1 });
    expect(await Promise.all(replicas.map((replica) => writer.write(live(replica))))).toEqual([true, true]);
    expect((await stream(replicas[0]!.stream_id)).replicas).toMatchObject([{ state: 'live' }, { state: 'live' }]);
  });

  it('do not wait for a stream that somebody else has locked, whose report comes when it is free', async () => {
    const [locked, ...free] = await claimed(3);
    const writer = new ReportWriter(service.pool(), { needsPlace: true, mostAtOnce: 1 });
    let late: Promise<boolean>;
    await transaction(async (tx) => {
      await tx.streams.lockAny(locked!.stream_id);
      late = writer.write(live(locked!));
      expect(await Promise.all(free.map((replica) => writer.write(live(replica))))).toEqual([true, true]);
      expect((await stream(locked!.stream_id)).state).toBe('activating');
    });
    expect(await late!).toBe(true);
    expect((await stream(locked!.stream_id)).state).toBe('active');
  });

  it('are written even where one of them fails, which alone fails', async () => {
    const [bad, ...good] = await claimed(3);
    const writer = new ReportWriter(service.pool(), { needsPlace: true, mostAtOnce: 1 });
    const failing = {
      ...live(bad!),
      asOf: (now: Date) => ({ ...live(bad!).asOf(now), state: 'unheard of' as 'live' }),
    };
    const answers = await Promise.allSettled(
      [failing, ...good.map((replica) => live(replica))].map((report) => writer.write(report)),
    );
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    for (const { stream_id: id } of good) expect((await stream(id)).state).toBe('active');
  });
});

describe('reports of several users', () => {
  it('wait for none of another user, while those of one go together', async () => {
    const replicas = await claimed(4);
    const [held, ...later] = replicas.slice(0, 3);
    const ofAnother = replicas[3]!;
    const { counted, pool } = countingPool();
    const writer = new ReportWriter(pool, { needsPlace: false, mostAtOnce: 2 });
    let answers: Promise<boolean>[] = [];
    await whileLocked(`select from replicas where id = '${held!.id}' for update`, async () => {
      // The reports of one user wait for it, while their stream is already locked.
      answers = [writer.write(live(held!, 'usr_a'))];
      await expect.poll(() => isLocked(held!.stream_id)).toBe(true);
      answers.push(...later.map((replica) => writer.write(live(replica, 'usr_a'))));
      expect(await writer.write(live(ofAnother, 'usr_b'))).toBe(true);
      expect((await stream(ofAnother.stream_id)).state).toBe('active');
      expect((await stream(later[0]!.stream_id)).state).toBe('activating');
    });
    expect(await Promise.all(answers)).toEqual([true, true, true]);
    expect(counted.transactions).toBe(3);
  });

  it('go together where there are more users than may be written for at once', async () => {
    const replicas = await claimed(6);
    const { counted, pool } = countingPool();
    const writer = new ReportWriter(pool, { needsPlace: false, mostAtOnce: 2 });
    await Promise.all(replicas.map((replica, index) => writer.write(live(replica, `usr_${index}`))));
    expect(counted.transactions).toBeLessThan(6);
    for (const { stream_id: id } of replicas) expect((await stream(id)).state).toBe('active');
  });

  async function isLocked(streamID: string): Promise<boolean> {
    const { rowCount } = await service
      .pool()
      .query('select from streams where id = $1 for update skip locked', [streamID]);
    return rowCount === 0;
  }
});

describe('reports of what was taken over', () => {
  it('wait while others have all places, and go together then; those of starts do not wait', async () => {
    const [first, second, started] = await claimed(3);
    const { counted, pool } = countingPool();
    const writer = new ReportWriter(pool, { needsPlace: true, mostAtOnce: 1 });
    let late: Promise<boolean>[] = [];
    let asked = 0;
    await whileLocked(`select from places where work = 'takeover' for update`, async () => {
      late = [writer.write(live(first!))];
      const ofStarts = new ReportWriter(service.pool(), { needsPlace: false, mostAtOnce: 1 });
      expect(await ofStarts.write(live(started!))).toBe(true);
      await expect.poll(() => counted.transactions).toBeGreaterThan(1);
      late.push(writer.write(live(second!)));
      asked = counted.transactions;
      await expect.poll(() => counted.transactions).toBeGreaterThan(asked);
      expect((await stream(first!.stream_id)).state).toBe('activating');
      asked = counted.transactions;
    });
    expect(await Promise.all(late)).toEqual([true, true]);
    const written = await Promise.all([first!, second!].map(({ stream_id: id }) => transitionTimes(id)));
    expect(written[0]).toEqual(written[1]);
  });
});

/** Does work while another transaction holds the locks of a statement. */
async function whileLocked(locking: string, work: () => Promise<unknown>): Promise<void> {
  const other = await service.pool().connect();
  await other.query('begin');
  await other.query(locking);
  try {
    await work();
  } finally {
    await other.query('commit');
    other.release();
  }
}

/** The time of a stream's last move: equal within a transaction. */
async function transitionTimes(id: string): Promise<Date> {
  const [last] = await data().streamMoves.lastTransitions([id], 1);
  return last!.at;
}
