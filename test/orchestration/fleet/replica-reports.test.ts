// Agents' reports of replicas move the stream: it is active only while a destination accepts its media.
import { beforeEach, describe, expect, it } from 'vitest';
import { actorsOn, inFuture, statsWith } from '../../support/actors.ts';
import { dueTimeOf } from '../../support/due-times.ts';
import { failingSince } from '../../support/replica-claims.ts';
import { countRows } from '../../support/rows.ts';
import { testService } from '../../support/service.ts';

const service = testService();
const { activeStream, call, causes, claim, data, dueKinds, register, report, startedStream, stream } =
  actorsOn(service);
const refused = { code: 'connection_refused', detail: 'The destination refused the connection.' };
const keyRefused = { code: 'key_refused', detail: 'The destination refused the stream key.' };
const behind = { code: 'falling_behind', detail: 'Pictures are about to be late.' };

beforeEach(() => register('agent'));

describe('one replica', () => {
  it('makes the stream active with the first media that the destination accepts, and not before', async () => {
    const id = await startedStream();
    const [replica] = await claim('agent');
    expect(await stream(id)).toMatchObject({
      state: 'activating',
      startedAt: null,
      replicas: [{ state: 'connecting' }],
    });
    expect(await report(replica!, 'live')).toBe(true);
    expect(await stream(id)).toMatchObject({
      state: 'active',
      stateReason: null,
      startedAt: expect.any(String),
      replicas: [{ state: 'live' }],
    });
    expect((await call('GET', `/destinations/${(await stream(id)).destinationID}`)).body.lastUsedAt).not.toBeNull();
  });

  it('starts the duration with the first evidence, once, and disarms the timeout of the start', async () => {
    const id = await startedStream({ streamDuration: 60, scheduleEndAt: inFuture(900) });
    expect(await dueKinds(id)).toEqual(['activation_timeout', 'schedule_end']);
    const [replica] = await claim('agent');
    const now = new Date();
    await report(replica!, 'live', { now });
    await report(replica!, 'failing', { reason: refused });
    await report(replica!, 'live', { now: new Date(now.getTime() + 30_000) });
    expect(await dueKinds(id)).toEqual(['duration_over', 'schedule_end']);
    expect(await dueTimeOf(service, id, 'duration_over')).toEqual(new Date(now.getTime() + 60_000));
  });

  it('shows why a start has not succeeded yet', async () => {
    const id = await startedStream();
    const [replica] = await claim('agent');
    await report(replica!, 'failing', { reason: refused });
    expect(await stream(id)).toMatchObject({ state: 'activating', stateReason: refused });
  });

  it('lets an active stream say what is about to end that, without a transition', async () => {
    const { id, held } = await activeStream('agent');
    const before = await causes(id);
    await report(held[0]!, 'live', { reason: behind });
    expect(await stream(id)).toMatchObject({ state: 'active', stateReason: behind, replicas: [{ reason: behind }] });
    expect((await call('GET', `/streams/${id}/stats`)).body.replicas).toMatchObject([
      { state: 'live', reason: behind },
    ]);
    await report(held[0]!, 'live');
    expect(await stream(id)).toMatchObject({ state: 'active', stateReason: null, replicas: [{ reason: null }] });
    expect(await causes(id)).toEqual(before);
    await report(held[0]!, 'live', { reason: behind });
    await report(held[0]!, 'failing', { reason: refused });
    await report(held[0]!, 'live', { reason: behind });
    expect(await stream(id)).toMatchObject({ state: 'active', stateReason: behind });
    await call('POST', `/streams/${id}/stop`);
    expect((await stream(id)).stateReason).toBeNull();
  });

  it('makes the stream failing with a reason when it is interrupted, and active when it goes on', async () => {
    const {
      id,
      held: [replica],
    } = await activeStream('agent');
    const { startedAt } = await stream(id);
    await report(replica!, 'failing', { reason: refused });
    expect(await stream(id)).toMatchObject({ state: 'failing', status: 'ACTIVE', stateReason: refused });
    await report(replica!, 'failing', { reason: keyRefused });
    expect(await stream(id)).toMatchObject({ state: 'failing', stateReason: keyRefused });
    await report(replica!, 'live');
    expect(await stream(id)).toMatchObject({ state: 'active', stateReason: null, startedAt });
    expect(await causes(id)).toEqual(['start', 'media_accepted', 'media_interrupted', 'media_accepted']);
  });

  it('has been failing since its first failure, whoever held it, until the destination takes media', async () => {
    await startedStream();
    const [replica] = await claim('agent');
    expect(await failingSince(service)).toEqual([null]);
    await report(replica!, 'failing', { reason: refused });
    const [since] = await failingSince(service);
    expect(since).toEqual(expect.any(Date));
    await report(replica!, 'failing', { reason: keyRefused });
    await data().replicas.release(replica!);
    await register('other');
    const [taken] = await claim('other');
    expect(taken!.failing_since).toEqual(since);
    await report(taken!, 'live');
    expect(await failingSince(service)).toEqual([null]);
  });

  it.each(['activating', 'active'])(
    'makes the stream fail for good when nothing can help, while it is %s',
    async (state) => {
      const id = await startedStream();
      const [replica] = await claim('agent');
      if (state === 'active') await report(replica!, 'live');
      await report(replica!, 'failing', { reason: keyRefused, hopeless: true });
      expect(await stream(id)).toMatchObject({
        state: 'failed',
        status: 'INACTIVE',
        stateReason: keyRefused,
        stoppedAt: expect.any(String),
      });
      expect(await dueKinds(id)).toEqual([]);
      expect((await data().agentRenewals.renew('agent')).ending).toEqual([replica!.id]);
      await report(replica!, 'ended');
      expect((await stream(id)).state).toBe('failed');
      expect((await call('POST', `/streams/${id}/start`)).body.state).toBe('activating');
    },
  );

  it('stops the stream once it has ended, with nothing left armed', async () => {
    const {
      id,
      held: [replica],
    } = await activeStream('agent', { streamDuration: 60 });
    expect((await call('POST', `/streams/${id}/stop`)).body).toMatchObject({ state: 'stopping', status: 'INACTIVE' });
    expect(await dueKinds(id)).toEqual([]);
    expect((await data().agentRenewals.renew('agent')).ending).toEqual([replica!.id]);
    expect((await call('POST', `/streams/${id}/start`)).body.code).toBe('stream_not_startable');
    await report(replica!, 'ended');
    expect(await stream(id)).toMatchObject({ state: 'stopped', stoppedAt: expect.any(String) });
    expect((await data().agentRenewals.renew('agent')).ending).toEqual([]);
  });

  it('does not move a stream that is stopping by reporting that it fails or is live', async () => {
    const {
      id,
      held: [replica],
    } = await activeStream('agent');
    await call('POST', `/streams/${id}/stop`);
    await report(replica!, 'failing', { reason: refused });
    await report(replica!, 'live');
    expect(await stream(id)).toMatchObject({ state: 'stopping', stateReason: null });
  });

  it('is kept with its deleted stream until it has ended, and then both are gone', async () => {
    const {
      id,
      held: [replica],
    } = await activeStream('agent');
    expect((await call('DELETE', `/streams/${id}`)).status).toBe(204);
    expect((await call('GET', `/streams/${id}`)).status).toBe(404);
    expect((await data().agentRenewals.renew('agent')).ending).toEqual([replica!.id]);
    expect(await report(replica!, 'ended')).toBe(true);
    expect(await countRows(service, 'streams', 'replicas')).toBe(0);
    expect(await report(replica!, 'ended')).toBe(false);
  });
});

describe('a primary and a backup', () => {
  const both = { agentModeEnabled: true, runBackupStream: true };

  it('keep the stream active as long as one of them sends', async () => {
    const {
      id,
      held: [primary, backup],
    } = await activeStream('agent', both);
    await report(primary!, 'failing', { reason: refused });
    expect(await stream(id)).toMatchObject({
      state: 'active',
      stateReason: null,
      replicas: [
        { role: 'primary', state: 'failing' },
        { role: 'backup', state: 'live' },
      ],
    });
    await report(primary!, 'failing', { reason: keyRefused, hopeless: true });
    expect((await stream(id)).state).toBe('active');
    await report(backup!, 'failing', { reason: refused });
    expect(await stream(id)).toMatchObject({ state: 'failing', stateReason: refused });
    await report(backup!, 'live');
    expect((await stream(id)).state).toBe('active');
  });

  it('warn for as long as one that warns is live', async () => {
    const {
      id,
      held: [primary, backup],
    } = await activeStream('agent', both);
    await report(primary!, 'live', { reason: behind });
    await report(backup!, 'live');
    expect((await stream(id)).stateReason).toEqual(behind);
    await report(primary!, 'failing', { reason: refused });
    expect(await stream(id)).toMatchObject({ state: 'active', stateReason: null });
  });

  it('stop only when both have ended', async () => {
    const {
      id,
      held: [primary, backup],
    } = await activeStream('agent', both);
    await call('POST', `/streams/${id}/stop`);
    await report(backup!, 'ended');
    expect(await stream(id)).toMatchObject({ state: 'stopping', replicas: [{ role: 'primary' }] });
    await report(primary!, 'ended');
    expect((await stream(id)).state).toBe('stopped');
  });

  it('leave the reason of a failed stream as it is, whatever the other still reports', async () => {
    const id = await startedStream(both);
    const [one, other] = await claim('agent');
    await report(one!, 'failing', { reason: keyRefused, hopeless: true });
    await report(other!, 'failing', { reason: refused });
    expect(await stream(id)).toMatchObject({ state: 'failed', stateReason: keyRefused });
  });

  it('lose the backup at a start without one', async () => {
    const { id, held } = await activeStream('agent', both);
    await call('POST', `/streams/${id}/stop`);
    for (const replica of held) await report(replica, 'ended');
    await call('PATCH', `/streams/${id}`, { runBackupStream: false, status: 'ACTIVE' });
    expect((await stream(id)).replicas).toMatchObject([{ role: 'primary', state: 'waiting' }]);
  });
});

describe('reports of agents that lost the replica', () => {
  it.each([
    ['an older epoch', { epoch: 0 }],
    ['another agent', { agent_id: 'another' }],
    ['a replica of an earlier run', { id: 'rep_earlier' }],
  ])('change nothing, as by %s', async (_, lost) => {
    const {
      id,
      held: [replica],
    } = await activeStream('agent');
    const before = await stream(id);
    expect(await report({ ...replica!, ...lost }, 'failing', { reason: keyRefused, hopeless: true })).toBe(false);
    expect(await report({ ...replica!, ...lost }, 'ended')).toBe(false);
    expect(await stream(id)).toEqual(before);
  });

  it('store no figures either', async () => {
    const {
      id,
      held: [replica],
    } = await activeStream('agent');
    const stats = statsWith({ framesSent: 7 });
    const framesSent = async () => (await call('GET', `/streams/${id}/stats`)).body.framesSent;
    await register('another');
    for (const [agent, epoch] of [
      ['another', replica!.epoch],
      ['agent', replica!.epoch - 1],
    ] as const) {
      await data().figures.write(agent, [{ replicaID: replica!.id, epoch, stats }]);
      await data().figures.keep(agent, { replicaID: replica!.id, epoch, stats });
    }
    expect(await framesSent()).toBe(0);
    await data().figures.keep('agent', { replicaID: replica!.id, epoch: replica!.epoch, stats });
    expect(await framesSent()).toBe(7);
  });
});
