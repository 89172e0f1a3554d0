// Agents share waiting replicas: no agent claims all of them, and all are claimed.
import { expect, it } from 'vitest';
import { ReplicaClaims } from '../../../lambda/publisher/agent/replica-claims.ts';
import { actorsOn } from '../../support/actors.ts';
import { capacityFor, roomFor } from '../../support/capacities.ts';
import { replicasByAgent } from '../../support/replica-claims.ts';
import { testService } from '../../support/service.ts';

const service = testService();
const { data, register, startedStream } = actorsOn(service);

/** An agent that only claims, and records its claims. */
async function claiming(agentID: string) {
  await register(agentID);
  const held = new Set<string>();
  const agent = { isOpen: true, nowMs: 0 };
  const claims = new ReplicaClaims({
    agentID,
    capacity: capacityFor(100, 'ffmpeg'),
    backends: ['ffmpeg'],
    data: data(),
    replicas: {
      byID: held,
      get usedShare() {
        return held.size / 100;
      },
      begin: ({ id }) => void held.add(id),
    },
    mayBegin: () => true,
    steadyClock: () => agent.nowMs,
    mayClaim: () => agent.isOpen,
  });
  return Object.assign(agent, { claims, held });
}

/** Starts streams that wait for an agent. No agent's lease is renewed meanwhile. */
async function startTwelve(): Promise<void> {
  for (let count = 0; count < 12; count++) await startedStream();
  await service.pool().query(`update agents set lease_expires_at = now() + interval '1 hour'`);
}

it('takes a share of what waits, and leaves the rest to the others', async () => {
  const agents = await Promise.all(['a', 'b', 'c', 'd'].map(claiming));
  await startTwelve();
  for (const agent of agents) {
    await agent.claims.claim();
    agent.isOpen = false;
  }
  expect(await replicasByAgent(service)).toEqual({ a: 6, b: 3, c: 2, d: 1 });
});

it('takes what the others have left, a moment later', async () => {
  const [idle] = await Promise.all(['a', 'b', 'c', 'd'].map(claiming));
  await startTwelve();
  await idle!.claims.claim();
  await expect.poll(() => replicasByAgent(service)).toEqual({ a: 12 });
  idle!.isOpen = false;
});

it('begins what it was dealt, also while it takes nothing besides', async () => {
  const agent = await claiming('a');
  const [replica] = await startedStream().then(() => data().replicaClaims.claim('a', ['ffmpeg'], roomFor(1)));
  agent.isOpen = false;
  agent.claims.setHeld([replica!.id]);
  expect(agent.claims.areAnyUnknown).toBe(true);
  await agent.claims.claim();
  expect([...agent.held]).toEqual([replica!.id]);
});

it('asks for a permission only if there is room, and continues after one that could not be asked', async () => {
  const { claims } = await claiming('a');
  const taken: number[] = [];
  const take = (share: number, permission?: () => Promise<boolean>) =>
    claims.makeRoom(share, () => void taken.push(share), { permission });
  const refused = async () => expect.unreachable('there is no room');
  expect(await take(1.1, refused)).toBe(false);
  expect(await take(0.1, async () => false)).toBe(false);
  await expect(take(0.2, () => Promise.reject(new Error('no database')))).rejects.toThrow('no database');
  expect(await take(0.3, async () => true)).toBe(true);
  expect(await take(0.4)).toBe(true);
  expect(taken).toEqual([0.3, 0.4]);
});

it('leaves out users who are not funded for a while, once it has found their part used up', async () => {
  const agent = await claiming('a');
  await startedStream();
  const [held] = await data().replicaClaims.claim('a', ['ffmpeg'], roomFor(1));
  await service.pool().query('update replicas set is_unfunded = true, share = 1 where id = $1', [held!.id]);
  const id = await startedStream();
  await service.pool().query('update replicas set is_unfunded = true where stream_id = $1', [id]);
  expect(agent.claims.countsUnfunded).toBe(true);
  await agent.claims.claim();
  expect(agent.held.size).toBe(0);
  expect(agent.claims.countsUnfunded).toBe(false);
  agent.nowMs += 3000;
  expect(agent.claims.countsUnfunded).toBe(true);
  await service.pool().query('update replicas set share = 0.5 where id = $1', [held!.id]);
  await agent.claims.claim();
  expect(agent.held.size).toBe(1);
  expect(agent.claims.countsUnfunded).toBe(true);
});
