// Claims: each replica goes to one agent, oldest first, as far as it fits; renewals and figures wait for nobody.
import { describe, expect, it } from 'vitest';
import { testService } from '../support/service.ts';
import { actorsOn, statsWith } from '../orchestration/actors.ts';

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
    const claimed = async (freeSlots: number) =>
      (await claim('a', freeSlots)).map((replica) => replica.stream_id).sort();
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
      expect([stopped.body.state, ending]).toEqual(
        claimed.length > 0 ? ['stopping', [claimed[0]!.id]] : ['stopped', []],
      );
      for (const replica of claimed) await report(replica, 'ended');
    }
  });
});

describe('an agent whose lease is over', () => {
  it('is given nothing, neither what waits nor what is offered', async () => {
    for (const name of ['holder', 'late', 'buried']) await register(name);
    await activeStream('holder');
    await data().replicas.offer('holder');
    await startedStream();
    await loseLease('late');
    await service.pool().query(`update agents set lease_expires_at = '-infinity' where id = 'buried'`);
    for (const name of ['late', 'buried']) {
      expect(await claim(name)).toEqual([]);
      expect(await data().replicas.succeed(name, ['ffmpeg'], 10)).toEqual([]);
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
    expect(renewal).toEqual({
      held: true,
      holding: [`${mine.held[0]!.id}/1`],
      ending: [mine.held[0]!.id],
      isAnyWaiting: true,
      isAnyDue: true,
      isAnyDead: true,
      isAnyUnsent: true,
    });
    expect(now).toBeInstanceOf(Date);
    expect(await data().agents.renew('never registered')).toMatchObject({ held: false });
  });

  it('tells it that there is nothing to do', async () => {
    await register('a');
    await activeStream('a');
    await service.pool().query('delete from outbox');
    expect(await data().agents.renew('a')).toMatchObject({
      ending: [],
      isAnyWaiting: false,
      isAnyDue: false,
      isAnyDead: false,
      isAnyUnsent: false,
    });
  });

  it('and saying figures do not wait for a stream that somebody else has locked', async () => {
    await register('a');
    const [locked, free] = [await activeStream('a'), await activeStream('a')];
    const stats = statsWith({ framesSent: 7 });
    const figures = [...locked.held, ...free.held].map(({ id, epoch }) => ({ replicaID: id, epoch, stats }));
    await transaction(async (tx) => {
      await tx.streams.lockAny(locked.id);
      await data().figures.say('a', figures);
      expect((await data().agents.renew('a')).held).toBe(true);
    });
    const sent = async (id: string) => (await call('GET', `/streams/${id}/stats`)).body.framesSent;
    expect([await sent(locked.id), await sent(free.id)]).toEqual([7, 7]);
  });
});

describe('the two replicas of a stream', () => {
  const both = { agentModeEnabled: true, runBackupStream: true };
  const inZone = async (zone: string, ...names: readonly string[]) => {
    for (const name of names) await register(name);
    await service.pool().query('update agents set zone = $2 where id = any ($1)', [names, zone]);
  };
  const roles = async (agent: string) => (await claim(agent)).map(({ role }) => role);
  const passSeconds = (seconds: number) =>
    service.pool().query('update replicas set since = since - make_interval(secs => $1)', [seconds]);

  it('go to different agents, the backup once the primary is held', async () => {
    for (const name of ['a', 'b']) await register(name);
    await startedStream(both);
    expect(await roles('a')).toEqual(['primary']);
    expect(await roles('a')).toEqual([]);
    expect(await roles('b')).toEqual(['backup']);
  });

  it('go to different zones where there are any, else to the same after a while', async () => {
    await inZone('east', 'a', 'b');
    await inZone('west', 'c');
    await startedStream(both);
    expect(await roles('a')).toEqual(['primary']);
    expect(await roles('b')).toEqual([]);
    await passSeconds(6);
    expect(await roles('a')).toEqual([]);
    expect(await roles('b')).toEqual(['backup']);
    await startedStream(both);
    expect(await roles('b')).toEqual(['primary']);
    expect(await roles('c')).toEqual(['backup']);
  });

  it('go to one agent where no other takes them, and nobody came for a while', async () => {
    await register('only');
    await register('prepares', []);
    await register('manifest', ['manifest']);
    await startedStream(both);
    expect((await roles('only')).sort()).toEqual(['backup', 'primary']);
    await register('other');
    const id = await startedStream(both);
    expect(await roles('only')).toEqual(['primary']);
    await passSeconds(31);
    expect((await claim('only')).map(({ role, stream_id: stream }) => [role, stream])).toEqual([['backup', id]]);
  });
});

describe('a hand-over', () => {
  const offered = async () => {
    for (const name of ['a', 'b']) await register(name);
    const made = await activeStream('a');
    expect(await data().replicas.offer('a')).toMatchObject([{ stream_id: made.id }]);
    const [successor] = await data().replicas.succeed('b', ['ffmpeg'], 10);
    return { id: made.id, held: made.held[0]!, successor: successor! };
  };

  it('happens when the successor is live, not before', async () => {
    const { held, successor } = await offered();
    expect(successor).toMatchObject({ id: held.id, agent_id: 'b', epoch: held.epoch + 1, at_backup_url: true });
    expect((await data().agents.renew('b')).holding).toEqual([`${held.id}/${successor.epoch}`]);
    expect(await report(successor, 'failing', { reason: { code: 'unreachable', detail: 'It is.' } })).toBe(true);
    expect(await data().replicas.find(held.id)).toMatchObject({
      agent_id: 'a',
      state: 'live',
      reason: null,
      epoch: held.epoch,
    });
    expect(await report(successor, 'live')).toBe(true);
    expect(await data().replicas.find(held.id)).toMatchObject({
      agent_id: 'b',
      state: 'live',
      epoch: held.epoch + 1,
      at_backup_url: true,
    });
    expect(await report(held, 'live')).toBe(false);
    expect((await data().agents.renew('a')).holding).toEqual([]);
  });

  it('is over for the successor when the stream is stopped, or the holder dies', async () => {
    const stopped = await offered();
    await call('POST', `/streams/${stopped.id}/stop`);
    expect((await data().agents.renew('b')).holding).toEqual([]);
    expect(await report(stopped.successor, 'live')).toBe(false);
    await report(stopped.held, 'ended');
  });

  it('that the holder did not live to see makes the stream active again, and costs', async () => {
    const { id, held, successor } = await offered();
    await report(held, 'failing', { reason: { code: 'connection_lost', detail: 'It was.' } });
    expect((await call('GET', `/streams/${id}`)).body.state).toBe('failing');
    expect(await report(successor, 'live')).toBe(true);
    expect((await call('GET', `/streams/${id}`)).body.state).toBe('active');
    const { rows } = await service
      .pool()
      .query('select agent_id, ended_at is null as open from live_intervals where stream_id = $1 order by id', [id]);
    expect(rows).toEqual([
      { agent_id: 'a', open: false },
      { agent_id: 'b', open: true },
    ]);
  });

  it('that came to nothing leaves nothing that the successor claimed later to be taken for it', async () => {
    const { id, held, successor } = await offered();
    expect(await data().replicas.release(held)).toBe(true);
    const [claimed] = await claim('b');
    expect(claimed).toMatchObject({ stream_id: id, agent_id: 'b', at_backup_url: false });
    expect(await report(successor, 'live')).toBe(false);
    expect(await report(claimed!, 'live')).toBe(true);
  });

  it('is offered, and waited for, only where another agent lives that takes it', async () => {
    await register('a');
    await activeStream('a');
    await register('manifest', ['manifest']);
    expect(await data().replicas.offer('a')).toEqual([]);
    expect(await data().agents.drain('a')).toBe(false);
    await register('b');
    expect(await data().agents.drain('a')).toBe(true);
    await data().agents.drain('b');
    expect(await data().replicas.offer('a')).toEqual([]);
    expect(await data().agents.drain('a')).toBe(false);
    await register('of an older release');
    await service.pool().query(`update agents set backends = null where id = 'of an older release'`);
    expect(await data().replicas.offer('a')).toHaveLength(1);
  });
});
