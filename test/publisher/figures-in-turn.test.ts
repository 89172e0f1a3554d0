// The figures of many streams are saved in turn, and the last ones of a stream when it ends.
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { figuresPerRenewal } from '../../lambda/publisher/agent.ts';
import { actorsOn } from '../orchestration/actors.ts';
import { startFaultyIngest } from '../support/faulty-ingest.ts';
import { preparedFleet } from '../support/prepared-fleet.ts';
import { testService } from '../support/service.ts';

const service = testService();
const actors = actorsOn(service);
let fleet: Awaited<ReturnType<typeof preparedFleet>>;
beforeAll(async () => {
  fleet = await preparedFleet(service, actors);
});
afterAll(() => fleet.close());

it('an agent with more streams than a renewal saves leaves none out, and saves what a stream ended with', { timeout: 60_000 }, async () => {
  const ingest = await startFaultyIngest();
  onTestFinished(() => ingest[Symbol.asyncDispose]());
  fleet.agent('agent');
  const keys = Array.from({ length: figuresPerRenewal + 5 }, (_, index) => `key${index}`);
  for (const key of keys) await fleet.stream({ rtmpURL: ingest.rtmpURL }, key);
  const saved = async () => {
    const { rows } = await service.pool().query<{ id: string; frames: number; at: Date }>(
      `select id, (stats ->> 'framesSent')::integer as frames, (stats ->> 'sampledAt')::timestamptz as at from streams where stats is not null order by id`,
    );
    return rows;
  };
  await expect.poll(async () => (await saved()).filter(({ frames }) => frames > 90), { timeout: 30_000 }).toHaveLength(keys.length);
  const atMs = (await saved()).map(({ at }) => at.getTime());
  // Those of one renewal and those of the one before it.
  expect(Math.max(...atMs) - Math.min(...atMs)).toBeGreaterThan(500);

  const { id } = (await saved())[0]!;
  await actors.call('POST', `/streams/${id}/stop`);
  await expect.poll(async () => (await actors.stream(id)).state, { timeout: 5000 }).toBe('stopped');
  const ended = [...ingest.keys.values()].flatMap(({ publications }) => publications).find(({ endedAtMs }) => endedAtMs !== null);
  expect((await saved()).find((stream) => stream.id === id)!.frames).toBe(ended!.pictures);
});
