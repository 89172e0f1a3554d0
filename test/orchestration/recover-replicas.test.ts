// Agents that die or shut down: what they held goes on elsewhere, or has ended.
import { beforeEach, describe, expect, it } from 'vitest';
import { recoverReplicas } from '../../lambda/orchestration/recover-replicas.ts';
import { testService } from '../support/service.ts';
import { actorsOn, statsWith } from './actors.ts';

const service = testService();
const { activeStream, call, causes, claim, commands, data, loseLease, register, report, stream, transaction } =
  actorsOn(service);
const recover = () => recoverReplicas(service.pool());
const agentIDs = async () =>
  (await service.pool().query(`select id from agents where id <> 'witness' order by id`)).rows.map((row) => row.id);
const clearCommands = () => service.pool().query('delete from outbox');

beforeEach(async () => {
  await register('dying');
  await register('healthy');
});

describe('a lease that is over', () => {
  it('frees the replicas, wakes up others, and shows the stream failing with the reason until one has taken over', async () => {
    const {
      id,
      held: [replica],
    } = await activeStream('dying');
    await clearCommands();
    await loseLease('dying');
    expect((await data().agents.renew('healthy')).isAnyDead).toBe(true);
    await recover();
    expect(await stream(id)).toMatchObject({
      state: 'failing',
      status: 'ACTIVE',
      stateReason: { code: 'agent_lost' },
      replicas: [{ state: 'waiting' }],
    });
    expect(await commands()).toEqual([{ queue: 'publish-ffmpeg', body: { streamID: id } }]);
    expect(await agentIDs()).toEqual(['healthy']);
    const [taken] = await claim('healthy');
    expect(taken).toMatchObject({ id: replica!.id, epoch: replica!.epoch + 1 });
    expect(await report(replica!, 'live')).toBe(false);
    await report(taken!, 'live');
    expect((await stream(id)).state).toBe('active');
  });

  it('leaves what the agent said last of its streams', async () => {
    const {
      id,
      held: [replica],
    } = await activeStream('dying');
    const stats = statsWith({ framesSent: 7, bytesSent: 900 });
    await service.pool().query(`update live_intervals set started_at = started_at - interval '1 minute'`);
    await data().figures.say('dying', [{ replicaID: replica!.id, epoch: replica!.epoch, stats }]);
    await loseLease('dying');
    await recover();
    expect(await agentIDs()).toEqual(['healthy']);
    expect((await call('GET', `/streams/${id}/stats`)).body).toMatchObject({ framesSent: 7, bytesSent: 900 });
    expect((await call('GET', `/billing/usage?streamID=${id}`)).body.totals.bytesSent).toBe(900);
  });

  it('cannot be renewed any more once it was buried: the agent learns that it lost everything', async () => {
    await activeStream('dying');
    await loseLease('dying');
    await recover();
    expect((await data().agents.renew('dying')).held).toBe(false);
    expect(await agentIDs()).toEqual(['healthy']);
  });

  it('is never taken from an agent that renews in time', async () => {
    const { id } = await activeStream('healthy');
    for (let renewal = 0; renewal < 3; renewal++) {
      expect((await data().agents.renew('healthy')).held).toBe(true);
      expect(await recover()).toBe(0);
    }
    expect((await stream(id)).state).toBe('active');
  });

  it('is not taken while nobody has renewed for a whole lease: the database may have been away from all of them', async () => {
    await activeStream('dying');
    await service.pool().query(`update agents set lease_expires_at = now() - interval '90 seconds'`);
    // The first that is back.
    expect(await data().agents.renew('healthy')).toMatchObject({ held: true, isAnyDead: true, renewingForMs: 0 });
    expect(await recover()).toBe(0);
    expect((await data().agents.renew('dying')).held).toBe(true);
    await service.pool().query(`update agents set renewing_since = now() - interval '6 seconds' where id = 'healthy'`);
    await service.pool().query(`update agents set lease_expires_at = now() - interval '1 second' where id = 'dying'`);
    expect(await recover()).toBe(1);
  });

  it('is good again if the agent renews before anybody buried it', async () => {
    const { id } = await activeStream('dying');
    await loseLease('dying');
    expect((await data().agents.renew('dying')).held).toBe(true);
    expect(await recover()).toBe(0);
    expect((await stream(id)).state).toBe('active');
  });

  it('either is renewed or buried, whoever comes first: never both', async () => {
    for (let round = 0; round < 20; round++) {
      const agent = `racing ${round}`;
      await register(agent);
      await loseLease(agent);
      const [{ held }] = await Promise.all([data().agents.renew(agent), recover(), recover()]);
      expect([round, (await agentIDs()).includes(agent)]).toEqual([round, held]);
    }
  });

  it('ends at once by the word of the supervisor', async () => {
    const { id } = await activeStream('dying');
    await data().agents.expireOfSupervisor('supervisor of dying');
    expect((await data().agents.renew('dying')).held).toBe(false);
    expect(await recover()).toBe(1);
    expect((await stream(id)).state).toBe('failing');
  });

  it('stops a stream that was stopping, and deletes one that was deleted', async () => {
    const stopped = await activeStream('dying');
    const deleted = await activeStream('dying');
    await call('POST', `/streams/${stopped.id}/stop`);
    await call('DELETE', `/streams/${deleted.id}`);
    await clearCommands();
    await loseLease('dying');
    await recover();
    expect((await stream(stopped.id)).state).toBe('stopped');
    expect((await service.pool().query('select id from streams')).rows).toEqual([{ id: stopped.id }]);
    expect(await commands()).toEqual([]);
  });

  it('leaves a stream active of which another agent still sends a replica', async () => {
    const {
      id,
      held: [primary],
    } = await activeStream('dying', { agentModeEnabled: true, runBackupStream: true });
    await service.pool().query(`update replicas set agent_id = 'healthy' where id = $1`, [primary!.id]);
    await loseLease('dying');
    await recover();
    expect(await stream(id)).toMatchObject({
      state: 'active',
      replicas: [
        { role: 'primary', state: 'live' },
        { role: 'backup', state: 'waiting' },
      ],
    });
  });

  it('is recovered once by many at once, with both replicas on different dead agents', async () => {
    await register('dying too');
    const made = [];
    for (let count = 0; count < 8; count++)
      made.push(await activeStream('dying', { agentModeEnabled: true, runBackupStream: true }));
    await service.pool().query(`update replicas set agent_id = 'dying too' where role = 'backup'`);
    await clearCommands();
    await loseLease('dying');
    await loseLease('dying too');
    await Promise.all(Array.from({ length: 5 }, recover));
    for (const { id } of made) expect(await causes(id)).toEqual(['start', 'media_accepted', 'media_interrupted']);
    expect(await commands()).toHaveLength(16);
    expect(await agentIDs()).toEqual(['healthy']);
  });

  it('does not fail on reports and stops that come at the same time', async () => {
    const made = [];
    for (let count = 0; count < 8; count++)
      made.push(await activeStream('dying', { agentModeEnabled: true, runBackupStream: true }));
    await loseLease('dying');
    const answers = await Promise.all([
      recover(),
      ...made.flatMap(({ held }) =>
        held.map((replica) => report(replica, 'failing', { reason: { code: 'x', detail: 'x' } })),
      ),
      recover(),
      ...made.map(async ({ id }) => (await call('POST', `/streams/${id}/stop`)).status),
    ]);
    expect(answers.filter((answer) => typeof answer === 'number' && answer >= 400)).toEqual([]);
    await recover();
    for (const { id } of made) expect((await stream(id)).state).toBe('stopped');
  });

  it('frees the rest when one stream is just being moved, and that one the next time', async () => {
    const busy = await activeStream('dying');
    const idle = await activeStream('dying');
    await loseLease('dying');
    await transaction(async (tx) => {
      await tx.streams.lockAny(busy.id);
      expect(await recover()).toBe(1);
    });
    expect((await stream(idle.id)).state).toBe('failing');
    expect((await stream(busy.id)).state).toBe('active');
    expect((await data().agents.renew('healthy')).isAnyDead).toBe(true);
    expect(await recover()).toBe(1);
    expect((await stream(busy.id)).state).toBe('failing');
  });
});

describe('an agent that ends', () => {
  it('leaves what it held to others, and ends what is wanted no more', async () => {
    const [wanted, stopped] = [await activeStream('dying'), await activeStream('dying')];
    await call('POST', `/streams/${stopped.id}/stop`);
    await data().agents.remove('dying');
    expect((await data().agents.renew('healthy')).isAnyDead).toBe(true);
    expect(await recover()).toBe(2);
    expect([(await stream(wanted.id)).state, (await stream(stopped.id)).state]).toEqual(['failing', 'stopped']);
    expect(await claim('healthy')).toMatchObject([{ id: wanted.held[0]!.id }]);
    expect(await agentIDs()).toEqual(['healthy']);
  });
});
