// Agents that die or end: other agents take over their replicas, or these have ended.
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { recoverReplicas } from '../../../lambda/orchestration/fleet/recover-replicas.ts';
import { actorsOn, statsWith } from '../../support/actors.ts';
import { agentIDs, declareDead, endAllLeases, endLease, letRenewFor } from '../../support/agent-leases.ts';
import { letIntervalsBegin } from '../../support/books.ts';
import { clearCommands, commandsTo } from '../../support/outbox-rows.ts';
import { handTo, holdersByRole } from '../../support/replica-claims.ts';
import { isStored } from '../../support/rows.ts';
import { testService } from '../../support/service.ts';

const service = testService();
const { activeStream, call, causes, claim, commands, data, loseLease, register, report, stream, transaction, user } =
  actorsOn(service);
const recover = () => recoverReplicas(service.pool());
/** The commands that wake agents. */
const wakeUps = async () => (await commands()).filter(({ queue }) => queue.startsWith('publish'));
const withBackup = { agentModeEnabled: true, runBackupStream: true };

/** Creates active streams with a primary, held by the dying agent, and a backup for another agent. */
async function activeStreams(count: number) {
  const made = [];
  for (let index = 0; index < count; index++) made.push(await activeStream('dying', withBackup));
  return made;
}

beforeEach(async () => {
  await register('dying');
  await register('healthy');
});

describe('a lease that is over', () => {
  it('frees the replicas of its agent, whose stream is failing until another has taken over', async () => {
    const {
      id,
      held: [replica],
    } = await activeStream('dying');
    await clearCommands(service);
    await loseLease('dying');
    expect((await data().agentRenewals.renew('healthy')).isAnyToRecover).toBe(true);
    await recover();
    expect(await stream(id)).toMatchObject({
      state: 'failing',
      status: 'ACTIVE',
      stateReason: { code: 'agent_lost' },
      replicas: [{ state: 'waiting' }],
    });
    expect(await wakeUps()).toEqual([{ queue: 'publish-ffmpeg', body: { streamID: id } }]);
    expect(await agentIDs(service)).toEqual(['healthy']);
    const [taken] = await claim('healthy');
    expect(taken).toMatchObject({ id: replica!.id, epoch: replica!.epoch + 1 });
    expect(await report(replica!, 'live')).toBe(false);
    await report(taken!, 'live');
    expect((await stream(id)).state).toBe('active');
  });

  it('leaves the figures that the agent said last of its streams', async () => {
    const {
      id,
      held: [replica],
    } = await activeStream('dying');
    const stats = statsWith({ framesSent: 7, bytesSent: 900 });
    await letIntervalsBegin(service, user().id, 60);
    await data().figures.write('dying', [{ replicaID: replica!.id, epoch: replica!.epoch, stats }]);
    await loseLease('dying');
    await recover();
    expect(await agentIDs(service)).toEqual(['healthy']);
    expect((await call('GET', `/streams/${id}/stats`)).body).toMatchObject({ framesSent: 7, bytesSent: 900 });
    expect((await call('GET', `/billing/usage?streamID=${id}`)).body.totals.bytesSent).toBe(900);
  });

  it('cannot be renewed once its agent was declared dead, and the agent learns that', async () => {
    await activeStream('dying');
    await loseLease('dying');
    await recover();
    expect((await data().agentRenewals.renew('dying')).leaseHolds).toBe(false);
    expect(await agentIDs(service)).toEqual(['healthy']);
  });

  it('is never taken from an agent that renews in time', async () => {
    const { id } = await activeStream('healthy');
    for (let renewal = 0; renewal < 3; renewal++) {
      expect((await data().agentRenewals.renew('healthy')).leaseHolds).toBe(true);
      expect(await recover()).toBe(0);
    }
    expect((await stream(id)).state).toBe('active');
  });

  it('counts only once some agent has renewed for a whole lease, as the database may have been away', async () => {
    await activeStream('dying');
    await endAllLeases(service, 90);
    // One agent has returned, and the other has not.
    expect(await data().agentRenewals.renew('healthy')).toMatchObject({
      leaseHolds: true,
      isAnyToRecover: true,
      renewingForMs: 0,
    });
    expect(await recover()).toBe(0);
    expect((await data().agentRenewals.renew('dying')).leaseHolds).toBe(true);
    await letRenewFor(service, 'healthy', 6);
    await endLease(service, 'dying');
    expect(await recover()).toBe(1);
  });

  it('is good again if its agent renews before it was declared dead', async () => {
    const { id } = await activeStream('dying');
    await loseLease('dying');
    expect((await data().agentRenewals.renew('dying')).leaseHolds).toBe(true);
    expect(await recover()).toBe(0);
    expect((await stream(id)).state).toBe('active');
  });

  it('is either renewed or over for good, whichever comes first, and never both', async () => {
    for (let round = 0; round < 20; round++) {
      const agent = `racing ${round}`;
      await register(agent);
      await loseLease(agent);
      const [{ leaseHolds }] = await Promise.all([data().agentRenewals.renew(agent), recover(), recover()]);
      expect([round, (await agentIDs(service)).includes(agent)]).toEqual([round, leaseHolds]);
    }
  });

  it('ends at once when the supervisor has seen the agent die', async () => {
    const { id } = await activeStream('dying');
    await data().agents.declareDeadOfSupervisor('supervisor of dying');
    expect((await data().agentRenewals.renew('dying')).leaseHolds).toBe(false);
    expect(await recover()).toBe(1);
    expect((await stream(id)).state).toBe('failing');
  });

  it('completes the stop of one stream and the deletion of another', async () => {
    const stopped = await activeStream('dying');
    const deleted = await activeStream('dying');
    await call('POST', `/streams/${stopped.id}/stop`);
    await call('DELETE', `/streams/${deleted.id}`);
    await clearCommands(service);
    await loseLease('dying');
    await recover();
    expect((await stream(stopped.id)).state).toBe('stopped');
    expect(await isStored(service, 'streams', deleted.id)).toBe(false);
    expect(await commands()).toEqual([]);
  });

  it('leaves a stream active as long as another agent sends one of its replicas', async () => {
    const {
      id,
      held: [primary],
    } = await activeStream('dying', withBackup);
    await handTo(service, primary!.id, 'healthy');
    expect(await claim('dying')).toMatchObject([{ role: 'backup' }]);
    await loseLease('dying');
    expect(await recover()).toBe(1);
    expect(await holdersByRole(service)).toEqual({ primary: 'healthy' });
    expect(await stream(id)).toMatchObject({
      state: 'active',
      replicas: [
        { role: 'primary', state: 'live' },
        { role: 'backup', state: 'waiting' },
      ],
    });
  });

  it('frees each replica once, although five recover at once from two dead agents', async () => {
    await register('dying too');
    const made = await activeStreams(8);
    expect(await claim('dying too')).toHaveLength(8);
    await clearCommands(service);
    await loseLease('dying');
    await loseLease('dying too');
    await Promise.all(Array.from({ length: 5 }, recover));
    for (const { id } of made) expect(await causes(id)).toEqual(['start', 'media_accepted', 'media_interrupted']);
    expect((await wakeUps()).length).toBeLessThanOrEqual(5);
    expect(await agentIDs(service)).toEqual(['healthy']);
  });

  it('wakes agents up once for each queue, however many streams were lost', async () => {
    await activeStreams(5);
    await clearCommands(service);
    await loseLease('dying');
    expect(await recover()).toBe(5);
    expect(await wakeUps()).toMatchObject([{ queue: 'publish-ffmpeg' }]);
    expect(await commandsTo(service, 'webhooks')).toEqual([{ incidents: '' }]);
    expect(await claim('healthy')).toHaveLength(10);
  });

  it('ends each interval of each user with its cost, however many streams were lost at once', async () => {
    await activeStreams(4);
    await letIntervalsBegin(service, user().id, 3600);
    await loseLease('dying');
    await recover();
    const { totals } = (await call('GET', '/billing/usage')).body;
    expect(Math.round(totals.creditsSpent)).toBe(4 * 25);
    const differences = await data().reconciliation.differences();
    expect(differences.filter(({ user_id: userID }) => userID === user().id)).toEqual([]);
  });

  it('lets streams be recovered while reports and stops of them come', async () => {
    const made = await activeStreams(8);
    await loseLease('dying');
    const reason = { code: 'x', detail: 'x' };
    const replicas = made.flatMap(({ held }) => held);
    const recovering = recover();
    const reporting = replicas.map((replica) => report(replica, 'failing', { reason }));
    const recoveringAgain = recover();
    const stopping = made.map(async ({ id }) => (await call('POST', `/streams/${id}/stop`)).status);
    await Promise.all([recovering, ...reporting, recoveringAgain]);
    expect((await Promise.all(stopping)).filter((status) => status >= 400)).toEqual([]);
    await recover();
    for (const { id } of made) expect((await stream(id)).state).toBe('stopped');
  });

  it('is not looked at while others have all places, but for declaring its agent dead', async () => {
    await activeStream('dying');
    const { places } = data();
    const others: string[] = [];
    onTestFinished(async () => void (await Promise.all(others.map((other) => places.leave('recovery', other)))));
    while (await places.keep('recovery', `other_${others.length}`)) others.push(`other_${others.length}`);
    const isAnyToRecover = async () => (await data().agentRenewals.renew('healthy')).isAnyToRecover;
    await loseLease('dying');
    expect(await isAnyToRecover()).toBe(true);
    expect(await recover()).toBe(0);
    expect(await isAnyToRecover()).toBe(false);
    await places.leave('recovery', others[0]!);
    expect(await isAnyToRecover()).toBe(true);
    expect(await recover()).toBe(1);
  });

  it('frees replicas of a stream that somebody has locked the next time, and others now', async () => {
    const busy = await activeStream('dying');
    const idle = await activeStream('dying');
    await loseLease('dying');
    await transaction(async (tx) => {
      await tx.streams.lockAny(busy.id);
      expect(await recover()).toBe(1);
    });
    expect((await stream(idle.id)).state).toBe('failing');
    expect((await stream(busy.id)).state).toBe('active');
    expect((await data().agentRenewals.renew('healthy')).isAnyToRecover).toBe(true);
    expect(await recover()).toBe(1);
    expect((await stream(busy.id)).state).toBe('failing');
  });
});

describe('an agent that ends', () => {
  it('leaves its replicas to others, but for those that should end', async () => {
    const [wanted, stopped] = [await activeStream('dying'), await activeStream('dying')];
    await call('POST', `/streams/${stopped.id}/stop`);
    await declareDead(service, 'dying');
    expect((await data().agentRenewals.renew('healthy')).isAnyToRecover).toBe(true);
    expect(await recover()).toBe(2);
    expect([(await stream(wanted.id)).state, (await stream(stopped.id)).state]).toEqual(['failing', 'stopped']);
    expect(await claim('healthy')).toMatchObject([{ id: wanted.held[0]!.id }]);
    expect(await agentIDs(service)).toEqual(['healthy']);
  });
});
