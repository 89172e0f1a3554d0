// Users who have never paid share a part of the fleet: a paying user's start finds a place whatever they run.
// Decisions D273 and D291.
import { describe, expect, it } from 'vitest';
import { roomOf, shareOf } from '../../../lambda/domain/fleet/capacity.ts';
import { costOfReplica } from '../../../lambda/data/fleet/replica-costs.ts';
import type { Replica } from '../../../lambda/data/fleet/replicas.ts';
import { creditPurchase } from '../../../lambda/orchestration/billing/credit-purchase.ts';
import { actorsOn } from '../../support/actors.ts';
import { capacityFor } from '../../support/capacities.ts';
import { pretendProbed, testService } from '../../support/service.ts';
import type { TestUser } from '../../support/service.ts';

const service = testService();
const { data, fallDue, fire, report, startedStream, transaction } = actorsOn(service);

const encoded2160p60 = { quality: 'q_2160p', framerate: 'f_60', streamBackend: 'ffmpeg' } as const;
/** An agent has room for one encoded stream in 2160p60. */
const capacity = capacityFor(16, 'ffmpeg');

const register = (id: string, machineSeconds: number | null = null) =>
  data().agents.register({
    id,
    backends: ['ffmpeg'],
    capacity,
    supervisor: 'test',
    release: 'test',
    zone: null,
    peerURL: null,
    machineSeconds,
  });

async function registerAgents(count: number): Promise<string[]> {
  const names = Array.from({ length: count }, (_, index) => `agent-${index}`);
  for (const name of names) await register(name);
  // They do not renew their leases while streams start.
  await service.pool().query(`update agents set lease_expires_at = now() + interval '1 hour'`);
  return names;
}

const usedShare = (held: readonly Replica[]) =>
  held.reduce((sum, replica) => sum + shareOf(costOfReplica(replica), capacity), 0);

/** Claims for an agent as often as it gets something. @param held what it holds, to which the claims are added */
async function claimAll(agent: string, held: Replica[] = []): Promise<Replica[]> {
  for (;;) {
    const claimed = await data().replicaClaims.claim(agent, ['ffmpeg'], roomOf(capacity, usedShare(held), ['ffmpeg']));
    if (claimed.length === 0) return held;
    held.push(...claimed);
  }
}

/** A user with nothing but the free credits. */
async function freeUser(): Promise<TestUser> {
  const made = await service.user(0);
  const invoice = { id: `free_${made.id}`, userID: made.id, type: 'free_credits', method: 'grant', cost: 0 } as const;
  await data().invoices.ensurePaid({ ...invoice, credits: 100 });
  return made;
}

async function startOf(by: TestUser, format: object = encoded2160p60): Promise<string> {
  const create = async (path: string, body: object): Promise<string> => (await by.call('POST', path, body)).body.id;
  const videoUploadObjectID = await create('/uploads', { name: 'clip', mimeType: 'video/mp4' });
  await pretendProbed(service, videoUploadObjectID);
  const address = { name: 'ingest', rtmpURL: 'rtmp://127.0.0.1/live', streamKey: 'key' };
  const destinationID = await create('/destinations', address);
  const id = await create('/streams', { videoUploadObjectID, destinationID, ...format });
  expect((await by.call('POST', `/streams/${id}/start`)).body.state).toBe('activating');
  return id;
}

const unreachable = { code: 'unreachable', detail: 'It is.' };

async function startsOfFreeUsers(count: number): Promise<string[]> {
  const ids = [];
  for (let index = 0; index < count; index++) ids.push(await startOf(await freeUser()));
  return ids;
}

describe('free accounts with the largest streams', () => {
  it('leave a place for the start of a paying user, however many began before', async () => {
    const free = await startsOfFreeUsers(16);
    const agents = await registerAgents(6);
    const held = new Map<string, Replica[]>();
    for (const agent of agents) held.set(agent, await claimAll(agent));
    const heldIDs = [...held.values()].flat().map(({ stream_id: id }) => id);
    // Three tenths of six agents, and the stream that begins below them.
    expect(heldIDs.toSorted()).toEqual(free.slice(0, 2).toSorted());

    const paid = await startedStream(encoded2160p60);
    const begun = [];
    for (const agent of agents)
      begun.push(...(await claimAll(agent, [...held.get(agent)!])).map((each) => each.stream_id));
    expect(begun.filter((id) => !heldIDs.includes(id))).toEqual([paid]);
  });

  it('wait behind a paying user who starts after them', async () => {
    await startsOfFreeUsers(3);
    const paid = await startedStream(encoded2160p60);
    const [agent] = await registerAgents(1);
    expect(await claimAll(agent!)).toMatchObject([{ stream_id: paid }]);
  });

  it('take no more when many agents claim at once', async () => {
    await startsOfFreeUsers(12);
    const agents = await registerAgents(12);
    const held = await Promise.all(agents.map((agent) => claimAll(agent)));
    for (const agent of agents) held.push(await claimAll(agent));
    expect(held.flat().length).toBeGreaterThanOrEqual(4);
    expect(held.flat().length).toBeLessThanOrEqual(6);
  });

  it('give way to nothing while they rest at a destination that takes nothing', async () => {
    const agents = await registerAgents(6);
    await startsOfFreeUsers(3);
    const held = [];
    for (const agent of agents) held.push(...(await claimAll(agent)));
    expect(held).toHaveLength(2);
    for (const replica of held) await report(replica, 'failing', { reason: unreachable });
    expect(await claimAll('agent-5')).toEqual([]);
    for (const replica of held) await report(replica, 'failing', { reason: unreachable, share: 0 });
    expect(await claimAll('agent-5')).toHaveLength(1);
  });

  it('take their shares back within their part when the destination takes media again', async () => {
    const agents = await registerAgents(6);
    await startsOfFreeUsers(4);
    const rested = [];
    for (const agent of agents.slice(0, 2)) rested.push(...(await claimAll(agent)));
    const [first, second] = rested;
    for (const replica of rested) await report(replica, 'failing', { reason: unreachable, share: 0 });
    const others = [];
    for (const agent of agents.slice(2)) others.push(...(await claimAll(agent)));
    expect(others).toHaveLength(2);
    const share = usedShare([first!]);
    const takePart = (replica: Replica) => transaction((tx) => tx.replicaClaims.takePart(replica, share, ['ffmpeg']));
    expect(await takePart(first!)).toBe(false);
    await report(others[0]!, 'failing', { reason: unreachable, share: 0 });
    // At the same time, only one of them finds the part left.
    expect((await Promise.all([first!, second!].map(takePart))).toSorted()).toEqual([false, true]);
  });

  it('keep no agent looking while their part is used up, and take no share of a claim from others', async () => {
    const agents = await registerAgents(6);
    await startsOfFreeUsers(4);
    const looks = async (countsUnfunded: boolean) =>
      (await data().agentRenewals.renew('agent-5', undefined, null, null, countsUnfunded)).isAnyWaiting;
    expect(await data().replicaClaims.demand('agent-5', ['ffmpeg'])).toMatchObject({ waiting: 4, isPartLeft: true });
    expect(await looks(true)).toBe(true);
    const held = [];
    for (const agent of agents) held.push(...(await claimAll(agent)));
    expect(held).toHaveLength(2);
    expect(await data().replicaClaims.demand('agent-5', ['ffmpeg'])).toMatchObject({ waiting: 0, isPartLeft: false });
    expect(await looks(false)).toBe(false);
    await startedStream(encoded2160p60);
    expect(await data().replicaClaims.demand('agent-5', ['ffmpeg'])).toMatchObject({ waiting: 1, isPartLeft: false });
    expect(await looks(false)).toBe(true);
  });

  it('take no more than their part in one claim, whatever room the agent has', async () => {
    await registerAgents(3);
    await startsOfFreeUsers(8);
    const room = (streams: number) => roomOf(capacityFor(16 * streams, 'ffmpeg'), 0, ['ffmpeg']);
    const claimOf = async (agent: string, streams: number) =>
      (await data().replicaClaims.claim(agent, ['ffmpeg'], room(streams))).length;
    expect(await claimOf('agent-0', 1)).toBe(1);
    expect(await service.pool().query('update replicas set share = 0.7 where agent_id is not null')).toBeTruthy();
    // A fifth of an agent each: two fill what is left of one agent, and the second one a little more.
    expect(await claimOf('agent-1', 5)).toBe(2);
    expect(await claimOf('agent-2', 5)).toBe(0);
  });
});

describe('a free account', () => {
  it('has a single agent to itself while no other user waits', async () => {
    const [agent] = await registerAgents(1);
    const own = await freeUser();
    for (let index = 0; index < 4; index++)
      await startOf(own, { quality: 'q_720p', framerate: 'f_30', streamBackend: 'ffmpeg' });
    expect(await claimAll(agent!)).toHaveLength(4);
  });

  it('learns what its stream waits for, and gets its place when it pays', async () => {
    const agents = await registerAgents(6);
    await startsOfFreeUsers(2);
    const held = [];
    for (const agent of agents) held.push(...(await claimAll(agent)));
    for (const replica of held) await report(replica, 'live');
    const own = await freeUser();
    const id = await startOf(own);
    await fallDue(id, 'activation_timeout');
    await fire();
    const { stateReason } = (await own.call('GET', `/streams/${id}`)).body;
    expect(stateReason.code).toBe('no_capacity');
    expect(stateReason.detail).toMatch(/never bought credits.* share .*30 %.*buy credits/i);
    expect(await claimAll('agent-5')).toEqual([]);

    const invoice = {
      id: 'inv_first',
      userID: own.id,
      type: 'credit_purchase',
      method: 'card',
      cost: 5,
      credits: 250,
    } as const;
    await data().invoices.insertPending(invoice);
    await transaction(async (tx) => {
      await tx.creditAccounts.lock(own.id);
      const paid = { cost: 5, credits: 250, paymentReference: null, at: new Date() };
      await creditPurchase(tx, { id: invoice.id, user_id: own.id }, paid);
    });
    expect(await claimAll('agent-5')).toMatchObject([{ stream_id: id }]);
  });

  it('starts one machine where none runs, and no further one', async () => {
    await register('in-place', 360);
    await data().agentRenewals.renew('in-place', { usedShare: 1, behindReason: null });
    const own = await freeUser();
    const first = await startOf(own);
    expect((await own.call('GET', `/streams/${first}`)).body.stateReason.code).toBe('machine_starting');
    expect(await data().replicaClaims.waitingFor('ffmpeg', 0)).toBe(1);
    await register('machine');
    const held = await claimAll('machine');
    await data().agentRenewals.renew('machine', { usedShare: usedShare(held), behindReason: null });
    const other = await freeUser();
    const second = await startOf(other);
    expect(await data().replicaClaims.waitingFor('ffmpeg', 0)).toBe(0);
    expect((await other.call('GET', `/streams/${second}`)).body.stateReason).toBeNull();
    await startedStream(encoded2160p60);
    expect(await data().replicaClaims.waitingFor('ffmpeg', 0)).toBe(1);
  });
});
