// Claims: each replica goes to one agent, oldest first, as far as it fits; renewals and figures wait for nobody.
import { describe, expect, it } from 'vitest';
import { testService } from '../support/service.ts';
import { actorsOn } from '../orchestration/actors.ts';

const service = testService();
const { activeStream, call, claim, data, loseLease, register, report, startedStream, transaction } = actorsOn(service);

async function waiting(qualities: readonly string[]): Promise<string[]> {
  const ids = [];
  for (const quality of qualities) ids.push(await startedStream({ quality }));
  return ids;
}

describe('claiming', () => {
  it('gives each replica to exactly one of five agents at once', async () => {
    const ids = await waiting(Array.from({ length: 12 }, () => 'q_720p'));
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const name of names) await register(name);
    const claimed = await Promise.all(names.flatMap((name) => [claim(name, 2), claim(name, 2)]));
    const rest = await Promise.all(names.map((name) => claim(name, 12)));
    const all = [...claimed, ...rest].flat();
    expect(all.map((replica) => replica.stream_id).sort()).toEqual(ids.toSorted());
    expect(all.every((replica) => replica.epoch === 1 && replica.state === 'connecting')).toBe(true);
    for (const replicas of claimed) expect(replicas.length).toBeLessThanOrEqual(2);
  });

  it('passes over what another agent is just claiming instead of waiting for it', async () => {
    const [first, second] = await waiting(['q_720p', 'q_720p']);
    await register('a');
    await register('b');
    await transaction(async (tx) => {
      expect(await tx.replicas.claim('a', ['ffmpeg'], 1)).toMatchObject([{ stream_id: first }]);
      expect(await claim('b', 1)).toMatchObject([{ stream_id: second }]);
    });
  });

  it('takes the oldest that fit into the free slots, counted by quality, and nothing without a free slot', async () => {
    const [large, small, smaller] = await waiting(['q_1440p', 'q_1080p', 'q_720p']);
    await register('a');
    const claimed = async (freeSlots: number) => (await claim('a', freeSlots)).map((replica) => replica.stream_id).sort();
    expect(await claimed(0)).toEqual([]);
    expect(await claimed(6)).toEqual([large, small].sort());
    expect(await claimed(6)).toEqual([smaller]);
  });

  it('is not held up by a replica that is too large for the agent', async () => {
    const [huge, small] = await waiting(['q_2160p', 'q_720p']);
    await register('small');
    await register('large');
    expect(await claim('small', 4)).toMatchObject([{ stream_id: small }]);
    expect(await claim('large', 8)).toMatchObject([{ stream_id: huge, slots: 8 }]);
  });

  it('takes only what the agent can publish, and only what is wanted', async () => {
    const [stopped, wanted] = await waiting(['q_720p', 'q_720p']);
    await call('POST', `/streams/${stopped}/stop`);
    await register('a');
    expect(await data().replicas.claim('a', ['manifest'], 10)).toEqual([]);
    expect(await claim('a')).toMatchObject([{ stream_id: wanted }]);
  });

  it('and a stop at the same moment leave nobody with a replica that nobody ends', async () => {
    await register('a');
    for (let round = 0; round < 10; round++) {
      const id = await startedStream();
      const [stopped, claimed] = await Promise.all([call('POST', `/streams/${id}/stop`), claim('a')]);
      const { ending } = await data().agents.renew('a');
      expect([stopped.body.state, ending]).toEqual(claimed.length > 0 ? ['stopping', [claimed[0]!.id]] : ['stopped', []]);
      for (const replica of claimed) await report(replica, 'ended');
    }
  });
});

describe('renewing', () => {
  it('tells the agent its own ends, what is due, who is dead, and the time of the database', async () => {
    for (const name of ['a', 'b', 'dead']) await register(name);
    const mine = await activeStream('a');
    const theirs = await activeStream('b');
    for (const { id } of [mine, theirs]) await call('POST', `/streams/${id}/stop`);
    await startedStream();
    await service.pool().query('update due_times set due_at = now()');
    await loseLease('dead');
    const { now, renewingForMs, ...renewal } = await data().agents.renew('a');
    expect(renewingForMs).toBeGreaterThan(0);
    expect(renewal).toEqual({ held: true, holding: [`${mine.held[0]!.id}/1`], ending: [mine.held[0]!.id], dueCount: 1, deadCount: 1 });
    expect(now).toBeInstanceOf(Date);
    expect(await data().agents.renew('never registered')).toMatchObject({ held: false });
  });

  it('and storing figures do not wait for a stream that somebody else has locked', async () => {
    await register('a');
    const [locked, free] = [await activeStream('a'), await activeStream('a')];
    const stats = { bitrateKbps: 1, framesPerSecond: 30, framesSent: 7, bytesSent: 1, droppedFrames: 0, reconnects: 0, loopCount: 0, currentItem: null, sampledAt: new Date().toISOString() };
    const figures = [...locked.held, ...free.held].map(({ id, epoch }) => ({ replicaID: id, epoch, stats }));
    await transaction(async (tx) => {
      await tx.streams.lockAny(locked.id);
      await data().replicas.saveFigures('a', figures);
      expect((await data().agents.renew('a')).held).toBe(true);
    });
    const sent = async (id: string) => (await call('GET', `/streams/${id}/stats`)).body.framesSent;
    expect([await sent(locked.id), await sent(free.id)]).toEqual([0, 7]);
  });
});
