// Due actions happen once, however many agents look for them; cancelled or moved ones do not happen.
import { describe, expect, it } from 'vitest';
import { roomOf } from '../../../lambda/domain/fleet/capacity.ts';
import { fireDue } from '../../../lambda/orchestration/runs/fire-due.ts';
import { actorsOn, inFuture, startOptions } from '../../support/actors.ts';
import { capacityFor } from '../../support/capacities.ts';
import { testService } from '../../support/service.ts';
import { letScheduleEnd } from '../../support/stored-streams.ts';

const service = testService();
const {
  activeStream,
  call,
  causes,
  claim,
  commands,
  data,
  dueKinds,
  fallDue,
  fire,
  register,
  report,
  scheduledStream,
  startedStream,
  stream,
  transaction,
  upload,
} = actorsOn(service);
/** Five fire at once until nothing is due: a stream that another one holds for a moment is fired the next time. */
async function fiveFire(): Promise<number[]> {
  const counts: number[] = [];
  for (let round = 1; round === 1 || (round <= 20 && (await isDue())); round++)
    counts.push(...(await Promise.all(Array.from({ length: 5 }, fire))));
  return counts;
}

async function isDue(): Promise<boolean> {
  const { rowCount } = await service
    .pool()
    .query('select from due_times where due_at <= now() and not resting limit 1');
  return rowCount === 1;
}

describe('a scheduled start', () => {
  it('happens once, although five fire at once', async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, () => scheduledStream()));
    for (const id of ids) await fallDue(id, 'schedule_start');
    const fired = await fiveFire();
    expect(fired.reduce((sum, count) => sum + count)).toBe(ids.length);
    for (const id of ids) {
      expect(await causes(id)).toEqual(['schedule', 'schedule_start']);
      expect(await dueKinds(id)).toEqual(['activation_timeout']);
    }
    const woken = (await commands()).map(({ body }) => body.streamID);
    expect(woken.length).toBeGreaterThan(0);
    expect(ids).toEqual(expect.arrayContaining(woken));
  });

  it('waits while other processes have the places for starts, and other things wait for none of them', async () => {
    const [first, second, ending] = [await scheduledStream(), await scheduledStream(), await startedStream()];
    for (const id of [first, second]) await fallDue(id, 'schedule_start');
    await data().dueTimes.set(ending, 'duration_over', new Date(0));
    await transaction(async (tx) => {
      for (const holder of ['one', 'another']) expect(await tx.places.keep('starts', holder)).not.toBeNull();
      expect(await fire()).toBe(1);
      expect((await stream(ending)).state).toBe('stopped');
      for (const holder of ['one', 'another']) await tx.places.leave('starts', holder);
    });
    expect(await fire()).toBe(2);
  });

  it('leaves other times of the stream as they are when one of the same work is fired', async () => {
    const id = await startedStream();
    await data().dueTimes.set(id, 'broadcast_rotation', new Date(Date.now() + 3_600_000));
    await fallDue(id, 'activation_timeout');
    expect(await fire()).toBe(1);
    expect(await dueKinds(id)).toEqual(['broadcast_rotation']);
  });

  it('does nothing before its time', async () => {
    const id = await scheduledStream();
    expect(await fire()).toBe(0);
    expect((await stream(id)).state).toBe('scheduled');
  });

  it('fails with the first issue as the reason when the stream is not ready', async () => {
    const videoUploadObjectID = await upload();
    const id = await scheduledStream({ videoUploadObjectID }, { scheduleEndAt: inFuture(7200) });
    await call('DELETE', `/uploads/${videoUploadObjectID}`);
    await fallDue(id, 'schedule_start');
    await fiveFire();
    expect(await stream(id)).toMatchObject({
      state: 'failed',
      status: 'INACTIVE',
      stateReason: { code: 'upload_missing', detail: expect.stringMatching(/\w/) },
      replicas: [],
    });
    expect(await dueKinds(id)).toEqual([]);
    expect((await commands()).filter(({ queue }) => queue.startsWith('publish'))).toEqual([]);
  });

  it.each([10, 3600])('that is %i s late still happens while the end is ahead', async (seconds) => {
    const id = await scheduledStream({}, { scheduleEndAt: inFuture(7200) });
    await fallDue(id, 'schedule_start', seconds);
    await fire();
    expect(await stream(id)).toMatchObject({ state: 'activating', stateReason: null });
    expect(await dueKinds(id)).toEqual(['activation_timeout', 'schedule_end']);
  });

  it.each([10, 3600])('that is %i s late fails when the end has passed as well', async (seconds) => {
    const id = await scheduledStream({}, { scheduleEndAt: inFuture(7200) });
    await fallDue(id, 'schedule_start', seconds);
    await fallDue(id, 'schedule_end', 1);
    await letScheduleEnd(service, id);
    await fiveFire();
    expect(await stream(id)).toMatchObject({ state: 'failed', stateReason: { code: 'schedule_missed' } });
    expect(await causes(id)).toEqual(['schedule', 'schedule_missed']);
    expect(await dueKinds(id)).toEqual([]);
  });

  it('that was moved happens at the new time only', async () => {
    const id = await scheduledStream();
    await fallDue(id, 'schedule_start');
    await call('PATCH', `/streams/${id}`, { scheduleStartAt: inFuture(5000) });
    expect(await fire()).toBe(0);
    expect((await stream(id)).state).toBe('scheduled');
  });

  it('that is moved while it is being fired happens either now or at the new time', async () => {
    for (let round = 0; round < 15; round++) {
      const id = await scheduledStream();
      await fallDue(id, 'schedule_start');
      await Promise.all([fire(), call('PATCH', `/streams/${id}`, { scheduleStartAt: inFuture(5000) }), fire()]);
      const { state } = await stream(id);
      expect([state, await dueKinds(id)]).toEqual(
        state === 'scheduled' ? ['scheduled', ['schedule_start']] : ['activating', ['activation_timeout']],
      );
    }
  });

  it('that was cancelled, overtaken by a start or deleted with its stream leaves nothing', async () => {
    const [cancelled, started, deleted] = [
      await scheduledStream({}, { scheduleEndAt: inFuture(7200) }),
      await scheduledStream(),
      await scheduledStream(),
    ];
    for (const id of [cancelled, started, deleted]) await fallDue(id, 'schedule_start');
    await call('DELETE', `/streams/${cancelled}/schedule`);
    await call('POST', `/streams/${started}/start`);
    await call('DELETE', `/streams/${deleted}`);
    expect(await fire()).toBe(0);
    expect(await dueKinds(cancelled)).toEqual([]);
    expect(await dueKinds(started)).toEqual(['activation_timeout']);
    expect((await stream(cancelled)).state).toBe('draft');
  });
});

describe('an end', () => {
  it.each([
    ['schedule_end', { scheduleEndAt: inFuture(900) }],
    ['duration_over', { streamDuration: 60 }],
  ] as const)('by %s stops the stream once, and asks its agent to end it', async (kind, settings) => {
    await register('agent');
    const {
      id,
      held: [replica],
    } = await activeStream('agent', settings);
    await fallDue(id, kind);
    await fiveFire();
    expect(await stream(id)).toMatchObject({ state: 'stopping', status: 'INACTIVE' });
    expect(await causes(id)).toEqual(['start', 'media_accepted', kind]);
    expect(await dueKinds(id)).toEqual([]);
    expect((await data().agentRenewals.renew('agent')).ending).toEqual([replica!.id]);
  });

  it('stops at once what no agent ever took', async () => {
    const id = await startedStream({ scheduleEndAt: inFuture(900) });
    await fallDue(id, 'schedule_end');
    await fire();
    expect((await stream(id)).state).toBe('stopped');
    expect(await dueKinds(id)).toEqual([]);
  });

  it('moves with the settings of the running stream, and is disarmed when it is cleared', async () => {
    await register('agent');
    const { id } = await activeStream('agent', { scheduleEndAt: inFuture(900), streamDuration: 60 });
    await fallDue(id, 'schedule_end');
    await fallDue(id, 'duration_over');
    await call('PATCH', `/streams/${id}`, { scheduleEndAt: null, streamDuration: 500 });
    expect(await fire()).toBe(0);
    expect(await dueKinds(id)).toEqual(['duration_over']);
  });
});

describe('a start without evidence', () => {
  it('is failing after its timeout for want of capacity, once, and still succeeds when an agent comes', async () => {
    const id = await startedStream();
    await fallDue(id, 'activation_timeout');
    await fiveFire();
    expect(await stream(id)).toMatchObject({
      state: 'failing',
      status: 'ACTIVE',
      stateReason: { code: 'no_capacity' },
    });
    expect(await causes(id)).toEqual(['start', 'no_evidence']);
    await register('agent');
    const [replica] = await claim('agent');
    await report(replica!, 'live');
    expect(await stream(id)).toMatchObject({ state: 'active', stateReason: null });
  });

  it('says what is missing and what would help, where all agents are full', async () => {
    await register('full');
    await data().agentRenewals.renew('full', { usedShare: 0.9999, behindReason: null });
    const id = await startedStream();
    await fallDue(id, 'activation_timeout');
    await fire();
    const { stateReason } = await stream(id);
    expect(stateReason).toMatchObject({ code: 'no_capacity' });
    expect(stateReason.detail).toMatch(/needs 0\.50 processor cores, and the only publisher has .* left/);
    expect(stateReason.detail).toContain('stop another stream');
  });

  it(
    'takes four of 16 encoded streams where four fit, and tells the others what would help',
    { timeout: 60_000 },
    async () => {
      const capacity = capacityFor(4, 'ffmpeg');
      const rest = { supervisor: 'small', release: 'test', zone: null, peerURL: null, machineSeconds: null } as const;
      await data().agents.register({ id: 'small', backends: ['ffmpeg'], capacity, ...rest });
      const ids: string[] = [];
      for (let index = 0; index < 16; index++)
        ids.push(await startedStream({ quality: 'q_720p', framerate: 'f_30', streamBackend: 'ffmpeg' }));
      const claimBeside = (usedShare: number) =>
        data().replicaClaims.claim('small', ['ffmpeg'], roomOf(capacity, usedShare, ['ffmpeg']));
      const held = await claimBeside(0);
      for (const replica of held) await report(replica, 'live');
      expect(await claimBeside(1)).toEqual([]);
      await data().agentRenewals.renew('small', { usedShare: 1, behindReason: null });
      for (const id of ids) await fallDue(id, 'activation_timeout');
      while ((await fire()) > 0);
      const streams = await Promise.all(ids.map(stream));
      expect(streams.filter(({ state }) => state === 'active').map(({ id }) => id)).toEqual(ids.slice(0, 4));
      for (const { state, stateReason } of streams.slice(4)) {
        expect([state, stateReason.code]).toEqual(['failing', 'no_capacity']);
        expect(stateReason.detail).toMatch(/the only publisher has 0\.00 processor cores left.*stop another.*manifest/);
      }
      expect(await claimBeside(0.75)).toMatchObject([{ stream_id: ids[4] }]);
    },
  );

  it('is failing after its timeout with what the destination said, if it said something', async () => {
    const id = await startedStream();
    await register('agent');
    const [replica] = await claim('agent');
    const reason = { code: 'key_refused', detail: 'The destination refused the stream key.' };
    await report(replica!, 'failing', { reason });
    await fallDue(id, 'activation_timeout');
    await fire();
    expect(await stream(id)).toMatchObject({ state: 'failing', stateReason: reason });
  });
});

/** Options of starts that may fail when they read the limits. @param fail throws, or lets a start continue */
function failingStarts(fail: () => void): typeof startOptions {
  const { settings } = startOptions;
  const limitFactor = () => {
    fail();
    return settings.limitFactor;
  };
  return { ...startOptions, settings: Object.defineProperty({ ...settings }, 'limitFactor', { get: limitFactor }) };
}

it('a stream that cannot be fired is tried again, and does not keep others from being fired', async () => {
  const [broken, fine] = [await scheduledStream(), await scheduledStream()];
  await fallDue(broken, 'schedule_start', 20);
  await fallDue(fine, 'schedule_start');
  // It fails in its set, and again by itself.
  let failures = 2;
  const failing = failingStarts(() => {
    if (failures === 0) return;
    failures--;
    throw new Error('out of luck');
  });
  await expect(fireDue(service.pool(), failing, () => new Date())).rejects.toThrow('out of luck');
  expect((await stream(broken)).state).toBe('scheduled');
  expect((await stream(fine)).state).toBe('activating');
  expect(await fire()).toBe(1);
  expect((await stream(broken)).state).toBe('activating');
});

it('once a process is asked to end, it fires nothing more', async () => {
  const streams = [await scheduledStream(), await scheduledStream()];
  for (const id of streams) await fallDue(id, 'schedule_start');
  const ending = new AbortController();
  const failing = failingStarts(() => {
    ending.abort();
    throw new Error('the first set fails');
  });
  const asked = fireDue(service.pool(), failing, () => new Date(), ending.signal);
  expect(await asked).toBe(0);
  expect(await fire()).toBe(2);
});
