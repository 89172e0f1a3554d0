// A stage without machines: streams that its tasks have no room for wait for one, and their user is notified.
import { describe, expect, it } from 'vitest';
import { capacityOf, roomOf } from '../../../lambda/domain/fleet/capacity.ts';
import { actorsOn } from '../../support/actors.ts';
import { testService } from '../../support/service.ts';

const service = testService();
const { claim, data, dueKinds, fallDue, fire, register, report, startedStream, stream } = actorsOn(service);

const minutesOfMachine = 6;
/** Capacity of the task on Fargate: lib/publishing/task-sizes.ts. */
const onFargate = capacityOf({ cores: 2, speed: 1, memoryMiB: 4096, networkMbps: 520, gpuMegapixels: 0 });
const small = { quality: 'q_720p', framerate: 'f_30', streamBackend: 'ffmpeg' } as const;
const large = { quality: 'q_2160p', framerate: 'f_60', streamBackend: 'ffmpeg' } as const;

async function registerOnFargate(machineSeconds: number | null = minutesOfMachine * 60): Promise<void> {
  const place = { supervisor: 'fargate', release: 'test', zone: null, peerURL: null, machineSeconds } as const;
  await data().agents.register({ id: 'fargate', backends: ['ffmpeg', 'manifest'], capacity: onFargate, ...place });
}

const claimOnFargate = () =>
  data().replicaClaims.claim('fargate', ['ffmpeg', 'manifest'], roomOf(onFargate, 0, ['ffmpeg', 'manifest']));

describe('where agents stand in for machines', () => {
  it('a stream that they have room for is on air by them, and nothing is said of machines', async () => {
    await registerOnFargate();
    const id = await startedStream(small);
    expect(await stream(id)).toMatchObject({ state: 'activating', stateReason: null });
    const [replica] = await claimOnFargate();
    await report(replica!, 'live');
    expect(await stream(id)).toMatchObject({ state: 'active', stateReason: null });
  });

  it('a larger one says how long a machine takes, counts as waiting, and is on air by the machine', async () => {
    await registerOnFargate();
    const id = await startedStream(large);
    const { state, stateReason } = await stream(id);
    expect([state, stateReason.code]).toEqual(['activating', 'machine_starting']);
    expect(stateReason.detail).toMatch(/a machine is started for it: on air in about 6 minutes.*manifest/);
    expect(await claimOnFargate()).toEqual([]);
    expect(await data().replicaClaims.waitingFor('ffmpeg', 0)).toBe(1);
    expect(await data().replicaClaims.waitingFor('ffmpeg', 3600)).toBe(0);

    await register('machine');
    const [replica] = await claim('machine');
    await report(replica!, 'live');
    expect(await stream(id)).toMatchObject({ state: 'active', stateReason: null });
    expect(await data().replicaClaims.waitingFor('ffmpeg', 0)).toBe(0);
  });

  it('a stream beside others that fill them waits as well', async () => {
    await registerOnFargate();
    await data().agentRenewals.renew('fargate', { usedShare: 0.9, behindReason: null });
    expect((await stream(await startedStream(small))).stateReason).toMatchObject({ code: 'machine_starting' });
  });

  it('prepared media waits for no machine', async () => {
    await registerOnFargate();
    const id = await startedStream({ ...large, streamBackend: 'manifest' });
    expect((await stream(id)).stateReason).toBeNull();
  });

  it('a machine that does not come is told of as before, once it should be there', async () => {
    await registerOnFargate();
    const id = await startedStream(large);
    expect(await dueKinds(id)).toEqual(['activation_timeout']);
    await fallDue(id, 'activation_timeout');
    await fire();
    const { state, stateReason } = await stream(id);
    expect([state, stateReason.code]).toEqual(['failing', 'no_capacity']);
    expect(stateReason.detail).toMatch(/no publisher has more than/);
  });
});

it('where no machine comes, nothing is promised', async () => {
  await registerOnFargate(null);
  expect((await stream(await startedStream(large))).stateReason).toBeNull();
});
